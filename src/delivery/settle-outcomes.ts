import type { SubmitOutcome } from '../carriers/carrier.ts'
import { canonicalId } from '../carriers/message-ids.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Patience } from '../fallback/follow-waits.ts'
import type { Channel } from '../messages/message.ts'
import { lockUncancelled } from '../messages/totals.store.ts'
import { toBatches } from '../queue/batch.ts'
import { insertBatches } from '../queue/batches.store.ts'
import { type BatchKey, deleteClaimed } from '../queue/leases.store.ts'
import { type Mark, removePositions, unmarkSubmitting } from '../queue/marks.store.ts'
import { keyOf, type Move, type RecipientKey } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { updatePossibleCarrier } from '../recipients/rcs-moves.store.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import { insertWaits, type NewWait } from '../recipients/waits.store.ts'
import { insertSubmissions } from '../submissions/submissions.store.ts'
import { insertDoubts } from './doubts.store.ts'

/*
 * The outcome of a submit becomes the recipient's state. Only an open recipient moves, so an outcome that is settled twice, or
 * late, does no harm.
 */

/** A recipient in doubt is decided after this time, unless evidence comes before. */
export const IN_DOUBT_SECONDS = 60

/** The outcome of one submit, with the data to store it. */
export interface Settlement extends RecipientKey {
  carrier: string
  outcome: SettledOutcome | TryNext
  /** The ids of accepted segments in canonical form, if they are known already. */
  canonicalIds?: readonly string[]
  /** The batch of the submit; null for an answer that came after the submit had timed out. */
  lease: BatchKey | null
  /** The place in the queue if it is sent again. */
  batch: { route: string; lane: number; expiresAt: Date; headStartSeconds?: number | null }
  submittedAt: Date
  channel: Channel
  /** Whether the credits of its message are spent already. */
  isPaid?: boolean
  /** For an RCS: how long to wait for its delivery report. */
  patience?: Patience | undefined
}

/** The carrier refused it, and the route tries the next carrier: it is queued on this way. */
export interface TryNext {
  kind: 'next'
  reason: string
  route: string
}

/** An unreachable recipient is not settled: it falls back. */
export type SettledOutcome = Exclude<SubmitOutcome, { kind: 'unreachable' }>

/** An SMS has nothing to fall back to: a carrier that can't reach its phone has rejected it. */
export function withoutFallback(outcome: SubmitOutcome): SettledOutcome {
  return outcome.kind === 'unreachable' ? { ...outcome, kind: 'rejected', carrierMessageIds: [] } : outcome
}

type Kind = Settlement['outcome']['kind']
type Of<K extends Kind> = Settlement & { outcome: Extract<Settlement['outcome'], { kind: K }> }

const isKind =
  <K extends Kind>(kind: K) =>
  (settlement: Settlement): settlement is Of<K> =>
    settlement.outcome.kind === kind

/**
 * `accepted` and `rejected` are final from anyone; `retry`, `next` and `in-doubt` count only from the lease holder. The new
 * holder of a batch has put all submits under way in doubt, and may have sent them again.
 */
export async function settleOutcomes(
  database: Database,
  given: readonly Settlement[],
  { finished }: { finished: readonly BatchKey[] }
): Promise<void> {
  const open = given.filter(({ outcome: { kind } }) => kind === 'retry' || kind === 'next' || kind === 'in-doubt')
  // Locks all messages in their order, although only those that are sent again are used: the others are locked later anyway.
  // Before their batches: two groups of one batch would otherwise wait for each other. Doubts alone change no message.
  const isChanging = open.length > 0 && given.some((settlement) => settlement.outcome.kind !== 'in-doubt')
  const uncancelled = isChanging ? await lockUncancelled(database, given) : NO_MESSAGES
  // Unmarks the doubts too: a recipient that is sent again later must not look as if it were under way.
  const held = new Set((await unmarkSubmitting(database, toMarks(open))).map(({ id }) => id))
  const past = new Set<Settlement>(open.filter(({ lease }) => lease !== null && !held.has(lease.id)))
  const settlements = given.filter((settlement) => !past.has(settlement))
  const retried = settlements.filter(isKind('retry'))
  const doubtful = settlements.filter(isKind('in-doubt'))
  const next = settlements.filter(isKind('next'))
  const cancelled = [...retried, ...next].filter(({ messageId }) => !uncancelled.has(messageId))
  const accepted = [...settlements.filter(isKind('accepted')), ...cancelled.filter(mayBeThere).map(asAccepted)]
  const refused = settlements.filter(isRefused)
  const moves = [
    ...accepted.map(toSent),
    ...refused.map(toRefused),
    ...cancelled.filter((settlement) => !mayBeThere(settlement)).map(toCancelled),
    ...doubtful.map((settlement): Move => ({ ...keyOf(settlement), kind: 'in-doubt' }))
  ]
  const moved = await moveRecipients(database, moves, {
    async beforeTotals(moved) {
      const isMoved = membership(moved)
      await Promise.all([
        insertSubmissions(database, [...accepted.filter(isSms), ...refused].filter(isMoved).map(toSubmission)),
        updatePossibleCarrier(
          database,
          retried.filter((settlement) => mayBeThere(settlement) && uncancelled.has(settlement.messageId))
        ),
        insertDoubts(database, doubtful.filter(isMoved).map(toDoubt), { delaySeconds: IN_DOUBT_SECONDS }),
        queueNext(
          database,
          next.filter(({ messageId }) => uncancelled.has(messageId))
        ),
        insertSteps(database, settlements.flatMap(toSteps))
      ])
    }
  })
  // After the messages: a cancel and a fallback lock in the same order.
  await database.atEnd((sql) => deleteClaimed(sql, finished))
  // After the totals: an earlier cancel is seen now, and a later cancel finds these waits.
  await database.atEnd((sql) => insertWaits(sql, accepted.filter(membership(moved)).flatMap(toWait)))
}

const NO_MESSAGES: ReadonlySet<number> = new Set()

/**
 * Moves recipients to the way of the next carrier. Their own batch forgets them in the same transaction: they still wait, and
 * its next holder would send them too.
 */
async function queueNext(database: Database, next: readonly Of<'next'>[]): Promise<void> {
  if (next.length === 0) return
  await removePositions(database, toMarks(next))
  await insertBatches(
    database,
    toBatches(
      next.map(({ accountId, messageId, position, outcome, batch: { lane, expiresAt, headStartSeconds } }) => {
        const { route } = outcome
        return {
          accountId,
          messageId,
          position,
          route,
          lane,
          expiresAt,
          headStartSeconds: headStartSeconds ?? undefined
        }
      })
    )
  )
}

function membership(moved: readonly RecipientKey[]): (key: RecipientKey) => boolean {
  const ids = new Set(moved.map(toRecipientId))
  return (key) => ids.has(toRecipientId(key))
}

/** A report of an RCS names the recipient itself. Only receipts of SMS are matched by the ids of submissions. */
function isSms({ channel }: Settlement): boolean {
  return channel === 'sms'
}

function mayBeThere({ outcome }: Settlement): boolean {
  return outcome.kind === 'retry' && outcome.mayBeThere === true
}

/** The platform may have the RCS although its answer never came. As accepted, it is revoked later. */
function asAccepted(settlement: Settlement): Of<'accepted'> {
  return { ...settlement, outcome: { kind: 'accepted', carrierMessageIds: [] } }
}

function toWait(settlement: Settlement): NewWait[] {
  const { patience, batch } = settlement
  if (!patience) return []
  // The platform keeps the RCS no longer than the message is valid.
  const leftSeconds = Math.max(0, (batch.expiresAt.getTime() - databaseNow().getTime()) / 1000)
  const { graceSeconds } = patience
  const reportSeconds = Math.min(patience.reportSeconds, leftSeconds + graceSeconds)
  return [{ ...settlement, reportSeconds, graceSeconds }]
}

function toSent(settlement: Of<'accepted'>): Move {
  const { accountId, messageId, position, channel, carrier, outcome, isPaid = false } = settlement
  const { carrierMessageIds } = outcome
  return { accountId, messageId, position, kind: 'sent', channel, carrier, carrierMessageIds, isPaid }
}

function isRefused(settlement: Settlement): settlement is Of<'rejected'> | Of<'expired'> {
  return settlement.outcome.kind === 'rejected' || settlement.outcome.kind === 'expired'
}

/** Rejected by the carrier, or too late to leave. The segments that the carrier did not accept are refunded. */
function toRefused(settlement: Of<'rejected'> | Of<'expired'>): Move {
  const { outcome } = settlement
  const end =
    outcome.kind === 'rejected'
      ? { to: RECIPIENT_STATES.rejected, errorCode: outcome.reason }
      : { to: RECIPIENT_STATES.expired, errorCode: 'expired' }
  const refund = { takenSegments: acceptedIds(outcome).length }
  return { ...keyOf(settlement), kind: 'decided', from: 'open', ...end, refund }
}

/** The message was cancelled during the submit, and the carrier did not accept it. */
function toCancelled(settlement: Settlement): Move {
  const end = { to: RECIPIENT_STATES.cancelled, errorCode: null }
  return { ...keyOf(settlement), kind: 'decided', from: 'open', ...end, refund: 'all' }
}

function acceptedIds(outcome: SubmitOutcome | TryNext): readonly string[] {
  return 'carrierMessageIds' in outcome ? outcome.carrierMessageIds : []
}

function toSubmission({ accountId, messageId, position, carrier, outcome, canonicalIds }: Settlement) {
  const carrierMessageIds =
    outcome.kind === 'accepted' && canonicalIds ? canonicalIds : acceptedIds(outcome).map(canonicalId)
  return { accountId, messageId, position, carrier, carrierMessageIds }
}

function toDoubt({ batch: { route, lane, expiresAt }, carrier, submittedAt, ...key }: Settlement) {
  return { ...keyOf(key), carrier, submittedAt, route, lane, expiresAt }
}

/** The timeline steps of an outcome. `accepted` has none: the recipient's row says it. */
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
    case 'next':
      return [{ ...settlement, step: 'refused', detail: outcome.reason }]
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
