import type { SubmitOutcome } from '../carriers/carrier.ts'
import { canonicalId } from '../carriers/message-ids.ts'
import type { Database } from '../database/database.ts'
import type { Patience } from '../fallback/follow-waits.ts'
import type { Channel } from '../messages/message.ts'
import { lockUncancelled } from '../messages/totals.store.ts'
import { type BatchKey, deleteClaimed, type Mark, unmarkSubmitting } from '../queue/claims.store.ts'
import { keyOf, type Move, type RecipientKey } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { updateMayBeAt } from '../recipients/rcs-moves.store.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import { insertWaits, type NewWait } from '../recipients/waits.store.ts'
import { insertSubmissions } from '../submissions/submissions.store.ts'
import { insertDoubts } from './doubts.store.ts'

/*
 * The outcome of a submit becomes the recipient's state. A move needs the recipient to be open still, so an outcome that is settled
 * twice, or late, does no harm.
 */

/** A recipient in doubt is decided after this, unless something comes to light before. */
export const IN_DOUBT_SECONDS = 60

/** What became of one recipient that was handed over. */
export interface Settlement extends RecipientKey {
  carrier: string
  outcome: SettledOutcome
  /** The batch that it was submitted from; null for an answer that came after its submit was given up. */
  lease: BatchKey | null
  /** Where it waits if it is sent again. */
  batch: { route: string; lane: number; expiresAt: Date }
  submittedAt: Date
  channel: Channel
  /** Of an RCS: how long its delivery report is awaited. */
  patience?: Patience
}

/** An unreachable recipient is not settled: it falls back. */
export type SettledOutcome = Exclude<SubmitOutcome, { kind: 'unreachable' }>

/** An SMS has nothing to fall back to: a carrier that can't reach its phone has rejected it. */
export function withoutFallback(outcome: SubmitOutcome): SettledOutcome {
  return outcome.kind === 'unreachable' ? { ...outcome, kind: 'rejected', carrierMessageIds: [] } : outcome
}

type Of<K extends SettledOutcome['kind']> = Settlement & { outcome: Extract<SettledOutcome, { kind: K }> }

const isKind =
  <K extends SettledOutcome['kind']>(kind: K) =>
  (settlement: Settlement): settlement is Of<K> =>
    settlement.outcome.kind === kind

/**
 * `accepted` and `rejected` are final from anyone; `retry` and `in-doubt` count only from the lease holder. The new holder of
 * a batch has put all submits under way in doubt, and may have sent them again.
 */
export async function settleOutcomes(
  database: Database,
  given: readonly Settlement[],
  { finished }: { finished: readonly BatchKey[] }
): Promise<void> {
  const open = given.filter(({ outcome: { kind } }) => kind === 'retry' || kind === 'in-doubt')
  // All messages, in their order, although only those of the retried are asked about: the others are locked later anyway.
  const uncancelled = open.some(isKind('retry')) ? await lockUncancelled(database, given) : NO_MESSAGES
  // Those in doubt too: one that is sent again must not be taken for one that is on its way.
  const held = new Set((await unmarkSubmitting(database, toMarks(open))).map(({ id }) => id))
  const past = new Set<Settlement>(open.filter(({ lease }) => lease !== null && !held.has(lease.id)))
  const settlements = given.filter((settlement) => !past.has(settlement))
  const retried = settlements.filter(isKind('retry'))
  const doubtful = settlements.filter(isKind('in-doubt'))
  const cancelled = retried.filter(({ messageId }) => !uncancelled.has(messageId))
  const taken = [...settlements.filter(isKind('accepted')), ...cancelled.filter(mayBeThere).map(asTaken)]
  const refused = settlements.filter(isRefused)
  const moves = [
    ...taken.map(toSent),
    ...refused.map(toRefused),
    ...cancelled.filter((settlement) => !mayBeThere(settlement)).map(toCancelled),
    ...doubtful.map((settlement): Move => ({ ...keyOf(settlement), kind: 'in-doubt' }))
  ]
  const moved = await moveRecipients(database, moves, {
    async beforeTotals(moved) {
      const isMoved = membership(moved)
      await insertSubmissions(
        database,
        [...taken.filter(isSms), ...refused].filter(isMoved).map(toSubmission),
        toCanonical
      )
      await updateMayBeAt(
        database,
        retried.filter((settlement) => mayBeThere(settlement) && uncancelled.has(settlement.messageId))
      )
      await insertDoubts(database, doubtful.filter(isMoved).map(toDoubt), { delaySeconds: IN_DOUBT_SECONDS })
      await insertSteps(database, settlements.flatMap(toSteps))
    }
  })
  // After the messages, in the order in which a cancel and a fallback take them.
  await deleteClaimed(database, finished)
  // After the totals: a cancel that came before is seen now, and one that comes later finds these waits.
  await insertWaits(database, taken.filter(membership(moved)).flatMap(toWait))
}

const NO_MESSAGES: ReadonlySet<number> = new Set()

function membership(moved: readonly RecipientKey[]): (key: RecipientKey) => boolean {
  const ids = new Set(moved.map(toRecipientId))
  return (key) => ids.has(toRecipientId(key))
}

/** A delivery report of an RCS names the recipient itself: only those of SMS are found by the ids of submissions. */
function isSms({ channel }: Settlement): boolean {
  return channel === 'sms'
}

function mayBeThere({ outcome }: Settlement): boolean {
  return outcome.kind === 'retry' && outcome.mayBeThere === true
}

/** The platform may have it although its answer did not come: it is revoked, and not only forgotten. */
function asTaken(settlement: Settlement): Of<'accepted'> {
  return { ...settlement, outcome: { kind: 'accepted', carrierMessageIds: [] } }
}

function toWait({ patience, ...settlement }: Settlement): NewWait[] {
  return patience ? [{ ...settlement, ...patience }] : []
}

function toSent({ channel, carrier, outcome, ...key }: Of<'accepted'>): Move {
  return { ...keyOf(key), kind: 'sent', channel, carrier, carrierMessageIds: outcome.carrierMessageIds }
}

function isRefused(settlement: Settlement): settlement is Of<'rejected'> | Of<'expired'> {
  return settlement.outcome.kind === 'rejected' || settlement.outcome.kind === 'expired'
}

/** Rejected by the carrier, or too late to leave: the segments that it did not take are refunded. */
function toRefused(settlement: Of<'rejected'> | Of<'expired'>): Move {
  const { outcome } = settlement
  const end =
    outcome.kind === 'rejected'
      ? { to: RECIPIENT_STATES.rejected, errorCode: outcome.reason }
      : { to: RECIPIENT_STATES.expired, errorCode: 'expired' }
  const refund = { takenSegments: takenIds(outcome).length }
  return { ...keyOf(settlement), kind: 'decided', from: 'open', ...end, refund }
}

/** Its message was cancelled while it was on its way, and the carrier did not take it. */
function toCancelled(settlement: Settlement): Move {
  const end = { to: RECIPIENT_STATES.cancelled, errorCode: null }
  return { ...keyOf(settlement), kind: 'decided', from: 'open', ...end, refund: 'all' }
}

function takenIds(outcome: SubmitOutcome): readonly string[] {
  return 'carrierMessageIds' in outcome ? outcome.carrierMessageIds : []
}

function toSubmission(settlement: Settlement) {
  return { ...keyOf(settlement), carrier: settlement.carrier, carrierMessageIds: takenIds(settlement.outcome) }
}

function toDoubt({ batch: { route, lane, expiresAt }, carrier, submittedAt, ...key }: Settlement) {
  return { ...keyOf(key), carrier, submittedAt, route, lane, expiresAt }
}

/** What is worth telling of one; that it was taken, its own row tells. */
function toSteps(settlement: Settlement): (RecipientKey & Step)[] {
  const { outcome } = settlement
  switch (outcome.kind) {
    case 'accepted':
      return []
    case 'retry':
      return [{ ...settlement, step: 'retry', detail: outcome.reason }]
    case 'rejected':
      return [{ ...settlement, step: 'rejected', detail: outcome.reason }]
    case 'expired':
      return [{ ...settlement, step: 'expired', detail: 'It could not leave in time.' }]
    case 'in-doubt':
      return [{ ...settlement, step: 'in_doubt', detail: outcome.reason }]
    default:
      return outcome satisfies never
  }
}

function toMarks(settlements: readonly Settlement[]): Mark[] {
  const byBatch = Map.groupBy(settlements, ({ lease }) => lease?.id)
  return [...byBatch.values()].flatMap((ofBatch) => {
    const batch = ofBatch[0]?.lease
    return batch ? [{ batch, positions: ofBatch.map(({ position }) => position) }] : []
  })
}

function toCanonical(_carrier: string, carrierMessageId: string): string {
  return canonicalId(carrierMessageId)
}
