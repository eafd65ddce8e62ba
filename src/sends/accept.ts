import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Static } from 'typebox'
import { MESSAGE_TYPE_NAMES, MESSAGE_TYPES } from '../credits/credit.ts'
import { findSpendable } from '../credits/credits.store.ts'
import { lockPurse, reserveCredits } from '../credits/ledger.ts'
import { type Database, liftStatementTimeout, type Pool, type Sql, violatedConstraint } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { insufficientCredits, Refusal } from '../errors.ts'
import type { Channel } from '../messages/message.ts'
import { recordMessageStates } from '../messages/message-events.ts'
import {
  deleteExternalIds,
  drawMessageIds,
  type ExternalId,
  insertExternalIds,
  insertMessages,
  lockLongSend,
  type NewMessage,
  updateExternalIds,
  updateMessageCounts
} from '../messages/messages.store.ts'
import { insertRcsMessages } from '../messages/rcs-messages.store.ts'
import { referenceOf } from '../messages/reservation.ts'
import { insertScheduled } from '../messages/scheduled-messages.store.ts'
import { insertBatches } from '../queue/batches.store.ts'
import { copyRecipients, insertRecipients } from '../recipients/recipients.store.ts'
import { copyShortLinks, insertShortLinks } from '../short-links/short-links.store.ts'
import { listStopped, listStoppedPairs } from '../stops/stops.store.ts'
import { createBreath } from '../workers/breath.ts'
import { toBatches, toCommonLinks, toLinks, toMessage, toRcsMessages } from './message-rows.ts'
import { type Candidate, createPlan, type GivenRecipient, type Plan, type PlannedRecipient } from './plan.ts'
import type { Routing } from './routing.ts'
import type { Send } from './send.ts'
import { describeDeparture, type SmsResumeView, type SmsStatusView, toResume, toStatus } from './send-answer.ts'

/*
 * Accepting: credits, message, recipients and batches are stored by one transaction, or nothing is. There are two ways to
 * store, after the same plan. Few recipients: sends that arrive together share a transaction, and one that is refused does
 * not touch the others. Many: a stream, in a transaction of its own.
 */

/** Up to so many recipients, a send shares a transaction; more would hold up those it shares it with. */
export const FEW_MAX = 50
const GROUP_LIMITS = { sizeMax: 200, runningMax: 2, spacingMs: 4 }
/** For two channels: neither waits for the other. */
export const GROUP_CONNECTIONS = 2 * GROUP_LIMITS.runningMax
/** Recipients that are checked and stored at a time. */
const CHUNK = 2_000
/** How many are looked at before others may run: to read a number that is none, or to check a carousel, takes long. */
const AT_ONCE = 50

/**
 * A code of a short link that is in use already, by chance: nothing was stored, so that all is done again with other codes.
 * With a thousand million links in use, that happens to one in 800 messages of a million recipients.
 */
const CODE_IS_TAKEN = 'short_links_pkey'
const TRIES_MAX = 3
/**
 * A send of few whose id another send of few is taking waits for that one, outside of any transaction: it ends within milliseconds,
 * and leaves the id free if it is refused.
 */
const CONTESTED_PAUSE_MS = 25
const CONTESTED_TRIES_MAX = 120

export type Accepted = Static<typeof SmsStatusView>

/** Where the recipients of a message come from. */
export interface RecipientSource {
  /** The field that names them, for whoever is told that none is left. */
  path: string
  /** All of them, if they are few. */
  few?: readonly GivenRecipient[]
  /** All of them, in their order, some at a time. Read inside the transaction, and again in each that follows one undone. */
  read(database: Database): AsyncIterable<readonly GivenRecipient[]>
  /** Of many: called when they are stored as this message, by the same transaction and before a balance is locked. */
  onStored?(database: Database, messageId: number): Promise<void>
}

export type Accept = ReturnType<typeof createAccept>

export interface AcceptParts {
  groupPool: Pool
  routing: Routing
  /** Something may be due to leave. */
  onQueued?: () => void
}

/** Sends that share a transaction run on a few connections of their own, beside those of the operations: always there. */
export function createAccept({ groupPool, routing, onQueued }: AcceptParts) {
  const group = () =>
    groupCalls<Draft, Outcome>(
      (drafts) => groupPool.begin((groupPool) => storeFew(groupPool, drafts, routing)),
      GROUP_LIMITS
    )
  // Those of a channel among themselves: a transaction then takes credits of one type, and locks balances in one order.
  const acceptTogether: Record<Channel, ReturnType<typeof group>> = { sms: group(), rcs: group() }

  /** Accepts a message, in the transaction that it is given, or in one of its own if it is given the pool. */
  return async function accept(database: Database, send: Send, source: RecipientSource): Promise<Accepted> {
    for (let tries = 1; ; tries++) {
      try {
        return await acceptOnce(database, send, source)
      } catch (error) {
        const isContested = error === CONTESTED && tries < CONTESTED_TRIES_MAX
        const isCodeTaken = violatedConstraint(error) === CODE_IS_TAKEN && tries < TRIES_MAX
        if (!isContested && !isCodeTaken) throw error
        if (isContested) await sleep(CONTESTED_PAUSE_MS)
      }
    }
  }

  async function acceptOnce(database: Database, send: Send, source: RecipientSource): Promise<Accepted> {
    if (!source.few) {
      const accepted = await database.begin((database) => storeMany(database, send, source, routing))
      onQueued?.()
      return accepted
    }
    const plan = createPlan(send, routing, source.path)
    const draft = { send, plan, candidates: plan.sift(source.few) }
    const outcome = database.isTransaction
      ? (await database.begin((database) => storeFew(database, [draft], routing)))[0]
      : await acceptTogether[send.channel](draft)
    assert(outcome)
    if (outcome instanceof Refusal) throw outcome
    onQueued?.()
    return outcome
  }
}

/** What a send would do: the same plan, and nothing stored. */
export async function dryRun(
  database: Database,
  send: Send,
  source: RecipientSource,
  routing: Routing
): Promise<Static<typeof SmsResumeView>> {
  return database.begin(async (database) => {
    const plan = createPlan(send, routing, source.path)
    for await (const candidates of sifted(source.read(database), plan)) {
      await takeAll(plan, candidates, await stoppedAmong(database, send.accountId, candidates))
    }
    plan.refuseIfEmpty()
    return toResume(
      plan.totals,
      await findSpendable(database, { accountId: send.accountId, messageType: MESSAGE_TYPES[send.channel] })
    )
  })
}

/** A send whose recipients are known, on its way into a transaction with others. */
interface Draft {
  send: Send
  plan: Plan
  candidates: Candidate[]
}

/** A refusal is a value here: those who share the transaction must not be undone by it. */
type Outcome = Accepted | Refusal

/** Drafts of one channel. */
async function storeFew(database: Database, drafts: readonly Draft[], routing: Routing): Promise<Outcome[]> {
  const [first] = drafts
  assert(first && drafts.every(({ send }) => send.channel === first.send.channel))
  // Whatever does not need another's answer leaves together: the fewer turns to the database, the more sends a second.
  const pairs = drafts.flatMap(({ send, candidates }) =>
    candidates.map(({ phone }) => ({ accountId: send.accountId, phone }))
  )
  const lock = (spenderIds: number[]) =>
    lockPurse(database, { spenderIds, messageType: MESSAGE_TYPES[first.send.channel] })
  // A repeat is refused before anything is waited for: it must not wait for the balance of its account, and others with it.
  const hasExternalIds = drafts.some(({ send }) => send.externalId !== undefined)
  const [ids, stopped, locked] = await Promise.all([
    drawMessageIds(database, drafts.length),
    listStoppedPairs(database, pairs),
    hasExternalIds ? undefined : lock(drafts.map(({ send }) => send.accountId))
  ])
  const outcomes = new Map<Draft, Outcome>()
  const planned = drafts.flatMap((draft, index): Planned[] => {
    try {
      const recipients = draft.plan.take(draft.candidates, stopped.get(draft.send.accountId) ?? NOBODY)
      draft.plan.refuseIfEmpty()
      return [{ draft, id: ids[index] as number, recipients }]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      outcomes.set(draft, error)
      return []
    }
  })

  // Whoever takes an id and is refused leaves it to the next: a refused send does not use it up.
  const wanted = await insertExternalIds(database, planned.flatMap(toExternalId))
  const taken = new Set(wanted.filter(({ isTaken }) => isTaken).map(externalIdName))
  const contested = new Set(wanted.filter(({ isContested }) => isContested).map(externalIdName))
  const isFree = (message: Planned) => toExternalId(message).every((id) => taken.has(externalIdName(id)))
  const purse = locked ?? (await lock(planned.filter(isFree).map(({ draft }) => draft.send.accountId)))
  const granted: (Planned & { remaining: number })[] = []
  const owners = new Map<string, Planned>()
  for (const message of planned) {
    const externalId = nameOf(message)
    const isRepeat = !isFree(message) || (externalId !== undefined && owners.has(externalId))
    const movement = isRepeat ? undefined : purse.reserve(toReserve(message))
    if (!movement) outcomes.set(message.draft, contested.has(externalId ?? '') ? CONTESTED : alreadyProcessed())
    else if (movement.kind === 'insufficient') outcomes.set(message.draft, tooFewCredits(movement, message.draft.send))
    else {
      granted.push({ ...message, remaining: movement.remaining })
      if (externalId !== undefined) owners.set(externalId, message)
    }
  }
  await deleteExternalIds(
    database,
    planned.flatMap(toExternalId).filter((id) => taken.has(externalIdName(id)) && !owners.has(externalIdName(id)))
  )
  if (granted.length > 0) {
    const messages = granted.map(({ draft, id }) => toMessage(draft.send, draft.plan, id, routing))
    await Promise.all([
      purse.write(database),
      updateExternalIds(database, [...owners.values()].flatMap(toExternalId)),
      insertMessages(database, messages),
      insertRcsMessages(
        database,
        granted.flatMap(({ draft, id }) => toRcsMessages(draft.send, id))
      ),
      insertShortLinks(
        database,
        granted.flatMap(({ draft, id, recipients }) => [
          ...toCommonLinks(draft.send, draft.plan, id),
          ...toLinks(draft.send, recipients, id)
        ])
      ),
      insertRecipients(
        database,
        granted.flatMap(({ draft, id, recipients }) =>
          recipients.map((recipient) => ({ ...recipient, accountId: draft.send.accountId, messageId: id }))
        )
      ),
      insertBatches(
        database,
        granted.flatMap(({ draft, id }) => toBatches(draft.send, draft.plan, id))
      ),
      insertScheduled(
        database,
        messages.filter(({ state }) => state === 'scheduled')
      ),
      updateMessageCounts(
        database,
        granted.map(({ draft }) => draft.send.accountId)
      ),
      // The last of them: what it reads is stored by then.
      recordMessageStates(database, messages.filter(isBegun).map(toStateKey))
    ])
  }
  for (const { draft, id, remaining } of granted) outcomes.set(draft, toAccepted(draft.send, draft.plan, id, remaining))
  return drafts.map((draft) => outcomes.get(draft) as Outcome)
}

interface Planned {
  draft: Draft
  id: number
  recipients: PlannedRecipient[]
}

const NOBODY: ReadonlySet<string> = new Set()

function toExternalId({ draft: { send }, id }: Planned): ExternalId[] {
  return send.externalId === undefined
    ? []
    : [{ accountId: send.accountId, externalId: send.externalId, messageId: id }]
}

function nameOf(message: Planned): string | undefined {
  return toExternalId(message).map(externalIdName)[0]
}

function externalIdName({ accountId, externalId }: Pick<ExternalId, 'accountId' | 'externalId'>): string {
  return `${accountId} ${externalId}`
}

function toReserve({ draft: { send, plan }, id }: Planned) {
  return reservationOf(send, id, plan.totals.credits)
}

function reservationOf({ accountId, channel }: Send, messageId: number, amount: number) {
  return { accountId, messageType: MESSAGE_TYPES[channel], reference: referenceOf(messageId), amount }
}

async function storeMany(database: Database, send: Send, source: RecipientSource, routing: Routing): Promise<Accepted> {
  await liftStatementTimeout(database)
  const { accountId } = send
  const [id] = await drawMessageIds(database, 1)
  assert(id)
  if (send.externalId !== undefined) {
    const wanted = { accountId, externalId: send.externalId, messageId: id }
    await lockLongSend(database, wanted)
    const [found] = await insertExternalIds(database, [wanted])
    if (!found?.isTaken) throw found?.isContested ? CONTESTED : alreadyProcessed()
  }
  // Past what is there, storing would be for nothing; the rest is only counted, to tell how much is missing.
  const spendable = await findSpendable(database, { accountId, messageType: MESSAGE_TYPES[send.channel] })
  const plan = createPlan(send, routing, source.path)
  for await (const candidates of sifted(source.read(database), plan)) {
    const recipients = await takeAll(plan, candidates, await stoppedAmong(database, accountId, candidates))
    if (plan.totals.credits <= spendable && recipients.length > 0) {
      await copyRecipients(database, { accountId, id }, recipients)
      await copyShortLinks(database, toLinks(send, recipients, id))
    }
  }
  plan.refuseIfEmpty()
  if (plan.totals.credits > spendable)
    throw tooFewCredits({ required: plan.totals.credits, remaining: spendable }, send)
  const message = toMessage(send, plan, id, routing)
  await insertMessages(database, [message])
  await insertRcsMessages(database, toRcsMessages(send, id))
  await insertShortLinks(database, toCommonLinks(send, plan, id))
  await insertBatches(database, toBatches(send, plan, id))
  await insertScheduled(database, message.state === 'scheduled' ? [message] : [])
  if (isBegun(message)) await recordMessageStates(database, [toStateKey(message)])
  await source.onStored?.(database, id)
  // The balance last: a small send of this account waits for it until the commit, and so do all that share its transaction.
  const [movement] = await reserveCredits(database, [reservationOf(send, id, plan.totals.credits)])
  assert(movement)
  if (movement.kind === 'insufficient') throw tooFewCredits(movement, send)
  await updateMessageCounts(database, [accountId])
  return toAccepted(send, plan, id, movement.remaining)
}

/** Candidates in pieces of one size, whatever size they come in. */
async function* sifted(pieces: AsyncIterable<readonly GivenRecipient[]>, plan: Plan): AsyncGenerator<Candidate[]> {
  const breathe = createBreath()
  for await (const piece of pieces) {
    for (let start = 0; start < piece.length; start += CHUNK) {
      const candidates: Candidate[] = []
      const end = Math.min(piece.length, start + CHUNK)
      for (let at = start; at < end; at += AT_ONCE) {
        candidates.push(...plan.sift(piece.slice(at, Math.min(end, at + AT_ONCE))))
        await breathe()
      }
      yield candidates
    }
  }
}

async function takeAll(
  plan: Plan,
  candidates: readonly Candidate[],
  stopped: ReadonlySet<string>
): Promise<PlannedRecipient[]> {
  const breathe = createBreath()
  const planned: PlannedRecipient[] = []
  for (let at = 0; at < candidates.length; at += AT_ONCE) {
    planned.push(...plan.take(candidates.slice(at, at + AT_ONCE), stopped))
    await breathe()
  }
  return planned
}

function stoppedAmong(sql: Sql, accountId: number, candidates: readonly Candidate[]): Promise<Set<string>> {
  return listStopped(sql, { accountId, phones: candidates.map(({ phone }) => phone) })
}

/** Whether it begins to leave at once, which is told. */
function isBegun({ state }: NewMessage): boolean {
  return state === 'sending'
}

function toStateKey({ accountId, id }: NewMessage) {
  return { accountId, messageId: id }
}

function toAccepted(send: Send, plan: Plan, messageId: number, remaining: number): Accepted {
  return toStatus(plan.totals, { messageId, remaining, message: describeDeparture(plan.batches(), send) })
}

/** A value to compare with, so it is made once. */
const CONTESTED = new Refusal(409, 'state_conflict', 'A message with this external_id is being accepted; ask again.')

function alreadyProcessed(): Refusal {
  // To the letter: clients in the field compare it.
  return new Refusal(409, 'external_id_already_processed', 'External ID already processed')
}

function tooFewCredits(credits: { required: number; remaining: number }, { channel }: Send): Refusal {
  return insufficientCredits(credits, MESSAGE_TYPE_NAMES[MESSAGE_TYPES[channel]])
}
