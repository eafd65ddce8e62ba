import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'

/*
 * Submitting recipients of a message excludes taking recipients out of it, by a cancel or a STOP. Both take an advisory
 * lock on the message id, and not a lock on its row. Counting updates that row all the time. PostgreSQL (seen with
 * 18.4) loses a FOR KEY SHARE lock taken while an update of the row looks for room on another page. A row lock is also
 * a write.
 *
 * Transactions take these locks before row locks, and in the order of the ids. The server has room for thousands of
 * advisory locks in all, so a transaction may take at most a hundred.
 */

/** Until the transaction ends, no recipient is taken out of these messages. */
export async function lockToSubmit(sql: Sql, messageIds: readonly number[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock_shared(id)
    from unnest(${inOrder(messageIds)}::bigint[]) as given (id)
  `
}

/** Until the transaction ends, no recipient of these messages is submitted. */
export async function lockAgainstSubmitting(sql: Sql, messageIds: readonly number[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(id)
    from unnest(${inOrder(messageIds)}::bigint[]) as given (id)
  `
}

function inOrder(messageIds: readonly number[]): string {
  return numberArray([...new Set(messageIds)].sort((a, b) => a - b))
}
