import type { IncomingHttpHeaders } from 'node:http'
import type { BlockList } from 'node:net'
import { databaseNowMs } from '../database/clock.ts'
import type { Pool, Sql } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Arrived, Caller, ShownToken } from '../http/caller.ts'
import { type ConsentMode, strictest } from '../http/consent-mode.ts'
import { isEqualSecret } from '../http/equal-secrets.ts'
import { isLimiting } from '../http/limit.ts'
import { permissionsOf } from '../http/permission.ts'
import { CALLERS_CHANGED } from '../people/notices.store.ts'
import { PERMISSIONS_OF_ROLES } from '../people/role.ts'
import { updateLastSeen } from '../people/sessions.store.ts'
import type { Tokens } from '../people/tokens.ts'
import { hashApiKey } from './api-key.ts'
import { updateLastUsed } from './api-keys.store.ts'
import {
  type CallerAccount,
  findAccountToActFor,
  findCallerByKey,
  findCallerBySession,
  type KeyRow,
  type SessionRow
} from './callers.store.ts'
import { isWithin, toNetworks } from './key-networks.ts'
import { completeLimits, type LimitDefaults } from './limits.ts'
import { createRemembered } from './remembered.ts'
import { refusalOf } from './standing.ts'
import type { SuspendedAccountsReader } from './suspended-accounts.ts'

/*
 * Finds the account of a request's credentials, without a query per request. A caller is remembered for a few seconds.
 * NOTIFY tells every process of a change at once; the few seconds hold when a notice is lost.
 */

/** The defaults of the installation. */
export interface CallerDefaults extends LimitDefaults {
  consent: ConsentMode
}

const FRESH_MS = 5_000
const REMEMBERED_MAX = 10_000

export interface Callers {
  authenticate(request: Arrived): Caller | Promise<Caller>
  /** The account of a key as it was last read, without a query. It proves nothing: only `authenticate` does. */
  recall(headers: IncomingHttpHeaders): Caller | undefined
  /** Forgets an account: the next request reads it again. */
  forget(accountId: number): void
  /** The same for a person, on all accounts. */
  forgetPerson(personId: number): void
  /** Stores when keys and sessions were last used. */
  storeUses(): Promise<void>
}

/** A caller, which is made once and shared by all requests of the same credentials, with what is checked at each request. */
interface Known {
  caller: Caller
  appId: string
  /** Of a session. */
  tokenVersion: number | undefined
  /** Why nobody may ask for this account now. */
  refusal: Refusal | undefined
  /** The networks that a key may be used from; undefined for all. */
  networks: BlockList | undefined
  expiresAtMs: number
  readAtMs: number
}

export async function createCallers(
  pool: Pool,
  { tokens, suspended, defaults }: { tokens: Tokens; suspended: SuspendedAccountsReader; defaults: CallerDefaults }
): Promise<Callers> {
  const remembered = createRemembered<Known>({ freshMs: FRESH_MS, max: REMEMBERED_MAX })
  const used = { keys: new Set<number>(), sessions: new Set<string>() }
  const forget = (accountId: number) =>
    remembered.forget(({ caller }) => caller.accountId === accountId || caller.parentId === accountId)
  const forgetPerson = (personId: number) => remembered.forget(({ caller }) => caller.personId === personId)
  suspended.onChange((accountIds) => {
    const changed = new Set(accountIds)
    remembered.forget(({ caller }) => changed.has(caller.accountId))
  })
  const admit = ({ caller, refusal, readAtMs }: Known): Caller => {
    // The list is also right when a notice was lost; what was read later is newer still. People from above see a suspended
    // account too, unless theirs is suspended.
    const { viewedFrom } = caller
    const found = refusal ?? suspended.refusalSince(viewedFrom ?? caller.accountId, viewedFrom === null ? readAtMs : 0)
    if (found) throw found
    return caller
  }
  await pool.listen(
    CALLERS_CHANGED,
    (payload) => {
      const [kind, id] = payload.split(' ')
      if (kind === 'standing') suspended.wake()
      if (kind === 'person') forgetPerson(Number(id))
      else if (kind === 'account' || kind === 'standing') forget(Number(id))
      // A newer release may run beside this one.
      else remembered.forget(() => true)
    },
    () => {
      suspended.wake()
      remembered.forget(() => true)
    }
  )

  function byKey(apiKey: string, appId: string | undefined, request: Arrived): Caller | Promise<Caller> {
    const key = `key ${apiKey}`
    // A client in the field sends its key in both headers.
    const check = (known: Known | undefined) => {
      if (!known || !(appId === undefined || isEqualSecret(appId, known.appId) || isEqualSecret(appId, apiKey)))
        throw unauthorized()
      if (known.expiresAtMs <= databaseNowMs()) throw unauthorized()
      if (known.networks && !isWithin(request.ip, known.networks)) throw elsewhere()
      return admit(known)
    }
    const find = async () => {
      const readAtMs = performance.now()
      const row = await findCallerByKey(pool, hashApiKey(apiKey))
      if (row) used.keys.add(row.keyId)
      return row && { ...knownKey(row, defaults), readAtMs }
    }
    const known = remembered.recall(key)
    return known ? check(known) : remembered.look(key, find).then(check)
  }

  async function byToken(token: string): Promise<Caller> {
    const claims = await tokens.verify(token)
    if (!claims) throw unauthorized()
    const { accountId, id, expiresAt } = claims
    const key = `token ${accountId} ${id}`
    const find = async () => {
      const readAtMs = performance.now()
      const row = await findCallerBySession(pool, { accountId, sessionId: id })
      if (row) used.sessions.add(id)
      return row && { ...knownSession(row, { id, expiresAt }, defaults), readAtMs }
    }
    const known = remembered.recall(key) ?? (await remembered.look(key, find))
    if (!known || known.tokenVersion !== claims.version) throw unauthorized()
    return admit(known)
  }

  return {
    forget,
    forgetPerson,
    recall: ({ 'x-api-key': apiKey }) => remembered.last(`key ${apiKey}`)?.caller,
    authenticate(request) {
      const { headers } = request
      const apiKey = headers['x-api-key']
      const appId = headers['x-app-id']
      if (typeof apiKey === 'string' && apiKey !== '')
        return byKey(apiKey, typeof appId === 'string' && appId !== '' ? appId : undefined, request)
      const token = /^(?:Bearer +)?(\S+)$/i.exec(headers.authorization ?? '')?.[1]
      if (token) return byToken(token)
      throw unauthorized()
    },
    async storeUses() {
      const [keys, sessions] = [[...used.keys], [...used.sessions]]
      used.keys.clear()
      used.sessions.clear()
      if (keys.length > 0) await updateLastUsed(pool, keys)
      if (sessions.length > 0) await updateLastSeen(pool, sessions)
    }
  }
}

/** An account for which the service itself acts, such as to answer a keyword. Undefined unless the account is open. */
export async function findOwnCaller(
  sql: Sql,
  accountId: number,
  defaults: CallerDefaults
): Promise<Caller | undefined> {
  const found = await findAccountToActFor(sql, accountId)
  if (found?.standing !== 'open') return undefined
  const { appId: _appId, standing: _standing, standingReason: _reason, ...row } = found
  return { ...toAccount(row, defaults), ...NO_PERSON, keyId: null, permissions: NO_PERMISSIONS }
}

const NO_PERMISSIONS: Caller['permissions'] = new Set()

/** The fields of a caller that is no person: a key, or a worker that acts for an account. */
const NO_PERSON = {
  personId: null,
  isViewing: false,
  viewedFrom: null,
  token: null,
  signedOnAt: null,
  requiresSecondFactor: false,
  lacksSecondFactor: false
}

function knownKey(
  { keyId, scopes, addresses, expiresAt, appId, standing, standingReason, ...row }: KeyRow,
  defaults: CallerDefaults
): Omit<Known, 'readAtMs'> {
  const actor = { ...NO_PERSON, keyId, permissions: permissionsOf(scopes) }
  return {
    caller: { ...toAccount(row, defaults), ...actor },
    appId,
    tokenVersion: undefined,
    refusal: refusalOf({ standing, standingReason }),
    networks: addresses.length === 0 ? undefined : toNetworks(addresses),
    expiresAtMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
  }
}

function knownSession(
  {
    personId,
    tokenVersion,
    viewedFrom,
    role,
    appId,
    standing,
    standingReason,
    signedOnAt,
    requiresSecondFactor,
    lacksSecondFactor,
    ...row
  }: SessionRow,
  token: ShownToken,
  defaults: CallerDefaults
): Omit<Known, 'readAtMs'> {
  const isViewing = viewedFrom !== null
  const actor = {
    personId,
    keyId: null,
    permissions: PERMISSIONS_OF_ROLES[role],
    isViewing,
    viewedFrom,
    token,
    signedOnAt,
    requiresSecondFactor,
    lacksSecondFactor
  }
  return {
    caller: { ...toAccount(row, defaults), ...actor },
    appId,
    tokenVersion,
    // A person who views from the account above sees a suspended account too.
    refusal: isViewing ? undefined : refusalOf({ standing, standingReason }),
    networks: undefined,
    expiresAtMs: Number.POSITIVE_INFINITY
  }
}

function toAccount(
  {
    id,
    ownLimits: own,
    parentLimits,
    parentTimeZone,
    isParentOperator,
    parentConsent,
    marketingCap,
    marketingCapDays,
    ...row
  }: Omit<CallerAccount, 'appId' | 'standing' | 'standingReason'>,
  defaults: CallerDefaults
) {
  const { parentId, isOperator, timeZone } = row
  const ownLimits = completeLimits(own, { defaults, isOperator, parentId })
  const accounts = [{ accountId: id, timeZone, ...ownLimits }]
  if (parentId !== null) {
    const limits = completeLimits(parentLimits, { defaults, isOperator: isParentOperator ?? false, parentId: null })
    accounts.push({ accountId: parentId, timeZone: parentTimeZone ?? timeZone, ...limits })
  }
  return {
    accountId: id,
    topLevelId: parentId ?? id,
    ...row,
    consent: strictest(defaults.consent, parentConsent, row.consent),
    marketingCap: marketingCap > 0 ? { messages: marketingCap, days: marketingCapDays } : null,
    ownLimits,
    limits: accounts.filter(isLimiting)
  }
}

function unauthorized(): Refusal {
  return new Refusal(401, 'unauthorized', 'The credentials are missing or wrong.')
}

function elsewhere(): Refusal {
  return new Refusal(403, 'forbidden', 'This key can’t be used from this address.')
}
