import type { Pool } from '../database/database.ts'
import type { Patience } from '../fallback/follow-waits.ts'
import { lockUncancelled } from '../messages/totals.store.ts'
import type { ClaimedBatch } from '../queue/claims.store.ts'
import { unmarkSubmitting } from '../queue/marks.store.ts'
import { keyOf, type Move } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { listAtPositions } from '../recipients/positions.store.ts'
import { updatePossibleCarrier } from '../recipients/rcs-moves.store.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import { insertSteps } from '../recipients/timeline.store.ts'
import { insertWaits } from '../recipients/waits.store.ts'
import { insertDoubts } from './doubts.store.ts'
import { IN_DOUBT_SECONDS } from './settle-outcomes.ts'

const REASON = 'The sending process stopped before it stored the carrier’s answer.'

/** The previous holder of the batch may have died. Its submits under way are in doubt; the rest can be sent. */
export async function takeOver(
  pool: Pool,
  batch: ClaimedBatch,
  onDoubt: (reason: string) => void
): Promise<ClaimedBatch> {
  const { submitting, carrier, submittedAt } = batch
  if (submitting.length === 0 || !carrier || !submittedAt) return batch
  await pool.begin(async (database) => {
    // First, since the previous holder may be settling its outcomes right now, and locks the batch first too.
    const held = await unmarkSubmitting(database, [{ batch, positions: submitting }])
    if (held.length === 0) return // Another process has taken over meanwhile, and does all this.
    const { accountId, messageId, route, lane, expiresAt } = batch
    const moved = await moveRecipients(
      database,
      submitting.map((position): Move => ({ accountId, messageId, position, kind: 'in-doubt' }))
    )
    const doubts = moved.map((move) => ({ ...keyOf(move), route, lane, expiresAt, carrier, submittedAt }))
    const inDoubt = await insertDoubts(database, doubts, { delaySeconds: IN_DOUBT_SECONDS })
    await insertSteps(
      database,
      inDoubt.map((key) => ({ ...key, step: 'in_doubt', detail: REASON, carrier }))
    )
    for (const _ of inDoubt) onDoubt(REASON)
  })
  const lost = new Set(submitting)
  return { ...batch, positions: batch.positions.filter((position) => !lost.has(position)), submitting: [] }
}

/**
 * The same for a carrier that ignores a repeated submit: all recipients may be sent again. If the message was cancelled
 * meanwhile, none is: a recipient whose RCS may have left counts as sent, and is revoked. That includes waiting recipients. A
 * cancel leaves out recipients that are being submitted, and their process may have died before it settled them.
 */
export async function takeOverRepeatable(pool: Pool, batch: ClaimedBatch, patience: Patience): Promise<ClaimedBatch> {
  const { accountId, messageId, submitting, carrier } = batch
  if (submitting.length === 0 || !carrier) return batch
  await pool.begin(async (database) => {
    // First: a cancel then comes wholly before this transaction, or wholly after it and finds the recipients unmarked.
    const uncancelled = await lockUncancelled(database, [{ accountId, messageId }])
    const held = await unmarkSubmitting(database, [{ batch, positions: submitting }])
    if (held.length === 0) return
    const recipients = await listAtPositions(database, [{ accountId, messageId, positions: submitting }])
    const left = recipients.filter(({ state }) => state === RECIPIENT_STATES.submitting || !uncancelled.has(messageId))
    const moved = await moveRecipients(
      database,
      left.map((recipient): Move => {
        return { ...keyOf(recipient), kind: 'sent', channel: 'rcs', carrier, carrierMessageIds: [] }
      }),
      {
        async beforeTotals() {
          await updatePossibleCarrier(
            database,
            recipients.map((recipient) => ({ ...recipient, carrier }))
          )
        }
      }
    )
    await insertWaits(
      database,
      moved.map((key) => ({ ...key, carrier, ...patience }))
    )
  })
  return { ...batch, submitting: [] }
}
