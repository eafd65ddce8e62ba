import { databaseNow } from '../database/clock.ts'
import type { Database, Pool } from '../database/database.ts'
import { keyOf, type Move } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import type { Step } from '../recipients/timeline.store.ts'
import { deleteOldParked } from '../submissions/parked-receipts.store.ts'
import {
  claimOverdue,
  deleteOldSubmissions,
  deleteSubmissions,
  type OverdueSubmission,
  updateToExpired
} from '../submissions/submissions.store.ts'
import { Failures } from '../workers/failures.ts'
import { workOnDue } from '../workers/work-on-due.ts'

/** A recipient without a receipt expires after this many days. */
const RECEIPT_DAYS = 3
/** Later receipts are still recorded for this many days. Unmatched receipts are kept as long. */
const KEPT_DAYS = 30
const BATCH = 1_000

/** Expires recipients without a receipt, and deletes the ids of recipients that got one. */
export async function expireRecipients(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const failures = new Failures()
  const overdueCount = await failures.try(() =>
    workOnDue<OverdueSubmission>(pool, {
      claim: (database, only) => claimOverdue(database, { days: RECEIPT_DAYS, limit: BATCH, only }),
      work: expireSome
    })
  )
  const retention = { days: KEPT_DAYS, limit: BATCH }
  const removed = [await deleteOldSubmissions(pool, retention), await deleteOldParked(pool, retention)]
  failures.throwFirst()
  return { isMoreDue: overdueCount === BATCH || removed.includes(BATCH) }
}

async function expireSome(database: Database, overdue: readonly OverdueSubmission[]): Promise<void> {
  const recipients = new Map(overdue.map((submission) => [toRecipientId(submission), submission]))
  const at = databaseNow()
  const moves = [...recipients.values()].map(({ carrier, ...submission }): Move => {
    const step: Step = { step: 'expired', detail: `No receipt came within ${RECEIPT_DAYS} days.`, carrier }
    const report = { to: RECIPIENT_STATES.expired, at, receipt: '', errorCode: 'no_receipt' }
    return { ...keyOf(submission), kind: 'reported', ...report, step }
  })
  await moveRecipients(database, moves, {
    async beforeTotals(moved) {
      const isMoved = new Set(moved.map(toRecipientId))
      await updateToExpired(
        database,
        overdue.filter((submission) => isMoved.has(toRecipientId(submission)))
      )
      await deleteSubmissions(
        database,
        overdue.filter((submission) => !isMoved.has(toRecipientId(submission)))
      )
    }
  })
}
