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

/** What is looked at together: what sends use up, and what is counted by going over whole tables. */
export const LOOKS = {
  uses: { everySeconds: 5, subjects: ['credits_per_day', 'balance_sms', 'balance_rcs'] },
  counts: { everySeconds: 60, subjects: ['sub_accounts', 'people', 'keys', 'webhooks'] }
} as const

export type Look = keyof typeof LOOKS

/** Whether this process is the one that looks now. A process that dies meanwhile leaves the turn to the next. */
export async function takeTurn(sql: Sql, look: Look): Promise<boolean> {
  const { count } = await sql`
    update alert_turns
    set next_at = now() + make_interval(secs => ${LOOKS[look].everySeconds})
    where name = (
      select name
      from alert_turns
      where name = ${look}
        and next_at <= now()
      for update skip locked
    )
  `
  return count > 0
}

/** Looks of one kind take turns, until the transaction ends. */
export async function lockLook(sql: Sql, look: Look): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('chappe alerts ' || ${look}, 0))`
}

/**
 * The days that are used to 80 percent or more, and every balance below its threshold. Both are few rows, by their index. A closed
 * account needs no credits any more, and has given them back.
 */
export async function listUsedUp(sql: Sql): Promise<Alert[]> {
  return sql<Alert[]>`
    select credit_days.account_id, 'credits_per_day' as subject, level, used, allowed as max
    from credit_days
    join accounts on accounts.id = credit_days.account_id and day = (now() at time zone time_zone)::date
    cross join (values (80), (100)) as levels (level)
    where used * 100 >= allowed * level
      and allowed > 0
      and standing <> 'closed'
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
      and standing <> 'closed'
  `
}

/**
 * Sub-accounts, people, keys and webhooks of accounts that have 80 percent of their limit or more. A closed account is not
 * told.
 */
export async function listManyCounted(sql: Sql, defaults: Limits): Promise<Alert[]> {
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
      where replaced_by is null
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
      join accounts on accounts.id = counts.account_id and standing <> 'closed'
      left join account_limits on account_limits.account_id = counts.account_id
    )
    select account_id, subject, level, used, max
    from limited
    cross join (values (80), (100)) as levels (level)
    where used * 100 >= max::bigint * level
      and max > 0
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

/** Removes alerts of a look that are over, so that they are told again the next time. */
export async function deleteOverAlerts(sql: Sql, look: Look, due: readonly Alert[]): Promise<void> {
  await sql`
    delete from alerts
    where subject = any(${[...LOOKS[look].subjects]}::text[])
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
