import { strict as assert } from 'node:assert'
import type { Database, Pool } from '../database/database.ts'
import { insertBatches, type NewBatch } from '../queue/batches.store.ts'
import { type Move, type RecipientKey, type Taken, updateStates, updateToSent } from '../recipients/moves.store.ts'
import { type CountedMove, countMoves } from '../recipients/moves.ts'
import { fromRecipientId, RECIPIENT_STATES } from '../recipients/recipient.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import { claimDueDoubts, type Doubt, type DueDoubt, deleteDoubt, hurryReceipts, listEvidence } from './doubts.store.ts'
import { type SettledOutcome, settleOutcomes } from './settle-outcomes.ts'
import { insertSubmissions } from './submissions.store.ts'

/*
 * A recipient is in doubt when the process or the link died while it was being submitted, or its answer never came. It
 * waits for evidence: a late answer, or a receipt that nobody else claims. Then the account decides: `resend`, so that
 * nothing is lost, or `fail`, so that nothing comes twice.
 */

const BATCH = 200

/** What must be known of carriers to make evidence of their receipts. */
export interface Evidence {
  /** Under which id the segment of a receipt would be found. */
  submissionIdOf(carrier: string, receiptId: string): string
  /** Into how many messages of its own the carrier's way of long messages makes so many segments. */
  partsOf(carrier: string, segments: number): number
}

/** Decides doubts whose time is over. */
export async function resolveDoubts(
  pool: Pool,
  { submissionIdOf, partsOf }: Evidence
): Promise<{ isMoreDue: boolean }> {
  return pool.begin(async (database) => {
    const doubts = await claimDueDoubts(database, BATCH)
    const taken: Taken[] = []
    const decided: DueDoubt[] = []
    // A receipt proves one of them.
    const used = new Set<string>()
    const matched: number[] = []
    for (const doubt of doubts) {
      const receipts = await listEvidence(database, doubt)
      const ids = receipts.map(({ carrierMessageId }) => submissionIdOf(doubt.carrier, carrierMessageId))
      const unused = [...new Set(ids)].filter((id) => !used.has(`${doubt.carrier} ${id}`))
      const parts = partsOf(doubt.carrier, doubt.segments)
      // Of several segments, a few that arrived are no message.
      if (unused.length < parts) {
        decided.push(doubt)
        continue
      }
      const carrierMessageIds = unused.slice(0, parts)
      for (const id of carrierMessageIds) used.add(`${doubt.carrier} ${id}`)
      taken.push({ ...doubt, carrierMessageIds })
      matched.push(...receipts.map(({ id }) => id))
    }
    await settleEvidence(database, taken)
    await hurryReceipts(database, matched)
    await decide(database, decided)
    return { isMoreDue: doubts.length === BATCH }
  })
}

async function settleEvidence(database: Database, taken: readonly Taken[]): Promise<void> {
  if (taken.length === 0) return
  const moved = await updateToSent(database, taken)
  await insertSubmissions(database, taken, (_carrier, id) => id)
  await insertSteps(
    database,
    taken.map((key) => ({ ...key, step: 'taken', detail: 'A receipt shows that the carrier has it.' }))
  )
  await countMoves(
    database,
    moved.map((move) => ({ ...move, refund: 0 }))
  )
}

async function decide(database: Database, doubts: readonly DueDoubt[]): Promise<void> {
  if (doubts.length === 0) return
  const decisions = doubts.map((doubt) => ({ doubt, ...decisionOn(doubt) }))
  const moved = await updateStates(
    database,
    decisions.map(({ doubt, to, errorCode }): Move => ({ ...doubt, from: RECIPIENT_STATES.submitting, to, errorCode }))
  )
  await insertBatches(database, toBatches(decisions.filter(({ step }) => step === 'resent').map(({ doubt }) => doubt)))
  await insertSteps(
    database,
    decisions.map(({ doubt, step, detail }): RecipientKey & Step => ({ ...doubt, step, detail }))
  )
  await countMoves(
    database,
    moved.map((move): CountedMove => ({ ...move, refund: move.to === RECIPIENT_STATES.cancelled ? move.credits : 0 }))
  )
}

function decisionOn({
  policy,
  isCancelled
}: DueDoubt): { to: number; errorCode: string | null } & Omit<Step, 'carrier'> {
  if (policy === 'fail') {
    const detail = 'Nothing came to light, and the account does not want anything twice.'
    return { to: RECIPIENT_STATES.failed, errorCode: 'in_doubt', step: 'failed', detail }
  }
  if (isCancelled) {
    const detail = 'Nothing came to light, and the message was cancelled.'
    return { to: RECIPIENT_STATES.cancelled, errorCode: null, step: 'cancelled', detail }
  }
  const detail = 'Nothing came to light, and the account does not want anything lost.'
  return { to: RECIPIENT_STATES.waiting, errorCode: null, step: 'resent', detail }
}

/** Those of one message and way leave together again. */
function toBatches(doubts: readonly Doubt[]): NewBatch[] {
  const groups = Map.groupBy(doubts, ({ messageId, route }) => `${messageId} ${route}`)
  return [...groups.values()].map((ofMessage) => {
    const [first] = ofMessage
    assert(first)
    const { accountId, messageId, route, lane } = first
    const expiresAt = new Date(Math.min(...ofMessage.map(({ expiresAt }) => expiresAt.getTime())))
    const positions = ofMessage.map(({ position }) => position)
    return { accountId, messageId, route, lane, expiresAt, dueAt: null, positions }
  })
}

/** An answer that came after its submit had been given up; false when the recipient is not in doubt, or not any more. */
export async function settleLateOutcome(
  database: Database,
  { reference, outcome }: { reference: number; outcome: SettledOutcome }
): Promise<boolean> {
  const doubt = await deleteDoubt(database, fromRecipientId(reference))
  if (!doubt) return false
  // Its batch went on without it.
  await settleOutcomes(database, [{ ...doubt, outcome, batch: doubt, lease: null }], { finished: [] })
  if (outcome.kind === 'retry') {
    // The carrier says that it did not take it: it may leave again, unless its message was cancelled meanwhile.
    const open = await updateStates(database, [
      { ...doubt, from: RECIPIENT_STATES.submitting, to: RECIPIENT_STATES.waiting, errorCode: null }
    ])
    if (open.length > 0) await insertBatches(database, toBatches([doubt]))
  }
  return true
}
