import type { Pool } from '../database/database.ts'
import { insertSteps } from '../messages/timeline.store.ts'
import { type ClaimedBatch, unmarkSubmitting } from './claims.store.ts'
import { insertDoubts } from './doubts.store.ts'
import { IN_DOUBT_SECONDS } from './settle-outcomes.ts'

const REASON = 'Whoever was sending it stopped before an answer was stored.'

/** Whoever held a batch before may have died: what it was handing over is in doubt, and the rest is there to be sent. */
export async function takeOver(
  pool: Pool,
  batch: ClaimedBatch,
  onDoubt: (reason: string) => void
): Promise<ClaimedBatch> {
  const { submitting, carrier, submittedAt } = batch
  if (submitting.length === 0 || !carrier || !submittedAt) return batch
  await pool.begin(async (database) => {
    const doubts = submitting.map((position) => ({ ...batch, position, carrier, submittedAt }))
    const inDoubt = await insertDoubts(database, doubts, { delaySeconds: IN_DOUBT_SECONDS })
    await insertSteps(
      database,
      inDoubt.map((key) => ({ ...key, step: 'in_doubt', detail: REASON, carrier }))
    )
    await unmarkSubmitting(database, [{ batch, positions: submitting }])
    for (const _ of inDoubt) onDoubt(REASON)
  })
  const lost = new Set(submitting)
  return { ...batch, positions: batch.positions.filter((position) => !lost.has(position)), submitting: [] }
}
