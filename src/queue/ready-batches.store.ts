import type { Sql } from '../database/database.ts'
import { isBatchOf } from './conditions.store.ts'

/** Makes due batches ready, oldest first; returns how many. */
export async function readyBatches(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    with due as (
      select account_id, message_id, id
      from batches
      where not is_ready
        and not is_paused
        and due_at <= now()
      order by due_at
      limit ${limit}
      for update skip locked
    )
    update batches
    set is_ready = true, due_at = batches.due_at - ${headStart(sql)}
    from due
    where ${isBatchOf(sql, sql`due`)}
  `
  return count
}

/** The `due_at` of a batch that is ready now. */
export function atOnce(sql: Sql) {
  return sql`now() - ${headStart(sql)}`
}

/** When a ready batch was due. */
export function dueSince(sql: Sql) {
  return sql`(due_at + ${headStart(sql)})`
}

/**
 * The order of claims is that of `due_at`. A ready batch with a head start has an earlier one, so that no index and no claim
 * has to know of priorities.
 */
function headStart(sql: Sql) {
  return sql`make_interval(secs => coalesce(head_start_seconds, 0))`
}
