import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'

/*
 * Of a message, some submit recipients while others take recipients out of it, by a cancel or a STOP: never both at once. What
 * they lock is the message's id, and not its row. That is updated all the time by those who count, and PostgreSQL (seen with
 * 18.4) loses a FOR KEY SHARE that somebody takes of a row at the moment at which an update of it looks for room on another
 * page. Also, whoever locks a row writes.
 *
 * Taken before rows are locked, and in the order of the ids. The server has room for thousands of such locks in all, so that
 * nobody may take more than a hundred.
 */

/** Until the transaction ends nobody takes recipients out of these messages. */
export async function lockToSubmit(sql: Sql, messageIds: readonly number[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock_shared(id)
    from unnest(${inOrder(messageIds)}::bigint[]) as given (id)
  `
}

/** Until the transaction ends nobody submits recipients of these messages. */
export async function lockAgainstSubmitting(sql: Sql, messageIds: readonly number[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(id)
    from unnest(${inOrder(messageIds)}::bigint[]) as given (id)
  `
}

function inOrder(messageIds: readonly number[]): string {
  return numberArray([...new Set(messageIds)].sort((a, b) => a - b))
}
