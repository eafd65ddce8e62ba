import { strict as assert } from 'node:assert'
import type { Carrier, OutboundMessage, SubmitOutcome } from '../carriers/carrier.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { refundCredits, settleCredits } from '../credits/ledger.ts'
import type { Database, Pool } from '../database/database.ts'
import { referenceOf } from '../messages/accept-messages.ts'
import { LANES } from '../messages/message.ts'
import { RECIPIENT_STATES, toRecipientId } from '../messages/recipient.ts'
import { listStopped } from '../stops/stops.store.ts'
import { type ClaimedBatch, claimBatches, deleteClaimed, extendLease, giveBack } from './claims.store.ts'
import {
  listSubmitting,
  listWaiting,
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
  const left: { position: number; delaySeconds: number }[] = []
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

async function deliverSome({ pool, carrier, workerId }: Delivery, batch: ClaimedBatch, positions: readonly number[]) {
  const { inDoubt, submissions } = await pool.begin(async (database) => {
    // A worker that died left these between submitting and settling: they keep their place, and are not sent again.
    const inDoubt = await listSubmitting(database, { batch, positions })
    await dropStopped(database, batch, positions)
    return { inDoubt, submissions: await markSubmitting(database, { workerId, batch, positions }) }
  })
  const outcomes = await Promise.all(
    submissions.map(async (submission) => ({
      submission,
      outcome: await carrier.submit(toOutbound(batch, submission))
    }))
  )
  const moves = outcomes.flatMap(({ submission, outcome }) => toMove(submission, outcome) ?? [])
  await pool.begin((database) => settle(database, batch, moves))
  const left = inDoubt.map((position) => ({ position, delaySeconds: IN_DOUBT_SECONDS }))
  for (const { submission, outcome } of outcomes) {
    if (outcome.kind === 'retry') left.push({ position: submission.position, delaySeconds: outcome.delaySeconds })
    if (outcome.kind === 'in-doubt') left.push({ position: submission.position, delaySeconds: IN_DOUBT_SECONDS })
  }
  return left
}

function toOutbound({ messageId }: ClaimedBatch, { position, sender, phone, content }: Submission): OutboundMessage {
  return { reference: toRecipientId({ messageId, position }), from: sender, to: phone, text: content }
}

/** Whoever said STOP after the message was accepted is asked for here, right before it would leave. */
async function dropStopped(database: Database, batch: ClaimedBatch, positions: readonly number[]): Promise<void> {
  const waiting = await listWaiting(database, { batch, positions })
  const stopped = await listStopped(database, { accountId: batch.accountId, phones: waiting.map(({ phone }) => phone) })
  const moves = waiting
    .filter(({ phone }) => stopped.has(phone))
    .map(
      ({ position }): Move => ({
        position,
        from: RECIPIENT_STATES.waiting,
        to: RECIPIENT_STATES.stopped,
        errorCode: null
      })
    )
  await settle(database, batch, moves)
}

function toMove({ position }: Submission, outcome: SubmitOutcome): Move | undefined {
  const from = RECIPIENT_STATES.submitting
  switch (outcome.kind) {
    case 'accepted':
      return { position, from, to: RECIPIENT_STATES.sent, errorCode: null }
    case 'rejected':
      return { position, from, to: RECIPIENT_STATES.rejected, errorCode: outcome.reason }
    case 'retry':
      return { position, from, to: RECIPIENT_STATES.waiting, errorCode: null }
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
  const inState = (state: number) => moved.filter((recipient) => recipient.state === state)
  const [sent, failed, stopped] = [RECIPIENT_STATES.sent, RECIPIENT_STATES.rejected, RECIPIENT_STATES.stopped].map(
    inState
  )
  assert(sent && failed && stopped)
  const unpaid = [...failed, ...stopped]
  const refunded = unpaid.reduce((sum, { credits }) => sum + credits, 0)
  const counts = { sent: sent.length, failed: failed.length, stopped: stopped.length, refunded }
  if (counts.sent + counts.failed + counts.stopped === 0) return
  const after = await updateCounts(database, { accountId, messageId, ...counts })
  const reservation = { accountId, messageType: MESSAGE_TYPES.sms, reference: referenceOf(messageId) }
  if (refunded > 0) {
    // Each recipient is unpaid once, so the first of them names this refund.
    const first = Math.min(...unpaid.map(({ position }) => position))
    await refundCredits(database, { ...reservation, part: `from recipient ${first}`, amount: refunded })
  }
  if (after.waitingCount === 0) await settleCredits(database, reservation)
}
