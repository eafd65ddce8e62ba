import type { Sql } from '../database/database.ts'

/** Whether a batch is the one whose key a row of `table` has: looked up by it, see docs/design/database.md. */
export function isBatchOf(sql: Sql, table: ReturnType<Sql>) {
  return sql`${isOfMessageOf(sql, table)} and batches.id = ${table}.id`
}

/** The same for all batches of a message. */
export function isOfMessageOf(sql: Sql, table: ReturnType<Sql>) {
  return sql`
    batches.account_id = any(array[${table}.account_id])
    and batches.message_id = ${table}.message_id
  `
}
