import { randomUUID } from 'node:crypto'
import { isWithin, toNetworks } from '../accounts/key-networks.ts'
import type { SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import type { Pool } from '../database/database.ts'
import { networkOf } from '../http/networks.ts'
import { findAttempts, insertAttempt } from '../people/attempts.store.ts'
import { attemptsOf, subjectOf } from '../people/attempts.ts'
import { verifyPassword } from '../people/passwords.ts'
import { STATUSES } from '../smpp/commands.ts'
import type { BindPdu } from '../smpp/pdu.ts'
import { type BindMode, countBinds, insertBind } from '../smpp-outbox/binds.store.ts'
import { type BindCredential, findCredentialBySystemId, lockCredential } from './credentials.store.ts'
import type { GrantedBind } from './customer-session.ts'

/* Decides whether a client may bind. */

/** Wrong passwords within a minute, for one system_id or from one network; then nothing is tried for that minute. */
const FAILURES_MAX = 10
const MINUTE = { windowSeconds: 60 }

const MODES: Readonly<Record<BindPdu['command'], BindMode>> = {
  bind_transmitter: 'transmitter',
  bind_receiver: 'receiver',
  bind_transceiver: 'transceiver'
}

/** The bind with its lease, or the status that refuses it. */
export async function grantBind(
  { pool, suspended, leaseSeconds }: { pool: Pool; suspended: SuspendedAccounts; leaseSeconds: number },
  { systemId, password, command, interfaceVersion }: BindPdu,
  { address, isEncrypted }: { address: string; isEncrypted: boolean }
): Promise<GrantedBind | number> {
  const network = networkOf(address)
  const found = await findCredentialBySystemId(pool, systemId)
  // A wrong password from outside of the networks of the credentials must not lock these out.
  const isOutside = found !== undefined && !isAllowed(found, address)
  const subjects = [subjectOf('SMPP bind from', network)]
  if (!isOutside) subjects.push(subjectOf('SMPP bind of', systemId))
  const isLockedOut = (counts: Parameters<typeof attemptsOf>[0], max: number) =>
    subjects.some((subject) => attemptsOf(counts, subject) >= max)
  if (isLockedOut(await findAttempts(pool, subjects), FAILURES_MAX)) return STATUSES.ESME_RBINDFAIL
  if (!(await verifyPassword(password, found?.passwordHash, network)) || !found) {
    // One status for both, so that nobody learns which system_ids exist.
    const counts = await insertAttempt(pool, subjects, MINUTE)
    return isLockedOut(counts, FAILURES_MAX + 1) ? STATUSES.ESME_RBINDFAIL : STATUSES.ESME_RINVPASWD
  }
  // Counted again: guesses that were made all at once learn no more than guesses made one by one.
  if (isLockedOut(await findAttempts(pool, subjects), FAILURES_MAX)) return STATUSES.ESME_RBINDFAIL
  return pool.begin(async (database) => {
    const credential = await lockCredential(database, found.id)
    if (!credential?.isActive || credential.passwordHash !== found.passwordHash) return STATUSES.ESME_RBINDFAIL
    if (suspended.has(credential.accountId)) return STATUSES.ESME_RBINDFAIL
    const { accountId, bindsMax } = credential
    if (!isAllowed(credential, address)) return STATUSES.ESME_RBINDFAIL
    if ((await countBinds(database, credential.id)) >= bindsMax) return STATUSES.ESME_RALYBND
    const bind = { id: randomUUID(), mode: MODES[command], credential, interfaceVersion }
    await insertBind(
      database,
      { id: bind.id, credentialId: credential.id, accountId, mode: bind.mode, address, isEncrypted, interfaceVersion },
      { leaseSeconds }
    )
    return bind
  })
}

/** Whether the credentials may be used from this address. */
export function isAllowed({ addresses }: Pick<BindCredential, 'addresses'>, address: string): boolean {
  return addresses.length === 0 || isWithin(address, toNetworks(addresses))
}
