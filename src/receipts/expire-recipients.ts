import { databaseNow } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { updateByReceipt } from '../recipients/moves.store.ts'
import { countMoves } from '../recipients/moves.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { insertSteps } from '../recipients/timeline.store.ts'
import { claimOverdue, deleteOldReceipts, deleteSubmissions, updateToExpired } from './receipts.store.ts'

/** No receipt within so many days: expired. */
const RECEIPT_DAYS = 3
/** A receipt that comes even later is still recorded so long, and one that matched nothing is kept so long. */
const KEPT_DAYS = 30
const BATCH = 1_000

/** Ends the wait for receipts that do not come, and forgets the ids of those that came. */
export async function expireRecipients(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const overdueCount = await pool.begin(async (database) => {
    const overdue = await claimOverdue(database, { days: RECEIPT_DAYS, limit: BATCH })
    const recipients = new Map(overdue.map((submission) => [toRecipientId(submission), submission]))
    const at = databaseNow()
    const moved = await updateByReceipt(
      database,
      [...recipients.values()].map(({ accountId, messageId, position }) => ({
        accountId,
        messageId,
        position,
        to: RECIPIENT_STATES.expired,
        at,
        receipt: '',
        errorCode: 'no_receipt'
      }))
    )
    const isMoved = new Set(moved.map(toRecipientId))
    const [expired, received] = [true, false].map((isExpired) =>
      overdue.filter((submission) => isMoved.has(toRecipientId(submission)) === isExpired)
    )
    await updateToExpired(database, expired ?? [])
    await deleteSubmissions(database, received ?? [])
    await insertSteps(
      database,
      moved.map((move) => ({
        ...move,
        step: 'expired',
        detail: `No receipt came within ${RECEIPT_DAYS} days.`,
        carrier: recipients.get(toRecipientId(move))?.carrier ?? null
      }))
    )
    await countMoves(
      database,
      moved.map((move) => ({ ...move, refund: 0 }))
    )
    return overdue.length
  })
  const forgotten = await deleteOldReceipts(pool, { days: KEPT_DAYS, limit: BATCH })
  return { isMoreDue: overdueCount === BATCH || forgotten === BATCH }
}
