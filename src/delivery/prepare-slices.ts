import type { OutboundMessage } from '../carriers/carrier.ts'
import { channelOfWay, parseWay } from '../carriers/routes.ts'
import { nextMarketingMoment } from '../compliance/allowed-hours.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { lockUncancelled } from '../messages/totals.store.ts'
import { lockHeld, markSubmitting } from '../queue/claims.store.ts'
import { lockToSubmit } from '../queue/submit-locks.store.ts'
import { type Ending, keyOf, type Move, type RecipientKey } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { channelOf, RECIPIENT_STATES } from '../recipients/recipient.ts'
import { listAtPositions, type RecipientAtPosition } from '../recipients/recipients.store.ts'
import type { Step } from '../recipients/timeline.store.ts'
import { listStoppedPairs } from '../stops/stops.store.ts'
import type { HeldBatch, Left, Slice } from './held-batch.ts'
import { type LiveMessage, listLiveMessages } from './live-messages.store.ts'
import { createOutbound, type OutboundOf } from './outbound.ts'

/** One recipient that is to be handed over now. */
export interface Submission extends RecipientKey {
  held: HeldBatch
  outbound: OutboundMessage
  /** The carrier that may have it, although no answer came. */
  mayBeAt: string | null
}

/** A recipient that is not to be sent to any more. */
export interface Dropped extends RecipientKey {
  held: HeldBatch
  ending: Ending
}

export interface Prepared {
  submissions: Submission[]
  /** Recipients that opted out, or whose time is over. */
  dropped: Dropped[]
  /** What waits for its hour, by batch. */
  left: Map<HeldBatch, Left[]>
  /** Batches that are somebody else's by now. */
  lost: HeldBatch[]
}

/**
 * Right before anything leaves, for some recipients of many messages in one transaction: finds who said STOP, whose time is
 * over and who may not be written to at this hour, and marks the others as being submitted. Each batch has one slice.
 */
export async function prepareSlices(
  database: Database,
  slices: readonly Slice[],
  { carrier, defaultSender, leaseSeconds }: { carrier: string | null; defaultSender: string; leaseSeconds: number }
): Promise<Prepared> {
  const batches = slices.map(({ held }) => held.batch)
  const [, live, recipients] = await Promise.all([
    lockToSubmit(
      database,
      batches.map(({ messageId }) => messageId)
    ),
    // Sent with the lock and answered after it: nobody can cancel, or say STOP, in between.
    listLiveMessages(database, batches),
    listAtPositions(
      database,
      slices.map(({ held: { batch }, positions }) => ({ ...batch, positions }))
    )
  ])
  const waiting = recipients.filter(({ state }) => state === RECIPIENT_STATES.waiting)
  const messages = new Map(live.map((message) => [message.messageId, message]))
  const [stopped, outboundOf] = await Promise.all([
    listStoppedPairs(database, waiting),
    createOutbound(database, live, { defaultSender })
  ])
  const byMessage = Map.groupBy(waiting, ({ messageId }) => messageId)
  const dropped: Dropped[] = []
  const submissions: Submission[] = []
  const left = new Map<HeldBatch, Left[]>()
  for (const { held, positions } of slices) {
    const message = messages.get(held.batch.messageId)
    if (!message) continue
    const wanted = new Set(positions)
    const recipients = byMessage.get(message.messageId)?.filter(({ position }) => wanted.has(position)) ?? []
    const sorted = sortOut(message, held, recipients, { stopped: stopped.get(message.accountId), outboundOf })
    dropped.push(...sorted.dropped)
    submissions.push(...sorted.submissions)
    if (sorted.left.length > 0) left.set(held, sorted.left)
  }
  const byBatch = Map.groupBy(submissions, ({ held }) => held)
  const marks = slices.map(({ held }) => ({
    batch: held.batch,
    // Without a carrier nothing is ever on its way: whoever takes over, or cancels, finds recipients that only wait.
    positions: carrier === null ? [] : (byBatch.get(held)?.map(({ position }) => position) ?? [])
  }))
  const marked = new Set((await markSubmitting(database, { carrier, leaseSeconds, marks })).map(({ id }) => id))
  return {
    submissions: submissions.filter(({ held }) => marked.has(held.batch.id)),
    dropped,
    left,
    lost: slices.filter(({ held }) => !marked.has(held.batch.id)).map(({ held }) => held)
  }
}

interface SortedOut {
  submissions: Submission[]
  dropped: Dropped[]
  left: Left[]
}

function sortOut(
  message: LiveMessage,
  held: HeldBatch,
  recipients: readonly RecipientAtPosition[],
  { stopped = NOBODY, outboundOf }: { stopped?: ReadonlySet<string> | undefined; outboundOf: OutboundOf }
): SortedOut {
  const sorted: SortedOut = { submissions: [], dropped: [], left: [] }
  const { expiresAt } = held.batch
  const isExpired = expiresAt.getTime() <= databaseNow().getTime()
  const delays = new Map<string, number>()
  const channel = channelOfWay(parseWay(held.batch.route))
  for (const recipient of recipients) {
    const { accountId, messageId, position, phone, country } = recipient
    // An RCS that fell back is no longer sent as RCS.
    if (channel !== channelOf(recipient, message)) continue
    if (stopped.has(phone)) {
      sorted.dropped.push({ accountId, messageId, position, ending: 'stopped', held })
      continue
    }
    if (isExpired) {
      sorted.dropped.push({ accountId, messageId, position, ending: 'expired', held })
      continue
    }
    const delaySeconds = delays.get(country) ?? secondsUntilAllowed(message, country)
    delays.set(country, delaySeconds)
    if (delaySeconds > 0) {
      sorted.left.push({ position, delaySeconds, isTried: false })
      continue
    }
    const outbound = { ...outboundOf(message, recipient), expiresAt }
    const mayBeAt = channel === 'rcs' ? recipient.carrier : null
    sorted.submissions.push({ accountId, messageId, position, held, outbound, mayBeAt })
  }
  return sorted
}

const NOBODY: ReadonlySet<string> = new Set()

/** Marketing that is late, after an outage or behind a long campaign, must keep to the hours too. */
function secondsUntilAllowed(message: LiveMessage, country: string): number {
  if (message.category !== 'marketing') return 0
  const now = databaseNow()
  return Math.ceil((nextMarketingMoment(now, country, message).getTime() - now.getTime()) / 1000)
}

/**
 * Drops those that are not to be sent to any more, with their credits back. They were not marked; of a batch that is somebody
 * else's by now, they may be.
 */
export async function dropRecipients(database: Database, dropped: readonly Dropped[]): Promise<void> {
  if (dropped.length === 0) return
  const uncancelled = await lockUncancelled(database, dropped)
  const ours = await lockHeld(database, [...new Set(dropped.map(({ held }) => held.batch))])
  await moveRecipients(
    database,
    dropped
      .filter(({ messageId, held }) => uncancelled.has(messageId) && ours.has(held.batch.id))
      .map((one): Move => ({ ...keyOf(one), kind: 'dropped', ending: one.ending, step: toStep(one.ending) }))
  )
}

function toStep(ending: Ending): Step {
  return { step: ending, detail: DETAILS[ending], carrier: null }
}

const DETAILS: Record<Ending, string> = {
  stopped: 'The number had opted out before the message left.',
  expired: 'It could not leave in time.'
}
