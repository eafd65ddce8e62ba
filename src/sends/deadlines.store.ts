import { isOfOthers, topLevelIdOf } from '../accounts/top-levels.store.ts'
import type { Sql } from '../database/database.ts'

/* Messages with a deadline that may still be late. One that has left, or was told to be late, is forgotten here. */

export interface Deadline {
  accountId: number
  messageId: number
  deadline: Date
}

export async function insertDeadlines(sql: Sql, deadlines: readonly Deadline[]): Promise<void> {
  if (deadlines.length === 0) return
  await sql`
    insert into deadlines (account_id, message_id, deadline)
    select account_id, message_id, deadline::timestamptz
    from unnest(
      ${deadlines.map(({ accountId }) => accountId)}::bigint[],
      ${deadlines.map(({ messageId }) => messageId)}::bigint[],
      ${deadlines.map(({ deadline }) => deadline.toISOString())}::text[]
    ) as given (account_id, message_id, deadline)
  `
}

/**
 * Locks the one that is to be looked at next, of any account but these top-level accounts and their sub-accounts: for workers.
 * One that another process looks at is passed over.
 */
export async function lockDueDeadline(
  sql: Sql,
  except: readonly number[]
): Promise<(Deadline & { topLevelId: number }) | undefined> {
  const [row] = await sql<(Deadline & { topLevelId: number })[]>`
    select account_id, message_id, deadline, ${topLevelIdOf(sql, sql`deadlines.account_id`)}
    from deadlines
    where next_at <= now()
      and ${isOfOthers(sql, sql`account_id`, except)}
    order by next_at
    limit 1
    for update skip locked
  `
  return row
}

/** Looks again after so many seconds, and at the deadline itself. */
export async function putOffDeadline(sql: Sql, { accountId, messageId }: Deadline, seconds: number): Promise<void> {
  await sql`
    update deadlines
    set next_at = case
        when deadline > now() then least(deadline, now() + make_interval(secs => ${seconds}))
        else now() + make_interval(secs => ${seconds})
      end
    where account_id = ${accountId}
      and message_id = ${messageId}
  `
}

export async function deleteDeadline(sql: Sql, { accountId, messageId }: Deadline): Promise<void> {
  await sql`
    delete from deadlines
    where account_id = ${accountId}
      and message_id = ${messageId}
  `
}
