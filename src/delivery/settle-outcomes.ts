import type { SubmitOutcome } from '../carriers/carrier.ts'
import { canonicalId } from '../carriers/message-ids.ts'
import type { Database } from '../database/database.ts'
import type { Patience } from '../fallback/follow-waits.ts'
import { type BatchKey, deleteClaimed, type Mark, unmarkSubmitting } from '../queue/claims.store.ts'
import {
  lockUncancelled,
  type Move,
  type PaidMove,
  type RecipientKey,
  updateStates,
  updateToSent
} from '../recipients/moves.store.ts'
import { type CountedMove, countMoves } from '../recipients/moves.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import { insertWaits, type NewWait } from '../recipients/waits.store.ts'
import { insertDoubts } from './doubts.store.ts'
import { insertSubmissions, updateMayBeAt } from './submissions.store.ts'

/*
 * What a carrier said of recipients that were handed to it becomes their state. Moves are conditional on the recipient
 * being open still, so that it does no harm when the same is settled twice, or late.
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
  /** When it went by RCS: how long its delivery report is awaited. */
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
  const uncancelled = open.some(isKind('retry')) ? await lockUncancelled(database, given) : NOTHING
  // Those in doubt too: one that is sent again must not be taken for one that is on its way.
  const held = new Set((await unmarkSubmitting(database, toMarks(open))).map(({ id }) => id))
  const past = new Set<Settlement>(open.filter(({ lease }) => lease !== null && !held.has(lease.id)))
  const settlements = given.filter((settlement) => !past.has(settlement))
  const retried = settlements.filter(isKind('retry'))
  const doubtful = settlements.filter(isKind('in-doubt'))
  const cancelled = retried.filter(({ messageId }) => !uncancelled.has(messageId))
  const taken = [...settlements.filter(isKind('accepted')), ...cancelled.filter(mayBeThere).map(asTaken)]
  const moved = await settleTaken(database, taken)
  const moves: CountedMove[] = [
    ...moved,
    ...(await settleRefused(database, settlements)),
    ...(await settleCancelled(
      database,
      cancelled.filter((settlement) => !mayBeThere(settlement))
    ))
  ]
  await updateMayBeAt(
    database,
    retried.filter((settlement) => mayBeThere(settlement) && uncancelled.has(settlement.messageId))
  )
  await settleDoubts(database, doubtful)
  await insertSteps(database, settlements.flatMap(toSteps))
  // Near the end: from here to the commit, whoever settles others of the same message waits.
  await countMoves(database, moves)
  // After the messages, in the order in which a cancel and a fallback take them.
  await deleteClaimed(database, finished)
  // After it: a cancel that came before is seen now, and one that comes later finds them.
  const isMoved = new Set(moved.map(toRecipientId))
  await insertWaits(database, taken.filter((one) => isMoved.has(toRecipientId(one))).flatMap(toWait))
}

function isRcs({ patience }: Settlement): boolean {
  return patience !== undefined
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

const NOTHING: ReadonlySet<unknown> = new Set()

async function settleTaken(database: Database, accepted: readonly Of<'accepted'>[]): Promise<CountedMove[]> {
  const taken = accepted.map((settlement) => ({
    ...settlement,
    carrierMessageIds: settlement.outcome.carrierMessageIds
  }))
  const moved = await updateToSent(database, taken, { isRcs: accepted.some(isRcs) })
  const isMoved = new Set(moved.map(toRecipientId))
  await insertSubmissions(
    database,
    // Reports on RCS name the recipient themselves.
    taken.filter((recipient) => isMoved.has(toRecipientId(recipient)) && !isRcs(recipient)),
    toCanonical
  )
  return moved.map((move) => ({ ...move, refund: 0 }))
}

/** Rejected by the carrier, or too late to leave: what it did not take comes back. */
async function settleRefused(database: Database, settlements: readonly Settlement[]): Promise<CountedMove[]> {
  const refused = new Map<number, { settlement: Settlement; move: Move; taken: readonly string[] }>()
  for (const settlement of settlements) {
    const { accountId, messageId, position, outcome } = settlement
    const key = { accountId, messageId, position, from: RECIPIENT_STATES.waiting }
    if (outcome.kind === 'rejected') {
      const move = { ...key, to: RECIPIENT_STATES.rejected, errorCode: outcome.reason }
      refused.set(toRecipientId(settlement), { settlement, move, taken: outcome.carrierMessageIds })
    } else if (outcome.kind === 'expired') {
      refused.set(toRecipientId(settlement), {
        settlement,
        move: { ...key, to: RECIPIENT_STATES.expired, errorCode: 'expired' },
        taken: []
      })
    }
  }
  if (refused.size === 0) return []
  const moved = await moveOpen(
    database,
    [...refused.values()].map(({ move }) => move)
  )
  await insertSubmissions(
    database,
    moved.flatMap((move) => {
      const { settlement, taken = [] } = refused.get(toRecipientId(move)) ?? {}
      return settlement ? { ...settlement, carrierMessageIds: taken } : []
    }),
    toCanonical
  )
  return moved.map((move) => ({ ...move, refund: untaken(move, refused.get(toRecipientId(move))?.taken.length ?? 0) }))
}

/** The credits of the segments that a carrier did not take. */
function untaken({ credits, segments }: PaidMove, takenCount: number): number {
  if (segments === 0) return credits // By RCS.
  return Math.max(0, Math.round((credits * (segments - takenCount)) / segments))
}

/** Of a message that was cancelled while they were on their way, those that the carrier did not take are cancelled too. */
async function settleCancelled(database: Database, settlements: readonly Settlement[]): Promise<CountedMove[]> {
  const moved = await moveOpen(
    database,
    settlements.map(({ accountId, messageId, position }) => ({
      accountId,
      messageId,
      position,
      from: RECIPIENT_STATES.waiting,
      to: RECIPIENT_STATES.cancelled,
      errorCode: null
    }))
  )
  return moved.map((move) => ({ ...move, refund: move.credits }))
}

/** From waiting, or from being submitted, which a cancel writes down. */
async function moveOpen(database: Database, moves: readonly Move[]): Promise<PaidMove[]> {
  const moved = await updateStates(database, moves)
  if (moved.length === moves.length) return moved
  const isMoved = new Set(moved.map(toRecipientId))
  const others = moves.filter((move) => !isMoved.has(toRecipientId(move)))
  return [
    ...moved,
    ...(await updateStates(
      database,
      others.map((move) => ({ ...move, from: RECIPIENT_STATES.submitting }))
    ))
  ]
}

async function settleDoubts(database: Database, doubtful: readonly Settlement[]): Promise<void> {
  await insertDoubts(
    database,
    doubtful.map(({ batch, ...settlement }) => ({
      ...settlement,
      route: batch.route,
      lane: batch.lane,
      expiresAt: batch.expiresAt
    })),
    { delaySeconds: IN_DOUBT_SECONDS }
  )
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
