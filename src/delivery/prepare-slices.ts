import type { OutboundMessage } from '../carriers/carrier.ts'
import { channelOfWay, parseWay } from '../carriers/routes.ts'
import { nextMarketingMoment, placeOf } from '../compliance/allowed-hours.ts'
import type { SenderRegister } from '../compliance/sender-register.ts'
import { MARKETING } from '../consents/consent.ts'
import { listConsented } from '../consents/consents.store.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { isDistributed } from '../database/shape.ts'
import { type ConsentMode, strictest } from '../http/consent-mode.ts'
import { lockUncancelled } from '../messages/totals.store.ts'
import { SMALL_MAX } from '../queue/batch.ts'
import { lockHeld } from '../queue/leases.store.ts'
import { markSubmitting } from '../queue/marks.store.ts'
import { lockToSubmit } from '../queue/submit-locks.store.ts'
import { type Ending, keyOf, type Move, type RecipientKey } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { listAtPositions, listRecipientsAt, type RecipientAtPosition } from '../recipients/positions.store.ts'
import { channelOf, RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { lockRecipients } from '../recipients/recipient-locks.store.ts'
import type { Step } from '../recipients/timeline.store.ts'
import { listStoppedPairs } from '../stops/stops.store.ts'
import type { TraceContext } from '../traces/trace-context.ts'
import type { HeldBatch, ReturnedPosition, Slice } from './held-batch.ts'
import { type LiveMessage, listLiveMessages } from './live-messages.store.ts'
import { createOutbound, type OutboundOf } from './outbound.ts'
import type { SubmitSpan } from './trace-submits.ts'

/** One recipient to hand to the carrier now. */
export interface PreparedSubmit extends RecipientKey {
  held: HeldBatch
  outbound: OutboundMessage
  country: string
  /** The carrier that may have this recipient's RCS already, although its answer never came. */
  mayBeAt: string | null
  /** The context of its message's acceptance; null without traces. */
  trace: TraceContext | null
  /** Whether its message has so few recipients that each has a span of its own. */
  isOfFew: boolean
  /** Set while it is handed over. */
  span?: SubmitSpan | undefined
}

/** A recipient that opted out, or whose message has expired, or whose sender was disabled. */
export interface Dropped extends RecipientKey {
  held: HeldBatch
  ending: Ending | 'sender_disabled'
  /** Why, for the timeline. */
  detail: string
}

/** The senders that no message may leave under. */
export type Senders = Pick<SenderRegister, 'isDisabled'>

export interface Prepared {
  submits: PreparedSubmit[]
  dropped: Dropped[]
  /** Recipients that wait for allowed hours, or whose message is paused, by batch. */
  returned: Map<HeldBatch, ReturnedPosition[]>
  /** Batches whose lease is lost. */
  lost: HeldBatch[]
}

/**
 * The last checks before a submit, for some recipients of many messages in one transaction. It finds recipients that opted
 * out, have expired, wait for a resume, or may not get marketing at this hour. It marks the others as being submitted. Each batch has one slice.
 */
export async function prepareSlices(
  database: Database,
  slices: readonly Slice[],
  {
    carrier,
    defaultSender,
    senders,
    leaseSeconds,
    consent
  }: { carrier: string | null; defaultSender: string; senders: Senders; leaseSeconds: number; consent: ConsentMode }
): Promise<Prepared> {
  const batches = slices.map(({ held }) => held.batch)
  const [, live, found] = await Promise.all([
    lockToSubmit(
      database,
      batches.map(({ messageId }) => messageId)
    ),
    // Sent together with the lock and answered after it: no cancel and no STOP can come in between.
    listLiveMessages(database, batches),
    listAtPositions(
      database,
      slices.map(({ held: { batch }, positions }) => ({ ...batch, positions }))
    )
  ])
  const recipients = await listCommitted(database, found)
  const waiting = recipients.filter(({ state }) => state === RECIPIENT_STATES.waiting)
  const count = slices.reduce((sum, { positions }) => sum + positions.length, 0)
  const isAbsent = recipients.length < count ? absenceFrom(recipients) : undefined
  const messages = new Map(live.map((message) => [message.messageId, message]))
  const [stopped, withdrawn, outboundOf] = await Promise.all([
    listStoppedPairs(database, waiting),
    listUnconsented(database, live, waiting, consent),
    createOutbound(database, live, { defaultSender })
  ])
  const byMessage = Map.groupBy(waiting, ({ messageId }) => messageId)
  const dropped: Dropped[] = []
  const submits: PreparedSubmit[] = []
  const returned = new Map<HeldBatch, ReturnedPosition[]>()
  for (const { held, positions } of slices) {
    const message = messages.get(held.batch.messageId)
    if (!message) continue
    const inSlice = new Set(positions)
    const recipients = byMessage.get(message.messageId)?.filter(({ position }) => inSlice.has(position)) ?? []
    const sorted = sortOut(message, held, recipients, {
      stopped: stopped.get(message.accountId),
      unconsented: withdrawn.get(message.messageId),
      outboundOf,
      senders
    })
    dropped.push(...sorted.dropped)
    submits.push(...sorted.submits)
    const absent = isAbsent ? positions.filter((position) => isAbsent(message.messageId, position)) : NO_POSITIONS
    const back = [...sorted.returned, ...absent.map(toLater)]
    if (back.length > 0) returned.set(held, back)
  }
  const byBatch = Map.groupBy(submits, ({ held }) => held)
  const marks = slices.map(({ held }) => ({
    batch: held.batch,
    // Without a carrier nothing is submitted: for a cancel, or the next holder, these recipients only wait.
    positions: carrier === null ? [] : (byBatch.get(held)?.map(({ position }) => position) ?? [])
  }))
  const marked = new Set((await markSubmitting(database, { carrier, leaseSeconds, marks })).map(({ id }) => id))
  return {
    submits: submits.filter(({ held }) => marked.has(held.batch.id)),
    dropped,
    returned,
    lost: slices.filter(({ held }) => !marked.has(held.batch.id)).map(({ held }) => held)
  }
}

const NO_POSITIONS: readonly number[] = []
/** A node that died between the two phases of a commit takes some seconds to complete it. */
const ABSENT_DELAY_SECONDS = 1

/**
 * The recipients as their last commit left them. On a cluster, a commit may have put a recipient back to waiting, and may not
 * have reached its node yet. To leave it out now would be for ever.
 */
async function listCommitted(
  database: Database,
  found: readonly RecipientAtPosition[]
): Promise<readonly RecipientAtPosition[]> {
  if (!isDistributed()) return found
  const others = found.filter(({ state }) => state !== RECIPIENT_STATES.waiting)
  if (others.length === 0) return found
  await lockRecipients(database, others)
  const waiting = found.filter(({ state }) => state === RECIPIENT_STATES.waiting)
  return [...waiting, ...(await listRecipientsAt(database, others))]
}

/** Tells recipients of live messages that are not there: on a cluster, the commit that stored them has not reached their node yet. */
function absenceFrom(recipients: readonly RecipientKey[]): (messageId: number, position: number) => boolean {
  const ids = new Set(recipients.map(toRecipientId))
  return (messageId, position) => !ids.has(toRecipientId({ messageId, position }))
}

function toLater(position: number): ReturnedPosition {
  return { position, delaySeconds: ABSENT_DELAY_SECONDS, isTried: false }
}

interface SortedOut {
  submits: PreparedSubmit[]
  dropped: Dropped[]
  returned: ReturnedPosition[]
}

function sortOut(
  message: LiveMessage,
  held: HeldBatch,
  recipients: readonly RecipientAtPosition[],
  {
    stopped = NO_PHONES,
    unconsented = NO_PHONES,
    outboundOf,
    senders
  }: {
    stopped?: ReadonlySet<string> | undefined
    unconsented?: ReadonlySet<string> | undefined
    outboundOf: OutboundOf
    senders: Senders
  }
): SortedOut {
  const sorted: SortedOut = { submits: [], dropped: [], returned: [] }
  const { expiresAt } = held.batch
  const isExpired = expiresAt.getTime() <= databaseNow().getTime()
  const delays = new Map<string, number>()
  const channel = channelOfWay(parseWay(held.batch.route))
  const isMarketing = message.category === 'marketing'
  const { trace } = message
  const isOfFew = message.recipientsCount <= SMALL_MAX
  for (const recipient of recipients) {
    const { accountId, messageId, position, phone, country } = recipient
    // An RCS that fell back is no longer sent as RCS.
    if (channel !== channelOf(recipient, message)) continue
    if (stopped.has(phone) || unconsented.has(phone)) {
      const detail = stopped.has(phone) ? DETAILS.stopped : NO_CONSENT
      sorted.dropped.push({ accountId, messageId, position, ending: 'stopped', detail, held })
      continue
    }
    if (isExpired) {
      sorted.dropped.push({ accountId, messageId, position, ending: 'expired', detail: DETAILS.expired, held })
      continue
    }
    if (message.isPaused) {
      sorted.returned.push({ position, delaySeconds: 0, isTried: false, isPaused: true })
      continue
    }
    const place = isMarketing ? placeOf(country, phone) : ''
    const delaySeconds = delays.get(place) ?? secondsUntilAllowed(message, place)
    delays.set(place, delaySeconds)
    if (delaySeconds > 0) {
      sorted.returned.push({ position, delaySeconds, isTried: false })
      continue
    }
    const outbound = { ...outboundOf(message, recipient), expiresAt }
    if (channel === 'sms' && senders.isDisabled(accountId, outbound.from)) {
      const detail = DETAILS.sender_disabled
      sorted.dropped.push({ accountId, messageId, position, ending: 'sender_disabled', detail, held })
      continue
    }
    const mayBeAt = channel === 'rcs' ? recipient.carrier : null
    sorted.submits.push({ accountId, messageId, position, held, outbound, country, mayBeAt, trace, isOfFew })
  }
  return sorted
}

const NO_PHONES: ReadonlySet<string> = new Set()

/**
 * By message, the people who have no consent any more for the channel that the message leaves by: a consent to RCS alone is
 * none for the SMS that it falls back to. Only for marketing of accounts that enforce consent: for all others there is
 * nothing to ask.
 */
async function listUnconsented(
  database: Database,
  live: readonly LiveMessage[],
  waiting: readonly RecipientAtPosition[],
  least: ConsentMode
): Promise<Map<number, ReadonlySet<string>>> {
  const found = new Map<number, ReadonlySet<string>>()
  const asking = live.filter(({ consent }) => consent !== null && strictest(consent, least) === 'enforce')
  for (const message of asking) {
    const { accountId, messageId } = message
    const unconsented = new Set<string>()
    const recipients = waiting.filter((recipient) => recipient.messageId === messageId)
    for (const [channel, some] of Map.groupBy(recipients, (recipient) => channelOf(recipient, message))) {
      const phones = some.map(({ phone }) => phone)
      const consented = await listConsented(database, { accountId, phones, purpose: MARKETING, channels: [channel] })
      for (const phone of phones) if (!consented.has(phone)) unconsented.add(phone)
    }
    found.set(messageId, unconsented)
  }
  return found
}

/** Late marketing, after an outage or behind a long campaign, keeps to the allowed hours too. */
function secondsUntilAllowed(message: LiveMessage, place: string): number {
  if (message.category !== 'marketing') return 0
  const now = databaseNow()
  return Math.ceil((nextMarketingMoment(now, place, message).getTime() - now.getTime()) / 1000)
}

/**
 * Ends dropped recipients and refunds their credits. Leaves out batches whose lease is lost: their new holder may be
 * submitting these recipients.
 */
export async function dropRecipients(database: Database, dropped: readonly Dropped[]): Promise<void> {
  if (dropped.length === 0) return
  const uncancelled = await lockUncancelled(database, dropped)
  const ours = await lockHeld(database, [...new Set(dropped.map(({ held }) => held.batch))])
  await moveRecipients(
    database,
    dropped.filter(({ messageId, held }) => uncancelled.has(messageId) && ours.has(held.batch.id)).map(toMove)
  )
}

/** Ends the waiting recipients of a batch whose time is over. */
export async function dropExpired(database: Database, held: HeldBatch): Promise<void> {
  const { accountId, messageId } = held.batch
  const positions = held.take(held.waitingCount)
  const dropped = positions.map((position): Dropped => {
    return { accountId, messageId, position, ending: 'expired', detail: DETAILS.expired, held }
  })
  await dropRecipients(database, dropped)
}

function toMove(dropped: Dropped): Move {
  const { ending } = dropped
  const move = { ...keyOf(dropped), step: toStep(dropped) }
  if (ending !== 'sender_disabled') return { ...move, kind: 'dropped', ending }
  // Only an SMS has a sender, and no carrier has it yet: nothing is revoked.
  const { waiting: from, cancelled: to } = RECIPIENT_STATES
  return { ...move, kind: 'decided', from, to, errorCode: ending, refund: 'all' }
}

function toStep({ ending, detail }: Dropped): Step {
  return { step: ending, detail, carrier: null }
}

const NO_CONSENT = 'The person had no consent any more when the message was to leave.'

const DETAILS: Record<Dropped['ending'], string> = {
  stopped: 'The number had opted out before the message left.',
  expired: 'It could not leave in time.',
  sender_disabled: 'Its sender was disabled before the message left.'
}
