import { strict as assert } from 'node:assert'
import { createHash, hash, randomBytes } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { type ApiKey, findApiKey, lockApiKey } from '../accounts/api-keys.store.ts'
import { allowedOf } from '../accounts/key.ts'
import type { Database, Sql } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { findUsedWithinDay, insertConfirmation, lockConfirmation, updateUsed } from './confirmations.store.ts'
import { SendQuery } from './send-answer.ts'
import { hashRequest, Witness } from './witness.ts'

/*
 * Confirmed sends, for keys that programs of little trust hold: assistants. Such a key sends only what a dry run of the same
 * send has shown, within minutes, once, and only so many credits a day. The service checks all of it, in the transaction
 * of the send: no other use of the key gets around it, in any process.
 */

const VALID_SECONDS = 600

export const ConfirmableQuery = Type.Object({
  ...SendQuery.properties,
  confirmation: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'The `token` of a dry run of the same send. A key with the scope `send_confirmed` and without `send` needs it.'
    })
  )
})

interface Answer {
  credits_used?: number
  credits_required?: number
}

interface ConfirmableRequest {
  caller: Caller
  body: unknown
  query: Static<typeof ConfirmableQuery>
  database: Database
}

/** The work of a send, with a confirmation where the caller needs one. A refused send leaves its token as it was. */
export async function confirming<Result extends object>(
  operationId: string,
  { caller, body, query, database }: ConfirmableRequest,
  work: (database: Database, witness: Witness | undefined) => Promise<Result>
): Promise<Result> {
  const { confirmation: token, resumeBefore: isDryRun } = query
  const isFree = caller.permissions.has('send')
  if (isFree && (isDryRun || token === undefined)) return work(database, undefined)
  refuseRemoving(body)
  const requestHash = hashRequest(operationId, body)
  const witness = new Witness()
  if (isDryRun) {
    const answer = await work(database, witness)
    const outcomeHash = hashOutcome(witness, (answer as Answer).credits_required)
    return { ...answer, confirmation: await give(database, caller, { requestHash, outcomeHash }) }
  }
  if (token === undefined) throw new Refusal(403, 'forbidden', TOKEN_MISSING)
  return database.begin(async (database) => {
    const tokenHash = hashToken(token)
    const { accountId } = caller
    const key = await findOwnKey(database, caller)
    const shown = await lockConfirmation(database, { accountId, tokenHash })
    if (!shown || shown.keyId !== key.id) throw refused('There is no such confirmation')
    if (shown.isUsed) throw refused('This confirmation was used')
    if (shown.isExpired) throw refused('This confirmation is too old')
    if (!shown.requestHash.equals(requestHash)) throw refused('This is another send than the one of the dry run')
    const answer = await work(database, witness)
    const { credits_used: credits } = answer as Answer
    assert(credits !== undefined)
    if (!shown.outcomeHash.equals(hashOutcome(witness, credits))) {
      throw refused('The recipients, the text or the price have changed since the dry run')
    }
    await count(database, caller, { key, tokenHash, credits })
    return answer
  })
}

/** A scheduled send to segments finds its people, and its price, when it departs: no dry run shows them. */
export function refuseUnshown(witness: Witness | undefined): void {
  if (witness) throw new Refusal(403, 'forbidden', 'A confirmed send to segments can’t be scheduled: send it now.')
}

const TOKEN_MISSING =
  'This key sends only what a dry run has shown: ask with resumeBefore=true first, then with the confirmation that it answers.'

function refused(reason: string): Refusal {
  return new Refusal(409, 'state_conflict', `${reason}; dry-run the send, and use the new confirmation.`)
}

/** A confirmation is for what a dry run shows. It does not show what would be cancelled or removed. */
function refuseRemoving(body: unknown): void {
  const { replaces, draft } = body as { replaces?: unknown; draft?: unknown }
  if (replaces === undefined && draft === undefined) return
  throw new Refusal(
    403,
    'forbidden',
    'A confirmed send can’t remove a message or a draft: leave out replaces and draft.'
  )
}

async function give(sql: Sql, caller: Caller, hashes: { requestHash: Buffer; outcomeHash: Buffer }) {
  const { accountId } = caller
  const token = `cnf_${randomBytes(24).toString('base64url')}`
  const key = await findOwnKey(sql, caller)
  const given = { accountId, keyId: key.id, tokenHash: hashToken(token), validSeconds: VALID_SECONDS, ...hashes }
  const { expiresAt } = await insertConfirmation(sql, given)
  const { credits } = await findUsedWithinDay(sql, { accountId, keyId: key.id })
  return {
    token,
    valid_until: expiresAt.toISOString(),
    credits_left_today: Math.max(0, allowedOf(key) - credits)
  }
}

/** Under the lock of the key, so that two sends are counted one after the other. */
async function count(
  sql: Sql,
  { accountId }: Caller,
  { key, tokenHash, credits }: { key: ApiKey; tokenHash: Buffer; credits: number }
): Promise<void> {
  await lockApiKey(sql, { accountId, id: key.id })
  const used = await findUsedWithinDay(sql, { accountId, keyId: key.id })
  const allowed = allowedOf(key)
  if (used.credits + credits > allowed) {
    const sentence = `This key may spend ${allowed} credits within 24 hours; ${used.credits} are spent, and this takes ${credits}.`
    throw new Refusal(429, 'limit_reached', sentence, { retryAfterSeconds: Math.max(1, used.secondsLeft) })
  }
  await updateUsed(sql, { accountId, tokenHash, credits })
}

/** The key of the caller. One that is being replaced counts as the one that takes its place. */
async function findOwnKey(sql: Sql, { accountId, keyId }: Caller): Promise<ApiKey> {
  const own = keyId === null ? undefined : await findApiKey(sql, { accountId, id: keyId })
  const key = own && own.replacedBy !== null ? await findApiKey(sql, { accountId, id: own.replacedBy }) : own
  if (!key) throw new Refusal(403, 'forbidden', 'Only a key sends with a confirmation: leave it out.')
  return key
}

/** What a dry run shows: who gets what, and at which price. */
function hashOutcome(witness: Witness, credits: number | undefined): Buffer {
  return createHash('sha256').update(witness.digest()).update(`${credits}`).digest()
}

function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
