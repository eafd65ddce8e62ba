import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'

/** The violated constraints when somebody else used up a limit since it was read. */
export const USED_UP_MEANWHILE: readonly (string | undefined)[] = ['credit_days_within', 'number_hours_within']

export interface NumberKey {
  accountId: number
  phone: string
  allowed: number
}

export interface DayKey {
  accountId: number
  timeZone: string
  allowed: number
}

/** What a transaction adds to a use. */
interface Counted {
  counted: number
}

export interface NumberUse {
  accountId: number
  phone: string
  used: number
}

export interface DayUse {
  accountId: number
  used: number
  /** Until the next midnight of the account. */
  secondsLeft: number
}

/** How often numbers were written to within this hour; those that were not are left out. */
export async function listNumberUses(sql: Sql, keys: readonly NumberKey[], isLocked: boolean): Promise<NumberUse[]> {
  if (keys.length === 0) return []
  if (isLocked) await addNumberUses(sql, keys.map(toNoUse))
  // Each number by its key: a join may read all numbers of the hour.
  return sql<NumberUse[]>`
    select given.account_id, given.phone, hour.used
    from unnest(
      ${numberArray(keys.map(({ accountId }) => accountId))}::bigint[],
      ${keys.map(({ phone }) => phone)}::text[]
    ) as given (account_id, phone)
    cross join lateral (
      select used
      from number_hours
      where hour_at = (select date_trunc('hour', now()))
        and account_id = given.account_id
        and number_hash = hashtextextended(given.phone, 0)
      offset 0
    ) as hour
  `
}

/** Counts messages to numbers. The rows stay locked until the transaction ends, in an order that all keep to. */
export async function addNumberUses(sql: Sql, uses: readonly (NumberKey & Counted)[]): Promise<void> {
  if (uses.length === 0) return
  await sql`
    insert into number_hours (account_id, hour_at, number_hash, used, allowed)
    select account_id, (select date_trunc('hour', now())), hashtextextended(phone, 0) as number_hash, sum(used),
      min(allowed)
    from unnest(
      ${numberArray(uses.map(({ accountId }) => accountId))}::bigint[],
      ${uses.map(({ phone }) => phone)}::text[],
      ${numberArray(uses.map(({ counted }) => counted))}::integer[],
      ${numberArray(uses.map(({ allowed }) => allowed))}::integer[]
    ) as given (account_id, phone, used, allowed)
    group by account_id, number_hash
    order by account_id, number_hash
    on conflict (account_id, hour_at, number_hash) do update
    set used = number_hours.used + excluded.used,
        allowed = case when excluded.used = 0 then number_hours.allowed else excluded.allowed end
  `
}

/** Locks the numbers that a campaign noted, in the same order: two campaigns that reach the same people take turns. */
export async function lockNotedNumbers(
  sql: Sql,
  { accountId, allowed }: Pick<NumberKey, 'accountId' | 'allowed'>
): Promise<void> {
  await sql`
    insert into number_hours (account_id, hour_at, number_hash, used, allowed)
    select distinct ${accountId}::bigint, date_trunc('hour', now()), hashtextextended(phone, 0) as number_hash, 0,
      ${allowed}::integer
    from campaign_people
    order by number_hash
    on conflict (account_id, hour_at, number_hash) do update
    set used = number_hours.used
  `
}

/** What accounts have spent today, one row each. */
export async function listDayUses(sql: Sql, keys: readonly DayKey[], isLocked: boolean): Promise<DayUse[]> {
  if (keys.length === 0) return []
  if (isLocked) await addDayUses(sql, keys.map(toNoUse))
  return sql<DayUse[]>`
    select given.account_id, coalesce(used, 0) as used,
      ceil(extract(epoch from (date_trunc('day', local) + interval '1 day') at time zone time_zone - now()))::integer
        as seconds_left
    from (
      select account_id, time_zone, now() at time zone time_zone as local
      from unnest(
        ${keys.map(({ accountId }) => accountId)}::bigint[],
        ${keys.map(({ timeZone }) => timeZone)}::text[]
      ) as given (account_id, time_zone)
    ) as given
    left join credit_days on credit_days.account_id = given.account_id and day = local::date
  `
}

/** Counts credits of today. The rows stay locked until the transaction ends, in an order that all keep to. */
export async function addDayUses(sql: Sql, uses: readonly (DayKey & Counted)[]): Promise<void> {
  const [use] = uses
  if (!use) return
  if (uses.length === 1) return addDayUse(sql, use)
  await sql`
    insert into credit_days (account_id, day, used, allowed)
    select account_id, (now() at time zone time_zone)::date, used, allowed
    from unnest(
      ${uses.map(({ accountId }) => accountId)}::bigint[],
      ${uses.map(({ timeZone }) => timeZone)}::text[],
      ${uses.map(({ counted }) => counted)}::bigint[],
      ${uses.map(({ allowed }) => allowed)}::bigint[]
    ) as given (account_id, time_zone, used, allowed)
    order by account_id
    on conflict (account_id, day) do update
    set used = credit_days.used + excluded.used,
        allowed = case when excluded.used = 0 then credit_days.allowed else excluded.allowed end
  `
}

/** The same for one account, as single messages that arrive together often have. */
async function addDayUse(sql: Sql, { accountId, timeZone, counted, allowed }: DayKey & Counted): Promise<void> {
  await sql`
    insert into credit_days (account_id, day, used, allowed)
    values (${accountId}, (now() at time zone ${timeZone}::text)::date, ${counted}, ${allowed})
    on conflict (account_id, day) do update
    set used = credit_days.used + excluded.used,
        allowed = case when excluded.used = 0 then credit_days.allowed else excluded.allowed end
  `
}

/** Locks a row that is there, and makes a missing one. */
function toNoUse<Key>(key: Key): Key & Counted {
  return { ...key, counted: 0 }
}

/** Removes days and hours that are over. */
export async function deleteOldUses(sql: Sql): Promise<void> {
  await sql`
    delete from number_hours
    where hour_at < now() - interval '2 hours'
  `
  await sql`
    delete from credit_days
    where day < current_date - 2
  `
}
