import type { BalanceKey } from '../credits/balance.ts'
import type { MessageTypeId } from '../credits/credit.ts'
import type { Sql } from '../database/database.ts'
import type { Part } from '../database/sql.ts'

/*
 * The sums of credit entries by day, account, country and sender. Entries of one balance have positions in the order of their
 * commits, without gaps. So a position tells which entries are in the figures, and each entry is added once.
 */

/** Sums of entries. */
export interface Sums {
  added: number
  removed: number
  used: number
  refunded: number
}

/**
 * A query for a part of another statement: for each of some entries, its shares by what figures tell apart. The shares of an entry
 * add up to it, whatever its kind: what no country is known for is the share of the country ''.
 */
export function sharesOf(sql: Sql, entries: Part): Part {
  return sql`
    select entry.account_id, entry.message_type, (entry.created_at at time zone 'UTC')::date as day,
      coalesce(entry.spender_id, entry.counterparty_id, 0) as other_id, share.country,
      coalesce(reservation.sender, '') as sender,
      case when entry.spender_id is null and entry.available > 0 then share.amount else 0 end as added,
      case when entry.spender_id is null and entry.available < 0 then share.amount else 0 end as removed,
      case when entry.spender_id is not null and entry.available < 0 then share.amount else 0 end as used,
      case when entry.spender_id is not null and entry.available > 0 then share.amount else 0 end as refunded,
      entry.reference
    from (${entries}) as entry
    left join credit_reservations as reservation
      on reservation.account_id = entry.spender_id
      and reservation.message_type = entry.message_type
      and reservation.reference = entry.reference
    cross join lateral (
      select coalesce(entry.countries, case when entry.available < 0 then reservation.countries end) as countries
    ) as split
    cross join lateral (
      select key as country, value::bigint as amount
      from jsonb_each_text(split.countries)
      union all
      select case when split.countries is null then coalesce(reservation.country, '') else '' end,
        abs(entry.available) - coalesce((select sum(value::bigint) from jsonb_each_text(split.countries)), 0)::bigint
    ) as share
    where entry.available <> 0
      and share.amount <> 0
  `
}

const SUMS = (sql: Sql) => sql`
  sum(added)::bigint as added, sum(removed)::bigint as removed, sum(used)::bigint as used, sum(refunded)::bigint as refunded
`

/** Balances with entries that are not in the figures, of all accounts: for workers. */
export async function listUnfolded(sql: Sql, limit: number): Promise<BalanceKey[]> {
  return sql<BalanceKey[]>`
    select account_id, message_type
    from credit_balances
    left join credit_figure_progress using (account_id, message_type)
    where entry_count > coalesce(position, 0)
    order by account_id, message_type
    limit ${limit}
  `
}

/**
 * Locks the figures of a balance until the transaction ends, and returns the position that they reach; undefined if another process
 * has them and `isWaiting` is false.
 */
export async function lockProgress(
  sql: Sql,
  { accountId, messageType }: BalanceKey,
  { isWaiting }: { isWaiting: boolean }
): Promise<number | undefined> {
  await sql`
    insert into credit_figure_progress (account_id, message_type)
    values (${accountId}, ${messageType})
    on conflict do nothing
  `
  const [row] = await sql<{ position: number }[]>`
    select position
    from credit_figure_progress
    where account_id = ${accountId}
      and message_type = ${messageType}
    for update ${isWaiting ? sql`` : sql`skip locked`}
  `
  return row?.position
}

/** Adds up to so many entries to the figures. The caller has locked them. Returns the position that they reach now. */
export async function foldEntries(
  sql: Sql,
  { accountId, messageType }: BalanceKey,
  { after, limit }: { after: number; limit: number }
): Promise<{ position: number; entryCount: number }> {
  const entries = sql`
    select credit_entries.*
    from bounds
    join credit_entries on account_id = ${accountId}
      and message_type = ${messageType}
      and position > ${after}
      and position <= until
  `
  const [row] = await sql<[{ position: number; entryCount: number }]>`
    with bounds as (
      select least(entry_count, ${after}::bigint + ${limit}::integer) as until, entry_count
      from credit_balances
      where account_id = ${accountId}
        and message_type = ${messageType}
    ),
    folded as (
      insert into credit_figures (
        account_id, message_type, day, other_id, country, sender, added, removed, used, refunded
      )
      select account_id, message_type, day, other_id, country, sender, ${SUMS(sql)}
      from (${sharesOf(sql, entries)}) as shares
      group by account_id, message_type, day, other_id, country, sender
      on conflict (account_id, message_type, day, other_id, country, sender) do update
      set added = credit_figures.added + excluded.added,
          removed = credit_figures.removed + excluded.removed,
          used = credit_figures.used + excluded.used,
          refunded = credit_figures.refunded + excluded.refunded
    ),
    placed as (
      insert into credit_figure_days (account_id, message_type, day, first_position, last_position)
      select account_id, message_type, (created_at at time zone 'UTC')::date as day, min(position), max(position)
      from (${entries}) as entries
      group by account_id, message_type, day
      on conflict (account_id, message_type, day) do update
      set first_position = least(credit_figure_days.first_position, excluded.first_position),
          last_position = greatest(credit_figure_days.last_position, excluded.last_position)
    )
    update credit_figure_progress
    set position = until
    from bounds
    where account_id = ${accountId}
      and message_type = ${messageType}
    returning position, entry_count
  `
  return row
}

/** Days of UTC, as YYYY-MM-DD: from the first up to, and without, the last. */
export interface Days {
  from: string
  before: string
}

/**
 * A query for a part of another statement: the figures of an account within some days, and the shares of entries that are not in the
 * figures yet. Both are of one snapshot.
 */
function figuresOf(sql: Sql, accountId: number, { from, before }: Days): Part {
  const entries = sql`
    select credit_entries.*
    from credit_balances
    left join credit_figure_progress as progress using (account_id, message_type)
    join credit_entries using (account_id, message_type)
    where credit_balances.account_id = ${accountId}
      and credit_entries.position > coalesce(progress.position, 0)
  `
  const columns = sql`message_type, day, other_id, country, sender, added, removed, used, refunded`
  return sql`
    select ${columns}
    from credit_figures
    where account_id = ${accountId}
      and day >= ${from}::date
      and day < ${before}::date
    union all
    select ${columns}
    from (${sharesOf(sql, entries)}) as shares
    where day >= ${from}::date
      and day < ${before}::date
  `
}

export interface TypeSums extends Sums {
  messageType: MessageTypeId
}

/** The sums of an account within some days, by message type. */
export async function sumByType(sql: Sql, accountId: number, days: Days): Promise<TypeSums[]> {
  return sql<TypeSums[]>`
    select message_type, ${SUMS(sql)}
    from (${figuresOf(sql, accountId, days)}) as figures
    group by message_type
    order by message_type
  `
}

/** What credits moved for: one account, country and sender. */
export interface UseSums extends TypeSums {
  /** The account that sent, or the other account of a transfer; 0 for credits from and to outside. */
  otherId: number
  country: string
  sender: string
}

/** The same by account, country and sender. */
export async function sumByUse(sql: Sql, accountId: number, days: Days): Promise<UseSums[]> {
  return sql<UseSums[]>`
    select message_type, other_id, country, sender, ${SUMS(sql)}
    from (${figuresOf(sql, accountId, days)}) as figures
    group by message_type, other_id, country, sender
    having sum(added) <> 0 or sum(removed) <> 0 or sum(used) <> 0 or sum(refunded) <> 0
    order by message_type, other_id, country, sender
  `
}

/** The day of the first entries of any account; undefined if there are none. */
export async function findFirstDay(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<[{ day: string | null }]>`
    select to_char(min(first.created_at) at time zone 'UTC', 'YYYY-MM-DD') as day
    from credit_balances
    cross join lateral (
      select created_at
      from credit_entries
      where credit_entries.account_id = credit_balances.account_id
        and credit_entries.message_type = credit_balances.message_type
        and position = 1
    ) as first
  `
  return row.day ?? undefined
}

/** What one message took and got back on a day, for one country and sender. */
export interface DayUse {
  messageType: MessageTypeId
  /** Null for the sum of messages to one recipient each, and of messages that are no longer kept. */
  messageId: number | null
  name: string | null
  otherId: number
  country: string
  sender: string
  used: number
  refunded: number
}

/** The credits of messages on one day of UTC, as YYYY-MM-DD. */
export async function listDayUses(sql: Sql, accountId: number, day: string): Promise<DayUse[]> {
  const entries = sql`
    select credit_entries.*
    from credit_balances
    left join credit_figure_progress as progress using (account_id, message_type)
    left join credit_figure_days as days
      on days.account_id = credit_balances.account_id
      and days.message_type = credit_balances.message_type
      and days.day = ${day}::date
    cross join lateral (
      select *
      from credit_entries
      where credit_entries.account_id = credit_balances.account_id
        and credit_entries.message_type = credit_balances.message_type
        and position between first_position and last_position
        and position <= progress.position
      union all
      select *
      from credit_entries
      where credit_entries.account_id = credit_balances.account_id
        and credit_entries.message_type = credit_balances.message_type
        and position > coalesce(progress.position, 0)
    ) as credit_entries
    where credit_balances.account_id = ${accountId}
      and spender_id is not null
  `
  return sql<DayUse[]>`
    select message_type, messages.id as message_id, messages.name, other_id, country, shares.sender,
      sum(used)::bigint as used, sum(refunded)::bigint as refunded
    from (${sharesOf(sql, entries)}) as shares
    left join messages on messages.account_id = other_id
      and messages.id = substring(reference from '^message ([0-9]+)')::bigint
      and recipients_count > 1
    where day = ${day}::date
    group by message_type, messages.id, messages.name, other_id, country, shares.sender
    order by message_type, messages.id nulls last, other_id, country, shares.sender
  `
}
