import type { Sql } from '../database/database.ts'

export interface LimitsUsed {
  creditsToday: number
  subAccounts: number
  people: number
  keys: number
  webhooks: number
}

/** How far the limits of an account are used. Credits are counted only while there is a limit of them, and no replaced keys. */
export async function findLimitsUsed(sql: Sql, accountId: number): Promise<LimitsUsed> {
  const [row] = await sql<[LimitsUsed]>`
    select coalesce(used, 0) as credits_today,
      (select count(*) from accounts as subs where subs.parent_id = accounts.id) as sub_accounts,
      (select count(*) from memberships where memberships.account_id = accounts.id) as people,
      (
        select count(*)
        from api_keys
        where api_keys.account_id = accounts.id
          and replaced_by is null
      ) as keys,
      (select count(*) from webhooks where webhooks.account_id = accounts.id) as webhooks
    from accounts
    left join credit_days on credit_days.account_id = accounts.id
      and day = (now() at time zone accounts.time_zone)::date
    where accounts.id = ${accountId}
  `
  return row
}
