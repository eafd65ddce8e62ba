import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { lockWaiting, setNextRun } from './automations.store.ts'
import { nextTime } from './schedule.ts'

/**
 * In another time zone the automations of an account run at other moments. One that is due is not passed over, nor one whose run
 * was put off.
 */
export async function carrySchedules(
  sql: Sql,
  { accountId, before, after }: { accountId: number; before: string; after: string }
): Promise<void> {
  const now = databaseNow()
  for (const automation of await lockWaiting(sql, accountId)) {
    const { schedule, nextAt } = automation
    const isPutOff = nextTime(schedule, before, now)?.getTime() !== nextAt.getTime()
    if (isPutOff) continue
    await setNextRun(sql, automation, { nextAt: nextTime(schedule, after, now) ?? null, hasRun: false })
  }
}
