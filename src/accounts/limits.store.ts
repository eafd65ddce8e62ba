import type { Sql } from '../database/database.ts'
import type { Limits } from '../http/limit.ts'
import { notifyAccountChanged } from '../people/notices.store.ts'

export async function findLimits(sql: Sql, accountId: number): Promise<Limits | undefined> {
  const [row] = await sql<Limits[]>`
    select ${limitColumns(sql)}
    from account_limits
    where account_id = ${accountId}
  `
  return row
}

/** Replaces all limits of an account. */
export async function upsertLimits(sql: Sql, accountId: number, limits: Limits): Promise<void> {
  await sql`
    insert into account_limits (account_id, ${limitColumns(sql)})
    values (
      ${accountId}, ${limits.requestsPerSecond}, ${limits.creditsPerDay}, ${limits.messagesPerNumber},
      ${limits.countries as string[] | null}::text[], ${limits.subAccounts}, ${limits.people}, ${limits.keys},
      ${limits.webhooks}
    )
    on conflict (account_id) do update
    set requests_per_second = excluded.requests_per_second,
        credits_per_day = excluded.credits_per_day,
        messages_per_number = excluded.messages_per_number,
        countries = excluded.countries,
        sub_accounts = excluded.sub_accounts,
        people = excluded.people,
        keys = excluded.keys,
        webhooks = excluded.webhooks
  `
  await notifyAccountChanged(sql, accountId)
}

function limitColumns(sql: Sql) {
  return sql`
    requests_per_second, credits_per_day, messages_per_number, countries, sub_accounts, people, keys, webhooks
  `
}
