import type { Carrier, OutboundMessage, SubmitOutcome } from '../carriers/carrier.ts'
import { nextMarketingMoment } from '../compliance/allowed-hours.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { refundCredits, settleCredits } from '../credits/ledger.ts'
import type { Database, Pool } from '../database/database.ts'
import { referenceOf } from '../messages/accept-messages.ts'
import { LANES } from '../messages/message.ts'
import { RECIPIENT_STATES, type RecipientState, toRecipientId } from '../messages/recipient.ts'
import { listStopped } from '../stops/stops.store.ts'
import { type ClaimedBatch, claimBatches, deleteClaimed, extendLease, giveBack } from './claims.store.ts'
import {
  type LiveMessage,
  listOpen,
  lockIsCancelled,
  lockLiveMessage,
  type Move,
  markSubmitting,
  moveRecipients,
  type Submission,
  updateCounts
} from './submissions.store.ts'

/*
 * Hands batches over to a carrier. A batch is claimed with a lease; of its recipients some at a time are marked as being
 * submitted, handed over, and settled with what the carrier said. What is left goes back into the queue. A recipient moves
 * waiting → submitting → sent or rejected, or waiting → stopped; each move is conditional on where it begins, so that
 * cancels, other workers and late ones can't make two of it.
 */

const LEASE_SECONDS = 30
const BATCHES_AT_ONCE = 4
/** Recipients that are marked and handed over together: what a crash leaves in doubt. */
const SUBMIT_AT_ONCE = 50
/** A recipient in doubt is looked at again after this. */
const IN_DOUBT_SECONDS = 60

export interface Delivery {
  pool: Pool
  carrier: Carrier
  /** Names this worker among all. */
  workerId: string
}

/** Claims and delivers what is due: transactional before marketing, and inside a lane accounts take turns. */
export function createDelivery(delivery: Delivery) {
  const turns = new Map<number, number>()

  return async function deliverDue(): Promise<{ isMoreDue: boolean }> {
    for (const lane of Object.values(LANES)) {
      const batches = await claimInTurn(lane)
      if (batches.length === 0) continue
      await Promise.all(batches.map((batch) => deliverBatch(delivery, batch)))
      return { isMoreDue: true }
    }
    return { isMoreDue: false }
  }

  async function claimInTurn(lane: number): Promise<ClaimedBatch[]> {
    const { pool, workerId } = delivery
    const claim = { workerId, lane, limit: BATCHES_AT_ONCE, leaseSeconds: LEASE_SECONDS }
    const afterAccountId = turns.get(lane) ?? 0
    let batches = await claimBatches(pool, { ...claim, afterAccountId })
    if (batches.length === 0 && afterAccountId > 0) batches = await claimBatches(pool, { ...claim, afterAccountId: 0 })
    turns.set(lane, Math.max(0, ...batches.map(({ accountId }) => accountId)))
    return batches
  }
}

/** Delivers one batch and settles it; whatever can't be settled now goes back, with the time it has to wait. */
export async function deliverBatch(delivery: Delivery, batch: ClaimedBatch): Promise<void> {
  const { pool, workerId } = delivery
  const left: Left[] = []
  for (let start = 0; start < batch.positions.length; start += SUBMIT_AT_ONCE) {
    const positions = batch.positions.slice(start, start + SUBMIT_AT_ONCE)
    if (!(await extendLease(pool, { workerId, batch, leaseSeconds: LEASE_SECONDS }))) return
    left.push(...(await deliverSome(delivery, batch, positions)))
  }
  if (left.length === 0) {
    await deleteClaimed(pool, { workerId, batch })
    return
  }
  const delaySeconds = Math.min(...left.map(({ delaySeconds }) => delaySeconds))
  await giveBack(pool, { workerId, batch, positions: left.map(({ position }) => position), delaySeconds })
}

async function deliverSome(delivery: Delivery, batch: ClaimedBatch, positions: readonly number[]): Promise<Left[]> {
  const { pool, carrier } = delivery
  const { message, submissions, left } = await pool.begin((database) => prepare(database, delivery, batch, positions))
  if (!message) return left
  const outcomes = await Promise.all(
    submissions.map(async (submission) => {
      const outcome = await carrier.submit(toOutbound(message, batch, submission))
      return { submission, outcome }
    })
  )
  await pool.begin(async (database) => {
    const isCancelled = await lockIsCancelled(database, batch)
    const moves = outcomes.flatMap(({ submission, outcome }) => toMove(submission, outcome, isCancelled) ?? [])
    await settle(database, batch, moves)
  })
  for (const { submission, outcome } of outcomes) {
    if (outcome.kind === 'retry') left.push({ position: submission.position, delaySeconds: outcome.delaySeconds })
    if (outcome.kind === 'in-doubt') left.push({ position: submission.position, delaySeconds: IN_DOUBT_SECONDS })
  }
  return left
}

/** A recipient that stays in the queue, and how long it has to wait there. */
interface Left {
  position: number
  delaySeconds: number
}

/** Right before anything leaves: who said STOP is dropped, who may not be written to at this hour waits, the others are marked. */
async function prepare(database: Database, { workerId }: Delivery, batch: ClaimedBatch, positions: readonly number[]) {
  const message = await lockLiveMessage(database, { workerId, batch })
  const open = await listOpen(database, { batch, positions })
  const inState = (state: RecipientState) => open.filter((recipient) => recipient.state === RECIPIENT_STATES[state])
  // A worker that died left these between submitting and settling: they keep their place, and are not sent again.
  const left: Left[] = inState('submitting').map(({ position }) => ({ position, delaySeconds: IN_DOUBT_SECONDS }))
  if (!message) return { message, submissions: [], left }

  const waiting = inState('waiting')
  const stopped = await listStopped(database, { accountId: batch.accountId, phones: waiting.map(({ phone }) => phone) })
  await settle(database, batch, waiting.filter(({ phone }) => stopped.has(phone)).map(toStop))
  const allowed: number[] = []
  for (const [country, recipients] of Map.groupBy(waiting, ({ country }) => country)) {
    const delaySeconds = secondsUntilAllowed(message, country)
    for (const { position, phone } of recipients) {
      if (stopped.has(phone)) continue
      if (delaySeconds === 0) allowed.push(position)
      else left.push({ position, delaySeconds })
    }
  }
  return { message, submissions: await markSubmitting(database, { batch, positions: allowed }), left }
}

/** Marketing that is late, after an outage or behind a long campaign, must keep to the hours too. */
function secondsUntilAllowed(message: LiveMessage, country: string): number {
  if (message.category !== 'marketing') return 0
  const now = new Date()
  return Math.ceil((nextMarketingMoment(now, country, message).getTime() - now.getTime()) / 1000)
}

function toOutbound(message: LiveMessage, { messageId }: ClaimedBatch, submission: Submission): OutboundMessage {
  const { position, phone, content } = submission
  const reference = toRecipientId({ messageId, position })
  return { reference, from: message.sender, to: phone, text: content ?? message.content }
}

function toStop({ position }: { position: number }): Move {
  return { position, from: RECIPIENT_STATES.waiting, to: RECIPIENT_STATES.stopped, errorCode: null }
}

function toMove({ position }: Submission, outcome: SubmitOutcome, isCancelled: boolean): Move | undefined {
  const from = RECIPIENT_STATES.submitting
  switch (outcome.kind) {
    case 'accepted':
      return { position, from, to: RECIPIENT_STATES.sent, errorCode: null }
    case 'rejected':
      return { position, from, to: RECIPIENT_STATES.rejected, errorCode: outcome.reason }
    case 'retry':
      // Of a message that was cancelled meanwhile, nothing waits any more.
      return {
        position,
        from,
        to: isCancelled ? RECIPIENT_STATES.cancelled : RECIPIENT_STATES.waiting,
        errorCode: null
      }
    case 'in-doubt':
      return undefined
    default:
      return outcome satisfies never
  }
}

/** Moves recipients, counts them, gives back what was not taken, and closes the message with the last of them. */
async function settle(
  database: Database,
  { accountId, messageId }: ClaimedBatch,
  moves: readonly Move[]
): Promise<void> {
  if (moves.length === 0) return
  const moved = await moveRecipients(database, { accountId, messageId, moves })
  const inState = (state: RecipientState) => moved.filter((recipient) => recipient.state === RECIPIENT_STATES[state])
  const [failed, stopped, cancelled] = [inState('rejected'), inState('stopped'), inState('cancelled')]
  const unpaid = [...failed, ...stopped, ...cancelled]
  const refunded = unpaid.reduce((sum, { credits }) => sum + credits, 0)
  const counts = {
    sent: inState('sent').length,
    failed: failed.length,
    stopped: stopped.length,
    cancelled: cancelled.length,
    refunded
  }
  if (counts.sent + unpaid.length === 0) return
  const after = await updateCounts(database, { accountId, messageId, ...counts })
  const reservation = { accountId, messageType: MESSAGE_TYPES.sms, reference: referenceOf(messageId) }
  if (refunded > 0) {
    // Each recipient is unpaid once, so the first of them names this refund.
    const first = Math.min(...unpaid.map(({ position }) => position))
    await refundCredits(database, { ...reservation, part: `from recipient ${first}`, amount: refunded })
  }
  if (after.waitingCount === 0) await settleCredits(database, reservation)
}
