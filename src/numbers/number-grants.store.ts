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

/** A number without a grant is free to all; a grant holds for sub-accounts too. */
export async function mayUseNumber(
  sql: Sql,
  { accountId, number }: { accountId: number; number: string }
): Promise<boolean> {
  const [row] = await sql<[{ mayUse: boolean }]>`
    select not exists (select from number_grants where number_grants.number = ${number})
      or exists (
        select
        from number_grants
        join accounts on number_grants.account_id in (accounts.id, accounts.parent_id)
        where number_grants.number = ${number}
          and accounts.id = ${accountId}
      ) as may_use
  `
  return row.mayUse
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

/**
 * Takes the numbers of a closed account away. The last grant of a number stays: without any, the number would be free to all,
 * and the closed account can't use it.
 */
export async function deleteGrantsOf(sql: Sql, accountId: number): Promise<number> {
  const { count } = await sql`
    delete from number_grants
    where account_id = ${accountId}
      and exists (
        select
        from number_grants as others
        where others.number = number_grants.number
          and others.account_id <> number_grants.account_id
      )
  `
  return count
}

/** One change of grants at a time. */
export async function lockGrants(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('chappe number grants', 0))`
}
