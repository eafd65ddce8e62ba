import { databaseNow } from '../database/clock.ts'
import { giveUpInDeadlocks, isBusy, type Pool, type Sql } from '../database/database.ts'
import { addMonth, dropMonth, dropStrays, findLastStray, listMonths, lockMonths } from './months.store.ts'

const AHEAD = 2
const DAY_MS = 86_400_000

/** Makes the months of the audit trail ahead of time, and drops those whose entries are all older than `days`. */
export async function keepMonths(pool: Pool, { days }: { days: number }): Promise<void> {
  const now = databaseNow()
  const oldest = new Date(now.getTime() - days * DAY_MS)
  const present = await listMonths(pool)
  for (let ahead = 0; ahead <= AHEAD; ahead++) {
    const month = monthAfter(now, ahead)
    if (!present.some((one) => one.getTime() === month.getTime())) await alone(pool, (sql) => addMonth(sql, month))
  }
  for (const month of present) {
    if (monthAfter(month, 1) <= oldest) await alone(pool, (sql) => dropMonth(sql, month))
  }
  const lastStray = await findLastStray(pool)
  if (lastStray && lastStray < oldest) await alone(pool, (sql) => dropStrays(sql, oldest))
}

/** The first day of a month, in UTC. */
function monthAfter(moment: Date, months: number): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + months))
}

/**
 * Changes the partitions in a transaction of its own. Writers wait behind it, so it does not wait for long itself: an
 * import that takes minutes holds it off, and the next turn of the worker tries again.
 */
async function alone(pool: Pool, change: (sql: Sql) => Promise<void>): Promise<void> {
  try {
    await pool.begin(async (sql) => {
      await giveUpInDeadlocks(sql)
      await lockMonths(sql)
      await change(sql)
    })
  } catch (error) {
    if (!isBusy(error)) throw error
  }
}
