import { strict as assert } from 'node:assert'
import type { Static } from 'typebox'
import { insertSendEntries } from '../audit/entries.store.ts'
import { insertCallbacks } from '../callbacks/callbacks.store.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { findSpendable } from '../credits/credits.store.ts'
import { reserveCredits } from '../credits/reservations.ts'
import { type Database, liftStatementTimeout, type Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import {
  addCampaignUses,
  createCampaignNotes,
  deleteCampaignNotes,
  lockCampaigns,
  lockNotedPeople,
  noteCampaignPeople
} from '../limits/caps.store.ts'
import { Caps } from '../limits/caps.ts'
import { lockNotedNumbers } from '../limits/uses.store.ts'
import { Uses } from '../limits/uses.ts'
import { insertExternalIds, lockLongSend, updateExternalIds } from '../messages/external-ids.store.ts'
import { recordMessageStates } from '../messages/message-events.ts'
import { insertForms } from '../messages/message-forms.store.ts'
import { findMessage, updateReplacedBy } from '../messages/messages.store.ts'
import {
  drawMessageIds,
  insertMessages,
  type NewMessage,
  updateDeparting,
  updateMessageCounts
} from '../messages/new-messages.store.ts'
import { insertRcsMessages, updatePriceVersions } from '../messages/rcs-messages.store.ts'
import { insertScheduled } from '../messages/scheduled-messages.store.ts'
import { insertBatches } from '../queue/batches.store.ts'
import { insertExpiries } from '../queue/expiries.store.ts'
import { copyRecipients } from '../recipients/recipients.store.ts'
import { sumWaiting } from '../recipients/waiting-recipients.store.ts'
import { copyShortLinks, insertShortLinks } from '../short-links/short-links.store.ts'
import { insertSubmits, toSubmits } from '../smpp-outbox/outbox.store.ts'
import { listStopped } from '../stops/stops.store.ts'
import { createBreath } from '../workers/breath.ts'
import {
  type Accepted,
  alreadyProcessed,
  CONTESTED,
  isBegun,
  isForOtherPayer,
  PAYER_CHANGED,
  refuseOtherPrice,
  reservationOf,
  toAccepted,
  tooFewCredits,
  toStateKey
} from './accepted.ts'
import { lateWarnings } from './deadline.ts'
import { insertDeadlines } from './deadlines.store.ts'
import { forecastPlan, type ReadPaces } from './forecast.ts'
import { createDays, toCapped, unconsentedAmong, withoutDropped } from './marketing.ts'
import {
  toBatches,
  toCallbacks,
  toCommonLinks,
  toDeadlines,
  toExpiries,
  toForms,
  toLinks,
  toMessage,
  toRcsMessages,
  toSendEntries
} from './message-rows.ts'
import { type Candidate, type Drops, type GivenRecipient, Plan, type PlannedRecipient } from './plan.ts'
import type { RecipientSource } from './recipient-source.ts'
import { canPay } from './replace.ts'
import type { Routing } from './routing.ts'
import type { Send } from './send.ts'
import { type SmsDryRunView, toDryRun, toStart } from './send-answer.ts'

/* A send of many recipients is a stream, in a transaction of its own. */

/** Recipients checked and stored at a time. */
const CHUNK = 2_000
/** Recipients checked before other requests may run: parsing an invalid number, or checking a carousel, is slow. */
const AT_ONCE = 50

/** `departing` is the id of a message that was stored before, without recipients. */
interface StoreManyOptions {
  isExact: boolean
  departing?: number
}

export async function storeMany(
  database: Database,
  send: Send,
  source: RecipientSource,
  routing: Routing,
  options: StoreManyOptions
): Promise<Accepted> {
  return takeCredits(database, await storeUnpaid(database, send, source, routing, options))
}

/** A message that is stored, and whose credits are to be taken before its transaction ends. */
export interface Unpaid {
  send: Send
  id: number
  plan: Plan
  uses: Uses
  isDeparting: boolean
}

/** All of `storeMany` but its end, for several messages of one transaction. */
export async function storeUnpaid(
  database: Database,
  send: Send,
  source: RecipientSource,
  routing: Routing,
  { isExact, departing }: StoreManyOptions
): Promise<Unpaid> {
  await liftStatementTimeout(database)
  const { accountId } = send
  const id = departing ?? (await drawMessage(database, send))
  // Past the balance, recipients are no longer stored: they are only counted, for the error that says how much is
  // missing.
  const spendable =
    (await findSpendable(database, { accountId, messageType: MESSAGE_TYPES[send.channel] })) +
    (send.replacing?.refunded ?? 0)
  const plan = new Plan(send, routing, source.path)
  // Its numbers are locked below, all at once, and its days at the end: other sends of the account go on meanwhile.
  const uses = new Uses({ isLocked: false })
  const { cap } = send
  if (cap) await lockCampaigns(database, accountId)
  const isLimited = send.limits.some(({ messagesPerNumber }) => messagesPerNumber !== null)
  if (cap || isLimited) await createCampaignNotes(database)
  if (isLimited || (cap && isExact)) await lockPeople(database, send, source, routing)
  const dayTo = createDays(send)
  for await (const candidates of sifted(source.read(database), plan)) {
    const recipients = await takeAll(plan, candidates, await droppedAmong(database, send, candidates, uses))
    if (plan.totals.credits <= spendable && recipients.length > 0) {
      await copyRecipients(database, { accountId, id }, recipients)
      await copyShortLinks(database, toLinks(send, recipients, id))
      if (cap) {
        await noteCampaignPeople(
          database,
          recipients.map((recipient) => ({ phone: recipient.phone, day: dayTo(recipient) }))
        )
      }
      uses.count(send.limits, { phones: recipients.map(({ phone }) => phone), credits: 0 })
      await uses.write(database)
    }
    uses.forgetNumbers()
  }
  plan.refuseIfEmpty()
  refuseOtherPrice(send, plan)
  if (plan.totals.credits > spendable)
    throw tooFewCredits({ required: plan.totals.credits, remaining: spendable }, send)
  await insertRows(database, { send, plan, id, isDeparting: departing !== undefined })
  await source.onStored?.(database, id)
  if (cap) await addCampaignUses(database, { accountId, messageId: id, ...cap })
  return { send, id, plan, uses, isDeparting: departing !== undefined }
}

/** All rows of a message but its recipients and their links. */
async function insertRows(
  database: Database,
  { send, plan, id, isDeparting }: Pick<Unpaid, 'send' | 'plan' | 'id' | 'isDeparting'>
): Promise<void> {
  const message = toMessage(send, plan, id)
  if (isDeparting) {
    await updateDeparting(database, message)
    // Its prices are those of now, and not those of the day when it was scheduled.
    if (send.channel === 'rcs') {
      await updatePriceVersions(database, { accountId: send.accountId, id, ...plan.prices.versions })
    }
  } else await insertMessage(database, { send, plan }, message)
  await insertShortLinks(database, toCommonLinks(send, plan, id))
  await insertBatches(database, toBatches(send, plan, id))
  await insertExpiries(database, toExpiries(send, id))
  await insertScheduled(database, message.state === 'scheduled' ? [message] : [])
  if (isBegun(message)) await recordMessageStates(database, [toStateKey(message)])
}

/**
 * The end of a send. The balance is last: a small send of this account waits for it until the commit, and so do all sends in
 * its transaction.
 */
export async function takeCredits(
  database: Database,
  { send, id, plan, uses, isDeparting }: Unpaid
): Promise<Accepted> {
  await uses.lockDays(database)
  const overTheDay = uses.refusalOf(send.limits, plan.totals.credits)
  if (overTheDay) throw overTheDay
  uses.count(send.limits, { phones: [], credits: plan.totals.credits })
  await uses.write(database)
  await send.replacing?.postRefund()
  const [movement] = await reserveCredits(database, [reservationOf(send, id, plan)])
  assert(movement)
  if (isForOtherPayer(plan, movement.payerId)) throw PAYER_CHANGED
  if (movement.kind === 'insufficient') throw tooFewCredits(movement, send)
  if (!isDeparting) await updateMessageCounts(database, [send.accountId])
  return toAccepted(send, plan, id, movement.remaining)
}

/** Draws the id of a new message, and claims its external id. */
export async function drawMessage(database: Database, { accountId, externalId, replacing }: Send): Promise<number> {
  const [id] = await drawMessageIds(database, 1)
  assert(id)
  if (externalId !== undefined && externalId === replacing?.externalId) {
    await updateExternalIds(database, [{ accountId, externalId, messageId: id }])
  } else if (externalId !== undefined) {
    const claimed = { accountId, externalId, messageId: id }
    await lockLongSend(database, claimed)
    const [claim] = await insertExternalIds(database, [claimed])
    if (!claim?.isTaken) throw claim?.isContested ? CONTESTED : alreadyProcessed()
  }
  return id
}

/** The rows that a message has from the beginning, whether it has recipients yet or not. */
export async function insertMessage(
  database: Database,
  { send, plan }: { send: Send; plan: Plan },
  message: NewMessage
): Promise<void> {
  const { accountId, id } = message
  const { replacing } = send
  await insertMessages(database, [message])
  if (replacing) await updateReplacedBy(database, { accountId, id: replacing.id, replacedBy: id })
  await insertForms(database, toForms(send, id, { isMany: true }))
  await insertRcsMessages(database, toRcsMessages(send, plan, id))
  await insertSendEntries(database, toSendEntries(send, id))
  await insertCallbacks(database, toCallbacks(send, id))
  await insertSubmits(database, toSubmits(send, id))
  await insertDeadlines(database, toDeadlines(send, id))
}

/**
 * Locks all people of a send before any of it is stored, in one order: caps, then limits, each by number. In chunks, as they
 * come, two sends could wait for each other. Costs a second reading of the source.
 */
async function lockPeople(database: Database, send: Send, source: RecipientSource, routing: Routing): Promise<void> {
  const { accountId, cap, limits } = send
  const dayTo = createDays(send)
  for await (const candidates of sifted(source.read(database), new Plan(send, routing, source.path))) {
    await noteCampaignPeople(
      database,
      candidates.map((candidate) => ({ phone: candidate.phone, day: cap ? dayTo(candidate) : null }))
    )
  }
  if (cap) await lockNotedPeople(database, { accountId })
  for (const { accountId, messagesPerNumber: allowed } of limits.toSorted((a, b) => a.accountId - b.accountId)) {
    if (allowed !== null) await lockNotedNumbers(database, { accountId, allowed })
  }
  await deleteCampaignNotes(database)
}

/** Dry-runs a send: the same plan, and nothing is stored. */
export async function dryRun(
  database: Database,
  send: Send,
  source: RecipientSource,
  { routing, readPaces }: { routing: Routing; readPaces: ReadPaces }
): Promise<Static<typeof SmsDryRunView>> {
  return database.begin(async (database) => {
    const { plan, uses } = await planAlone(database, send, source, routing)
    plan.refuseIfEmpty()
    const overTheDay = uses.refusalOf(send.limits, plan.totals.credits)
    if (overTheDay) throw overTheDay
    const { accountId, channel, options } = send
    const spendable = await findSpendable(database, { accountId, messageType: MESSAGE_TYPES[channel] })
    const finishesAt = await forecastPlan(database, send, plan, readPaces)
    const { totals, barredCountries, unpricedCountries } = plan
    const warnings = [...plan.warnings, ...lateWarnings(finishesAt, options)]
    const remaining = spendable + (await refundOf(database, send))
    return {
      ...toDryRun({ totals, barredCountries, unpricedCountries, warnings }, remaining),
      ...toStart(plan, send),
      finishes_at: finishesAt.toISOString()
    }
  })
}

/** What comes back when a send takes the place of another message. */
async function refundOf(sql: Sql, send: Send): Promise<number> {
  const { accountId, replaces: id } = send
  if (id === undefined) return 0
  const message = await findMessage(sql, { accountId, id })
  if (!message) throw notFound('message')
  return (await canPay(sql, message, send)) ? (await sumWaiting(sql, { accountId, id }, { except: [] })).credits : 0
}

/** The plan of a send as it would be now. `isAnybody` tells whether its source had anybody, whom it may have dropped. */
export async function planAlone(database: Database, send: Send, source: RecipientSource, routing: Routing) {
  const plan = new Plan(send, routing, source.path)
  const uses = new Uses({ isLocked: false })
  let isAnybody = false
  for await (const candidates of sifted(source.read(database), plan)) {
    isAnybody = true
    await takeAll(plan, candidates, await droppedAmong(database, send, candidates, uses))
    uses.forgetNumbers()
  }
  return { plan, uses, isAnybody }
}

/** The people of a source whom a send may write to now, in chunks; the plan counts the others. Nothing is stored. */
export async function* readReachable(
  database: Database,
  plan: Plan,
  { send, source }: { send: Send; source: RecipientSource }
): AsyncGenerator<Candidate[]> {
  const uses = new Uses({ isLocked: false })
  for await (const candidates of sifted(source.read(database), plan)) {
    yield plan.keep(candidates, await droppedAmong(database, send, candidates, uses))
    uses.forgetNumbers()
  }
}

/** Candidates in chunks of one size, whatever the size of the source's chunks. */
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

export async function takeAll(
  plan: Plan,
  candidates: readonly Candidate[],
  dropped: Drops
): Promise<PlannedRecipient[]> {
  const breathe = createBreath()
  const planned: PlannedRecipient[] = []
  for (let at = 0; at < candidates.length; at += AT_ONCE) {
    planned.push(...plan.take(candidates.slice(at, at + AT_ONCE), dropped))
    await breathe()
  }
  return planned
}

/** The numbers that are opted out, have no consent, or have had enough messages. */
async function droppedAmong(sql: Sql, send: Send, candidates: readonly Candidate[], uses: Uses): Promise<Drops> {
  const { accountId, limits } = send
  const phones = candidates.map(({ phone }) => phone)
  const stopped = await listStopped(sql, { accountId, phones })
  const unconsented = await unconsentedAmong(sql, send, phones)
  const dropped = { stopped, unconsented: unconsented ?? NO_PHONES }
  const left = withoutDropped(candidates, send, dropped)
  const capped = await cappedAmong(sql, send, left)
  if (limits.length === 0) return { ...dropped, capped, full: NO_PHONES }
  await uses.load(sql, [{ limits, phones }])
  const wanted = left.map(({ phone }) => phone).filter((phone) => !capped.has(phone))
  return { ...dropped, capped, full: uses.fullAmong(limits, wanted) }
}

/** Without locks: what a campaign counts is written at its end, in one order. */
async function cappedAmong(sql: Sql, send: Send, people: readonly Candidate[]): Promise<ReadonlySet<string>> {
  const cappedSend = toCapped(send, people)
  if (!cappedSend) return NO_PHONES
  const caps = new Caps({ isLocked: false })
  await caps.load(sql, [cappedSend])
  return caps.cappedAmong(cappedSend)
}

const NO_PHONES: ReadonlySet<string> = new Set()
