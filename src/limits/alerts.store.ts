import type { Sql } from '../database/database.ts'
import type { Limits } from '../http/limit.ts'

/** A limit that is used to 80 or 100 percent, or a balance below the account's threshold (level 0). */
export interface Alert {
  accountId: number
  /** The name of a limit, `balance_sms` or `balance_rcs`. */
  subject: string
  level: number
  used: number
  max: number
}

/** Only one process looks at a time; false if another one does. */
export async function takeAlertsTurn(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ isTaken: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended('chappe alerts', 0)) as is_taken
  `
  return row.isTaken
}

/** Everything that is at or above 80 percent of its limit now, and every balance below its threshold. */
export async function listDueAlerts(sql: Sql, defaults: Limits): Promise<Alert[]> {
  return sql<Alert[]>`
    with counts as (
      select parent_id as account_id, 'sub_accounts' as subject, count(*) as used
      from accounts
      where parent_id is not null
      group by parent_id
      union all
      select account_id, 'people', count(*)
      from memberships
      group by account_id
      union all
      select account_id, 'keys', count(*)
      from api_keys
      group by account_id
      union all
      select account_id, 'webhooks', count(*)
      from webhooks
      group by account_id
    ),
    limited as (
      select counts.account_id, subject, used, case subject
        when 'sub_accounts' then coalesce(account_limits.sub_accounts, ${defaults.subAccounts}::integer)
        when 'people' then coalesce(account_limits.people, ${defaults.people}::integer)
        when 'keys' then coalesce(account_limits.keys, ${defaults.keys}::integer)
        else coalesce(account_limits.webhooks, ${defaults.webhooks}::integer)
      end as max
      from counts
      left join account_limits on account_limits.account_id = counts.account_id
      union all
      select credit_days.account_id, 'credits_per_day', used, allowed
      from credit_days
      join accounts on accounts.id = credit_days.account_id and day = (now() at time zone time_zone)::date
    )
    select account_id, subject, level, used, max
    from limited
    cross join (values (80), (100)) as levels (level)
    where used * 100 >= max::bigint * level
      and max > 0
    union all
    select accounts.id, subject, 0, coalesce(available, 0), threshold
    from accounts
    cross join lateral (
      values ('balance_sms', 1, balance_alert_sms), ('balance_rcs', 2, balance_alert_rcs)
    ) as balances (subject, message_type, threshold)
    left join credit_balances on credit_balances.account_id = case credits_mode when 'parent' then parent_id else accounts.id end
      and credit_balances.message_type = balances.message_type
    where (balance_alert_sms > 0 or balance_alert_rcs > 0)
      and coalesce(available, 0) < threshold
  `
}

/** Keeps alerts that are new; returns those. */
export async function insertAlerts(sql: Sql, alerts: readonly Alert[]): Promise<Set<string>> {
  if (alerts.length === 0) return new Set()
  const rows = await sql<Pick<Alert, 'accountId' | 'subject' | 'level'>[]>`
    insert into alerts (account_id, subject, level)
    select account_id, subject, level
    from unnest(
      ${alerts.map(({ accountId }) => accountId)}::bigint[],
      ${alerts.map(({ subject }) => subject)}::text[],
      ${alerts.map(({ level }) => level)}::integer[]
    ) as given (account_id, subject, level)
    on conflict do nothing
    returning account_id, subject, level
  `
  return new Set(rows.map(alertName))
}

/** Removes alerts that are over, so that they are told again the next time. */
export async function deleteOverAlerts(sql: Sql, due: readonly Alert[]): Promise<void> {
  await sql`
    delete from alerts
    where subject <> 'requests_per_second'
      and not exists (
        select
        from unnest(
          ${due.map(({ accountId }) => accountId)}::bigint[],
          ${due.map(({ subject }) => subject)}::text[],
          ${due.map(({ level }) => level)}::integer[]
        ) as due (account_id, subject, level)
        where due.account_id = alerts.account_id
          and due.subject = alerts.subject
          and due.level = alerts.level
      )
  `
}

/** Requests a second are over as soon as a second is: they are told again after an hour. */
export async function deleteOldRequestAlerts(sql: Sql): Promise<void> {
  await sql`
    delete from alerts
    where subject = 'requests_per_second'
      and raised_at < now() - interval '1 hour'
  `
}

export function alertName({ accountId, subject, level }: Pick<Alert, 'accountId' | 'subject' | 'level'>): string {
  return `${accountId} ${subject} ${level}`
}
