import type { Sql } from '../database/database.ts'
import { deleteOld } from '../database/delete-old.ts'
import type { Callback, DoorName, Report, Reported } from './callback.ts'

export interface NewCallback extends Callback {
  accountId: number
  messageId: number
}

/** Stores the callbacks of messages, in the transaction that accepts them. */
export async function insertCallbacks(sql: Sql, callbacks: readonly NewCallback[]): Promise<void> {
  if (callbacks.length === 0) return
  await sql`
    insert into message_callbacks (
      account_id, message_id, door, url, method, mask, fields, given_numbers, kept_until
    )
    select account_id, message_id, door, url, method, mask, fields::jsonb, given_numbers::jsonb, kept_until
    from unnest(
      ${callbacks.map(({ accountId }) => accountId)}::bigint[],
      ${callbacks.map(({ messageId }) => messageId)}::bigint[],
      ${callbacks.map(({ door }) => door)}::text[],
      ${callbacks.map(({ url }) => url)}::text[],
      ${callbacks.map(({ method }) => method)}::text[],
      ${callbacks.map(({ mask }) => mask)}::smallint[],
      ${callbacks.map(({ fields }) => JSON.stringify(fields))}::text[],
      ${callbacks.map(({ givenNumbers }) => JSON.stringify(givenNumbers))}::text[],
      ${callbacks.map(({ keptUntil }) => keptUntil.toISOString())}::timestamptz[]
    ) as given (account_id, message_id, door, url, method, mask, fields, given_numbers, kept_until)
  `
}

/** Queues reports in the transaction that moved their recipients, for messages that ask for them. */
export async function queueReports(sql: Sql, reported: readonly Reported[]): Promise<void> {
  if (reported.length === 0) return
  await insertReports(
    sql,
    sql`
      select *
      from unnest(
        ${reported.map(({ accountId }) => accountId)}::bigint[],
        ${reported.map(({ messageId }) => messageId)}::bigint[],
        ${reported.map(({ position }) => position)}::integer[],
        ${reported.map(({ report }) => report)}::smallint[],
        ${reported.map(({ state }) => state)}::smallint[]
      ) as given (account_id, message_id, position, report, state)
    `
  )
}

/** The same for recipients that a query selects as account, message, position, report and state. */
export async function insertReports(sql: Sql, selected: ReturnType<Sql>): Promise<void> {
  await sql`
    insert into callback_queue (account_id, message_id, position, report, state)
    select given.account_id, given.message_id, given.position, given.report, given.state
    from (${selected}) as given (account_id, message_id, position, report, state)
    join message_callbacks
      on message_callbacks.account_id = any(array[given.account_id])
      and message_callbacks.message_id = given.message_id
    where mask & given.report <> 0
  `
}

/** A report that a worker has taken, and the callback that asks for it. */
export interface TakenReport {
  accountId: number
  id: number
  messageId: number
  position: number
  report: Report
  state: number
  reportedAt: Date
  /** Attempts with this one. It tells this worker from a later one. */
  attempts: number
  /** Null when the callback was removed meanwhile. */
  door: DoorName | null
  url: string
  method: 'GET' | 'POST'
  fields: Record<string, string>
  givenNumbers: Record<string, string>
}

/**
 * Takes due reports of all accounts, for workers. An account gets so many places at most, minus those it holds in this
 * process. Top-level accounts share all places evenly, each together with its sub-accounts, and one share stays free,
 * so that slow receivers of one family delay no other account. Of a recipient, the oldest report goes first. Accounts
 * are found by jumping from one to the next in the index, however many reports wait.
 */
export async function takeReports(
  sql: Sql,
  {
    places,
    eachMax,
    held,
    leaseSeconds
  }: {
    /** Of this process, those that are held included. */
    places: number
    eachMax: number
    /** Places that each account holds in this process. */
    held: ReadonlyMap<number, number>
    leaseSeconds: number
  }
): Promise<TakenReport[]> {
  const free = places - [...held.values()].reduce((sum, count) => sum + count, 0)
  return sql<TakenReport[]>`
    with recursive queued as (
      (select account_id from callback_queue order by account_id limit 1)
      union all
      select (
        select callback_queue.account_id
        from callback_queue
        where callback_queue.account_id > queued.account_id
        order by callback_queue.account_id
        limit 1
      )
      from queued
      where queued.account_id is not null
    ),
    held as (
      select account_id, reports, coalesce(parent_id, accounts.id) as top_level_id
      from unnest(${[...held.keys()]}::bigint[], ${[...held.values()]}::integer[]) as given (account_id, reports)
      join accounts on accounts.id = given.account_id
    ),
    held_by_families as (
      select top_level_id, sum(reports) as reports
      from held
      group by top_level_id
    ),
    waiting as (
      select queued.account_id, coalesce(parent_id, accounts.id) as top_level_id, coalesce(reports, 0) as reports
      from queued
      join accounts on accounts.id = queued.account_id
      left join held on held.account_id = queued.account_id
    ),
    picked as (
      select waiting.top_level_id, picked.account_id, picked.id, picked.due_at,
        waiting.reports + row_number() over (partition by picked.account_id order by picked.due_at) as place
      from waiting
      cross join lateral (
        select queue.account_id, queue.id, queue.due_at
        from callback_queue as queue
        where queue.account_id = waiting.account_id
          and due_at <= now()
          and not exists (
            select
            from callback_queue as earlier
            where earlier.account_id = queue.account_id
              and earlier.message_id = queue.message_id
              and earlier.position = queue.position
              and earlier.id < queue.id
          )
        order by due_at
        limit greatest(0, ${eachMax}::integer - waiting.reports)
        for update skip locked
      ) as picked
    ),
    placed as (
      -- Within a family, the accounts with the fewest reports under way first.
      select picked.account_id, picked.id, coalesce(held_by_families.reports, 0)
        + row_number() over (partition by picked.top_level_id order by place, due_at) as place
      from picked
      left join held_by_families on held_by_families.top_level_id = picked.top_level_id
    ),
    shared as (
      select greatest(1, ${places}::integer / (1 + count(*))) as share
      from (select top_level_id from picked union select top_level_id from held) as active
    ),
    due as (
      select account_id, id
      from placed
      where place <= (select share from shared)
      order by place
      limit ${free}
    ),
    taken as (
      update callback_queue
      set attempts = attempts + 1, due_at = now() + make_interval(secs => ${leaseSeconds})
      from due
      where callback_queue.account_id = any(array[due.account_id])
        and callback_queue.id = due.id
      returning callback_queue.*
    )
    select taken.account_id, taken.id, taken.message_id, position, report, state, reported_at, attempts,
      door, url, method, fields, given_numbers
    from taken
    left join message_callbacks
      on message_callbacks.account_id = any(array[taken.account_id])
      and message_callbacks.message_id = taken.message_id
  `
}

/** A report as one worker took it. */
export type ReportKey = Pick<TakenReport, 'accountId' | 'id' | 'attempts'>

/** Removes a report that has arrived or is given up, unless another worker has taken it meanwhile. */
export async function deleteReport(sql: Sql, { accountId, id, attempts }: ReportKey): Promise<void> {
  await sql`
    delete from callback_queue
    where account_id = ${accountId}
      and id = ${id}
      and attempts = ${attempts}
  `
}

/** Removes all reports that wait, of all accounts. Returns how many. */
export async function deleteWaitingReports(sql: Sql): Promise<number> {
  const { count } = await sql`delete from callback_queue`
  return count
}

/** Has a report tried again later. */
export async function delayReport(
  sql: Sql,
  { accountId, id, attempts, delaySeconds }: ReportKey & { delaySeconds: number }
): Promise<void> {
  await sql`
    update callback_queue
    set due_at = now() + make_interval(secs => ${delaySeconds})
    where account_id = ${accountId}
      and id = ${id}
      and attempts = ${attempts}
  `
}

/** Removes a number from callbacks; callbacks of messages to this number alone go, with their address. */
export async function eraseCallbacks(
  sql: Sql,
  {
    accountId,
    phone,
    messageIds,
    aloneIds
  }: { accountId: number; phone: string; messageIds: readonly number[]; aloneIds: readonly number[] }
): Promise<void> {
  await deleteCallbacks(sql, { accountId, messageIds: aloneIds })
  await sql`
    update message_callbacks
    set given_numbers = given_numbers - ${phone}::text
    where account_id = ${accountId}
      and message_id = any(${messageIds as number[]}::bigint[])
      and given_numbers ? ${phone}::text
  `
}

async function deleteCallbacks(
  sql: Sql,
  { accountId, messageIds }: { accountId: number; messageIds: readonly number[] }
): Promise<void> {
  if (messageIds.length === 0) return
  await sql`
    delete from callback_queue
    where account_id = ${accountId}
      and message_id = any(${messageIds as number[]}::bigint[])
  `
  await sql`
    delete from message_callbacks
    where account_id = ${accountId}
      and message_id = any(${messageIds as number[]}::bigint[])
  `
}

/** Removes all callbacks of an account that is closed. */
export async function deleteAllCallbacks(sql: Sql, accountId: number): Promise<void> {
  await sql`
    delete from callback_queue
    where account_id = ${accountId}
  `
  await sql`
    delete from message_callbacks
    where account_id = ${accountId}
  `
}

/** Removes callbacks whose last report has come long ago, and returns how many. Of all accounts: for workers. */
export async function deleteOldCallbacks(sql: Sql, limit: number): Promise<number> {
  const isOver = sql`
    not exists (
      select
      from callback_queue
      where callback_queue.account_id = message_callbacks.account_id
        and callback_queue.message_id = message_callbacks.message_id
    )
  `
  const kept = { table: 'message_callbacks', column: 'kept_until', isIndexed: true, isOver }
  return deleteOld(sql, kept, { days: 0, limit })
}
