import { strict as assert } from 'node:assert'
import { insertSendEntries } from '../audit/entries.store.ts'
import { insertCallbacks } from '../callbacks/callbacks.store.ts'
import { type Forecast, forecastDifferences } from '../credits/balances.store.ts'
import { MESSAGE_TYPES, type MessageTypeId } from '../credits/credit.ts'
import { openPurse, type Purse } from '../credits/purse.ts'
import type { Database, Sql } from '../database/database.ts'
import { KEY_IN_USE, takeKeys } from '../http/idempotency.ts'
import { type AnswerKey, insertAnswers, type StoredAnswer } from '../http/idempotent-answers.store.ts'
import { Caps } from '../limits/caps.ts'
import type { ReachedLimits } from '../limits/reached-limits.ts'
import { Uses } from '../limits/uses.ts'
import { findMessageByExternalId, updateExternalIds } from '../messages/external-ids.store.ts'
import { recordMessageStates } from '../messages/message-events.ts'
import { insertForms } from '../messages/message-forms.store.ts'
import { drawMessageIds, insertMessages, type NewMessage, updateMessageCounts } from '../messages/new-messages.store.ts'
import { insertRcsMessages } from '../messages/rcs-messages.store.ts'
import { insertScheduled } from '../messages/scheduled-messages.store.ts'
import { insertBatches } from '../queue/batches.store.ts'
import { insertExpiries } from '../queue/expiries.store.ts'
import type { Seats } from '../queue/seat.ts'
import { insertRecipients } from '../recipients/recipients.store.ts'
import { insertShortLinks } from '../short-links/short-links.store.ts'
import { insertSubmits, toSubmits } from '../smpp-outbox/outbox.store.ts'
import { listStoppedPairs } from '../stops/stops.store.ts'
import { listSubscribers } from '../webhooks/events.store.ts'
import {
  alreadyProcessed,
  CONTESTED,
  isBegun,
  isForOtherPayer,
  PAYER_CHANGED,
  reservationOf,
  toAccepted,
  tooFewCredits,
  toStateKey
} from './accepted.ts'
import { type ClaimedExternalIds, claimExternalIds, nameOf, toExternalId } from './claim-external-ids.ts'
import { insertDeadlines } from './deadlines.store.ts'
import { toCapped } from './marketing.ts'
import {
  toCallbacks,
  toCommonLinks,
  toDeadlines,
  toExpiries,
  toForms,
  toLinks,
  toRcsMessages,
  toSendEntries
} from './message-rows.ts'
import { type Outcomes, type Planned, planSends, toCappedSend, toLimited, unconsentedOf } from './plan-few.ts'
import { Seating } from './seating.ts'
import type { Outcome, SmallSend } from './small-send.ts'

/* Sends of few recipients share a transaction. A refused send does not affect the others. */

export interface StoreOptions {
  /** Whether balances are locked before credits are reserved. Otherwise the database may refuse: `BALANCE_TOO_SMALL`. */
  isExact: boolean
  /** Where recipients can leave at once; undefined: all of them queue. */
  seats: Seats | undefined
  reached: ReachedLimits
}

/** The outcomes of sends, in their order. */
export interface Stored {
  outcomes: Outcome[]
  isAnyQueued: boolean
}

/** Stores sends of one channel in one transaction. Recipients with a seat leave after its commit. */
export async function storeTogether(
  database: Database,
  sends: readonly SmallSend[],
  options: StoreOptions
): Promise<Stored> {
  const seating = new Seating(options)
  const finish = await database
    .begin((database) => storeFew(database, sends, { ...options, seating }), { isReadFirst: true })
    .catch((error) => {
      seating.giveUp(error)
      throw error
    })
  seating.leave()
  return { outcomes: finish(), isAnyQueued: seating.isAnyQueued }
}

/** Returns what to call after the commit, for the outcomes. */
async function storeFew(
  database: Database,
  sends: readonly SmallSend[],
  { isExact, seating, reached }: { isExact: boolean; seating: Seating; reached: ReachedLimits }
): Promise<() => Outcome[]> {
  const [first] = sends
  assert(first && sends.every(({ send }) => send.channel === first.send.channel))
  const accountIds = sends.map(({ send }) => send.accountId)
  const messageType = MESSAGE_TYPES[first.send.channel]
  const open = (spenderIds: readonly number[]) => openPurse(database, { spenderIds, messageType, isLocked: isExact })
  const uses = new Uses({ isLocked: isExact, reached })
  const limited = sends.filter(({ send }) => send.limits.length > 0)
  const caps = new Caps({ isLocked: isExact })
  const capped = sends.flatMap((small) => toCappedSend(small) ?? [])
  // A repeated external id is refused before any wait. It must not wait for the balance of its account, and delay the
  // other sends.
  const isOpenedLater = isExact && sends.some(({ send }) => send.externalId !== undefined)
  // Independent statements leave together: fewer round trips to the database mean more sends a second.
  const [, ids, stopped, subscribers, unconsented, , , opened] = await Promise.all([
    takeKeys(
      database,
      sends.flatMap(({ keeping }) => keeping?.key ?? [])
    ),
    drawMessageIds(database, sends.length),
    listStoppedPairs(
      database,
      sends.flatMap(({ send, candidates }) => candidates.map(({ phone }) => ({ accountId: send.accountId, phone })))
    ),
    listSubscribers(database, { type: 'message_state', accountIds: [...new Set(accountIds)] }),
    unconsentedOf(database, sends),
    // Caps, then limits, then balances, as at the end: with locks, everybody takes them in one order.
    capped.length === 0 ? undefined : caps.load(database, capped),
    limited.length === 0 ? undefined : uses.load(database, limited.map(toLimited)),
    isOpenedLater ? undefined : open(accountIds)
  ])
  const outcomes = new Map<SmallSend, Outcome>()
  const planned = planSends(sends, { ids, stopped, unconsented, uses, caps, outcomes })
  if (outcomes.size > 0) await refuseRepeats(database, sends, outcomes)
  const externalIds = await claimExternalIds(database, planned)
  const purse = opened ?? (await open(planned.filter(externalIds.isFree).map(({ small }) => small.send.accountId)))
  const granted = reserveAll(planned, { purse, uses, caps, externalIds, outcomes })
  await externalIds.release(granted)
  let correction = (_accountId: number) => 0
  if (granted.length > 0) {
    const messages = seating.arrange(granted)
    const insert = (sql: Sql) => insertMessagesWhole(sql, granted, { messages, seating })
    const states = messages.filter((message) => isBegun(message) && subscribers.has(message.accountId))
    if (states.length > 0) {
      await insert(database)
      await recordMessageStates(database, states.map(toStateKey), subscribers)
    } else await database.atEnd(insert)
    // Encrypted here, while no balance is locked.
    const answers = granted.flatMap((message) => toAnswers(message, purse))
    // Last: all sends of an account wait for its rows here.
    await database.atEnd(async (sql) => {
      const [, found] = await Promise.all([
        capped.length === 0 ? undefined : caps.write(sql),
        purse.write(
          sql,
          (reference) => seating.leavesWhole(reference),
          limited.length === 0 ? [] : uses.statements(sql)
        ),
        storeAnswers(sql, answers, messageType),
        updateMessageCounts(
          sql,
          granted.map(({ small }) => small.send.accountId)
        )
      ])
      correction = found
    })
  }
  return () => {
    for (const { small, id, remaining } of granted) {
      const left = remaining + correction(small.send.accountId)
      outcomes.set(small, toAccepted(small.send, small.plan, id, left))
    }
    return sends.map((small) => outcomes.get(small) as Outcome)
  }
}

/**
 * A send that is repeated with its external id is told so, also when nobody would be left to send to by now: its people have
 * opted out, or the first one counted for their cap.
 */
async function refuseRepeats(database: Database, sends: readonly SmallSend[], outcomes: Outcomes): Promise<void> {
  for (const small of sends) {
    const { accountId, externalId, replacing } = small.send
    const outcome = outcomes.get(small)
    if (externalId === undefined || !outcome || outcome === CONTESTED || outcome === KEY_IN_USE) continue
    const found = await findMessageByExternalId(database, { accountId, externalId })
    if (found !== undefined && found !== replacing?.id) outcomes.set(small, alreadyProcessed())
  }
}

/** A planned message whose credits are reserved. */
interface Granted extends Planned {
  remaining: number
}

/**
 * Reserves the credits of each message, in order. Of several messages with one external id, the first granted message
 * gets the id.
 */
function reserveAll(
  planned: readonly Planned[],
  {
    purse,
    uses,
    caps,
    externalIds,
    outcomes
  }: { purse: Purse; uses: Uses; caps: Caps; externalIds: ClaimedExternalIds; outcomes: Outcomes }
): Granted[] {
  const granted: Granted[] = []
  const used = new Set<string>()
  for (const message of planned) {
    const { small } = message
    const externalId = nameOf(message)
    const isRepeat = !externalIds.isFree(message) || (externalId !== undefined && used.has(externalId))
    const { limits } = small.send
    const { credits } = small.plan.totals
    const overTheDay = isRepeat || limits.length === 0 ? undefined : uses.refusalOf(limits, credits)
    const isOutdated = !isRepeat && isForOtherPayer(small.plan, purse.payerOf(small.send.accountId))
    const movement = isRepeat || isOutdated || overTheDay ? undefined : purse.reserve(toReserve(message))
    if (isOutdated) outcomes.set(small, PAYER_CHANGED)
    else if (overTheDay) outcomes.set(small, overTheDay)
    else if (!movement) outcomes.set(small, externalIds.isContested(message) ? CONTESTED : alreadyProcessed())
    else if (movement.kind === 'insufficient') outcomes.set(small, tooFewCredits(movement, small.send))
    else {
      granted.push({ ...message, remaining: movement.remaining })
      if (limits.length > 0) uses.count(limits, { phones: message.recipients.map(({ phone }) => phone), credits })
      const cappedSend = small.send.cap && toCapped(small.send, message.recipients)
      if (cappedSend) caps.count(cappedSend, message.id)
      if (externalId !== undefined) used.add(externalId)
    }
  }
  return granted
}

/** The answer of a send with an Idempotency-Key. It tells the balance as far as it is known before it is written. */
function toAnswers({ small: { keeping, send, plan }, id, remaining }: Granted, purse: Purse): Answer[] {
  if (!keeping) return []
  const answer = keeping.toAnswer(toAccepted(send, plan, id, remaining))
  return [{ stored: keeping.key.seal(answer), forecast: purse.forecast(send.accountId) }]
}

interface Answer {
  stored: AnswerKey & StoredAnswer
  forecast: Forecast
}

/** Right after the balances are written: only then is known what the answers could not tell. */
async function storeAnswers(sql: Sql, answers: readonly Answer[], messageType: MessageTypeId): Promise<void> {
  if (answers.length === 0) return
  const forecasts = answers.map(({ forecast }) => forecast)
  const differences = forecastDifferences(sql, forecasts, messageType)
  await insertAnswers(
    sql,
    answers.map(({ stored }) => stored),
    differences
  )
}

/** The statements that store messages, pipelined on the one connection of the transaction. */
async function insertMessagesWhole(
  sql: Sql,
  granted: readonly Granted[],
  { messages, seating }: { messages: readonly NewMessage[]; seating: Seating }
): Promise<void> {
  const [, , , , , , ids] = await Promise.all([
    updateExternalIds(sql, granted.flatMap(toExternalId)),
    insertMessages(sql, messages),
    insertForms(
      sql,
      granted.flatMap(({ small, id }) => toForms(small.send, id, { isMany: false }))
    ),
    insertRcsMessages(
      sql,
      granted.flatMap(({ small, id }) => toRcsMessages(small.send, small.plan, id))
    ),
    insertShortLinks(
      sql,
      granted.flatMap(({ small, id, recipients }) => [
        ...toCommonLinks(small.send, small.plan, id),
        ...toLinks(small.send, recipients, id)
      ])
    ),
    insertRecipients(
      sql,
      granted.flatMap(({ small, id, recipients }) =>
        recipients.map((recipient) => ({ ...recipient, accountId: small.send.accountId, messageId: id }))
      )
    ),
    insertBatches(sql, seating.batches),
    insertExpiries(
      sql,
      granted.flatMap(({ small, id }) => toExpiries(small.send, id))
    ),
    insertDeadlines(
      sql,
      granted.flatMap(({ small, id }) => toDeadlines(small.send, id))
    ),
    insertScheduled(
      sql,
      messages.filter(({ state }) => state === 'scheduled')
    ),
    insertSendEntries(
      sql,
      granted.flatMap(({ small, id }) => toSendEntries(small.send, id))
    ),
    insertCallbacks(
      sql,
      granted.flatMap(({ small, id }) => toCallbacks(small.send, id))
    ),
    insertSubmits(
      sql,
      granted.flatMap(({ small, id }) => toSubmits(small.send, id))
    )
  ])
  seating.setIds(ids)
}

function toReserve({ small: { send, plan }, id }: Planned) {
  return reservationOf(send, id, plan)
}
