import type { Sql } from '../database/database.ts'

/** The accounts that a number is granted to, with their names. */
export interface Grant {
  number: string
  accountId: number
  name: string
}

export async function listGrants(sql: Sql): Promise<Grant[]> {
  return sql<Grant[]>`
    select number, account_id, social_reason as name
    from number_grants
    join accounts on accounts.id = account_id
    order by number, account_id
  `
}

/** Replaces the accounts that a number is granted to. */
export async function replaceGrants(sql: Sql, number: string, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from number_grants
    where number = ${number}
      and account_id <> all(${accountIds as number[]}::bigint[])
  `
  await sql`
    insert into number_grants (number, account_id)
    select ${number}, account_id
    from unnest(${accountIds as number[]}::bigint[]) as given (account_id)
    on conflict do nothing
  `
}

/** One change of grants at a time. */
export async function lockGrants(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('chappe number grants', 0))`
}
