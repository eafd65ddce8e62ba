import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Part, Query } from '../database/sql.ts'

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
      where hour = ${thisHour(sql)}
        and number_key = ${numberKey(sql, sql`given.phone`, sql`given.account_id`)}
      offset 0
    ) as hour
  `
}

/** Counts messages to numbers. The rows stay locked until the transaction ends, in an order that all keep to. */
export async function addNumberUses(sql: Sql, uses: readonly (NumberKey & Counted)[]): Promise<void> {
  if (uses.length > 0) await numberUsesStatement(sql, uses)
}

/** The statement of `addNumberUses`, which may become a part of another one. */
export function numberUsesStatement(sql: Sql, uses: readonly (NumberKey & Counted)[]): Query<unknown> {
  const first = uses[0] as NumberKey
  if (uses.every((use) => use.counted === 1 && isLike(use, first))) return oneEach(sql, uses, first)
  return sql`
    insert into number_hours (hour, number_key, used, allowed)
    select ${thisHour(sql)}, number_key, sum(used), min(allowed)
    from (
      select account_id, ${numberKey(sql, sql`phone`, sql`account_id`)} as number_key, used, allowed
      from unnest(
        ${numberArray(uses.map(({ accountId }) => accountId))}::bigint[],
        ${uses.map(({ phone }) => phone)}::text[],
        ${numberArray(uses.map(({ counted }) => counted))}::integer[],
        ${numberArray(uses.map(({ allowed }) => allowed))}::integer[]
      ) as given (account_id, phone, used, allowed)
    ) as given
    group by account_id, number_key
    order by account_id, number_key
    on conflict (hour, number_key) do update
    set used = number_hours.used + excluded.used,
        allowed = case when excluded.used = 0 then number_hours.allowed else excluded.allowed end
  `
}

function isLike(a: NumberKey, b: NumberKey): boolean {
  return a.accountId === b.accountId && a.allowed === b.allowed
}

/** One message to each of several numbers of one account, as single messages that arrive together mostly are. */
function oneEach(
  sql: Sql,
  uses: readonly NumberKey[],
  { accountId, allowed }: Pick<NumberKey, 'accountId' | 'allowed'>
): Query<unknown> {
  return sql`
    insert into number_hours (hour, number_key, used, allowed)
    select ${thisHour(sql)}, number_key, 1, ${allowed}::integer
    from (
      select ${numberKey(sql, sql`phone`, sql`${accountId}::bigint`)} as number_key
      from unnest(${uses.map(({ phone }) => phone)}::text[]) as given (phone)
      order by number_key
    ) as given
    on conflict (hour, number_key) do update
    set used = number_hours.used + 1,
        allowed = excluded.allowed
  `
}

/** Locks the numbers that a campaign noted, in the same order: two campaigns that reach the same people take turns. */
export async function lockNotedNumbers(
  sql: Sql,
  { accountId, allowed }: Pick<NumberKey, 'accountId' | 'allowed'>
): Promise<void> {
  await sql`
    insert into number_hours (hour, number_key, used, allowed)
    select distinct ${thisHour(sql)}, ${numberKey(sql, sql`phone`, sql`${accountId}::bigint`)} as number_key, 0,
      ${allowed}::integer
    from campaign_people
    order by number_key
    on conflict (hour, number_key) do update
    set used = number_hours.used
  `
}

/** A number of an account. The phone is hashed: whoever erases a number leaves none here. */
function numberKey(sql: Sql, phone: Part, accountId: Part) {
  return sql`hashint8extended(hashtextextended(${phone}, 0), ${accountId})`
}

/** The hour of the clock, counted from 1970. */
function thisHour(sql: Sql) {
  return sql`(select floor(extract(epoch from now()) / 3600)::integer)`
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
    left join credit_days on credit_days.account_id = any(array[given.account_id]) and day = local::date
  `
}

/** Counts credits of today. The rows stay locked until the transaction ends, in an order that all keep to. */
export async function addDayUses(sql: Sql, uses: readonly (DayKey & Counted)[]): Promise<void> {
  if (uses.length > 0) await dayUsesStatement(sql, uses)
}

/** The statement of `addDayUses`, which may become a part of another one. */
export function dayUsesStatement(sql: Sql, uses: readonly (DayKey & Counted)[]): Query<unknown> {
  return sql`
    insert into credit_days (account_id, day, used, allowed)
    ${uses.length === 1 ? dayValues(sql, uses[0] as DayKey & Counted) : dayRows(sql, uses)}
    on conflict (account_id, day) do update
    set used = credit_days.used + excluded.used,
        allowed = case when excluded.used = 0 then credit_days.allowed else excluded.allowed end
  `
}

/** Another time zone begins no other day: what the day of the old one has spent counts for the day of the new one. */
export async function carryDayUse(
  sql: Sql,
  { accountId, before, after }: { accountId: number; before: string; after: string }
): Promise<void> {
  await sql`
    insert into credit_days (account_id, day, used, allowed)
    select account_id, (now() at time zone ${after}::text)::date, used, allowed
    from credit_days
    where account_id = ${accountId}
      and day = (now() at time zone ${before}::text)::date
    on conflict (account_id, day) do update
    set used = greatest(credit_days.used, excluded.used),
        allowed = greatest(credit_days.allowed, excluded.allowed)
  `
}

/** Of one account, as single messages that arrive together often have. */
function dayValues(sql: Sql, { accountId, timeZone, counted, allowed }: DayKey & Counted) {
  return sql`values (
    ${accountId}::bigint, (now() at time zone ${timeZone}::text)::date, ${counted}::bigint, ${allowed}::bigint
  )`
}

function dayRows(sql: Sql, uses: readonly (DayKey & Counted)[]) {
  return sql`
    select account_id, (now() at time zone time_zone)::date, used, allowed
    from unnest(
      ${uses.map(({ accountId }) => accountId)}::bigint[],
      ${uses.map(({ timeZone }) => timeZone)}::text[],
      ${uses.map(({ counted }) => counted)}::bigint[],
      ${uses.map(({ allowed }) => allowed)}::bigint[]
    ) as given (account_id, time_zone, used, allowed)
    order by account_id
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
    where hour < ${thisHour(sql)} - 2
  `
  await sql`
    delete from credit_days
    where day < current_date - 2
  `
}
