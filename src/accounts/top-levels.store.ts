import type { Sql } from '../database/database.ts'

/* For workers whose work top-level accounts share: a sub-account takes the turns of its top-level account. */

/** The top-level account of a row: its account itself, or the parent of a sub-account. */
export function topLevelIdOf(sql: Sql, accountId: ReturnType<Sql>) {
  return sql`(select coalesce(parent_id, accounts.id) from accounts where accounts.id = ${accountId}) as top_level_id`
}

/** Whether the account of a row is none of these top-level accounts, and no sub-account of theirs. */
export function isOfOthers(sql: Sql, accountId: ReturnType<Sql>, topLevelIds: readonly number[]) {
  if (topLevelIds.length === 0) return sql`true`
  return sql`
    ${accountId} not in (
      select accounts.id
      from accounts
      where coalesce(parent_id, accounts.id) = any(${topLevelIds as number[]}::bigint[])
    )
  `
}
