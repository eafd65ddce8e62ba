import type { Sql } from '../database/database.ts'
import type { Caller } from '../http/caller.ts'

/** The name of the person or key that asks, as it stands in histories. */
export async function findActorName(sql: Sql, { accountId, personId, keyId }: Caller): Promise<string | undefined> {
  const [row] = await (personId !== null
    ? sql<{ name: string }[]>`
        select coalesce(nullif(trim(first_name || ' ' || last_name), ''), email) as name
        from people
        where id = ${personId}
      `
    : sql<{ name: string }[]>`
        select name
        from api_keys
        where account_id = ${accountId}
          and id = ${keyId}
      `)
  return row?.name
}
