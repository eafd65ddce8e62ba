import { type CopiedRow, copyRows } from '../database/copy-rows.ts'
import { liftStatementTimeout, type Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import { isoTime, madeEvents, queueMade } from '../webhooks/events.store.ts'
import { deleteErasedStop, hashOf } from './erased-stops.store.ts'
import type { Stop, StopSource } from './stop.ts'

interface StopKey {
  accountId: number
  phone: string
}

/** Opts a number out. An existing opt-out stays as it was. */
export async function insertStop(
  sql: Sql,
  { accountId, phone, source }: StopKey & { source: StopSource }
): Promise<{ stop: Stop; isNew: boolean }> {
  const [made] = await sql<Stop[]>`
    insert into stops (account_id, id, phone, source)
    values (${accountId}, nextval('stop_ids'), ${phone}, ${source})
    on conflict (account_id, phone) do nothing
    returning id, phone, source, created_at
  `
  if (made) return { stop: made, isNew: true }
  const found = await findStop(sql, { accountId, phone })
  // The row may have been deleted between the two statements: then the insert succeeds.
  return found ? { stop: found, isNew: false } : insertStop(sql, { accountId, phone, source })
}

export async function findStop(sql: Sql, { accountId, phone }: StopKey): Promise<Stop | undefined> {
  const [row] = await sql<Stop[]>`
    select id, phone, source, created_at
    from stops
    where account_id = ${accountId}
      and phone = ${phone}
  `
  return row
}

/** Opts out all numbers of a file; a row is a line and a number. Returns the number of rows, and of new opt-outs. */
export async function insertImportedStops(
  sql: Sql,
  { accountId, batches }: { accountId: number; batches: AsyncIterable<CopiedRow[]> }
): Promise<{ rows: number; added: number }> {
  await liftStatementTimeout(sql)
  await sql`create temporary table imported_stops (line bigint not null, phone text not null) on commit drop`
  await copyRows(sql, { table: 'imported_stops', columns: ['line', 'phone'] }, batches)
  // In the order of the numbers, so that two files at once cannot deadlock.
  const [row] = await sql<[{ rows: number; added: number }]>`
    with added as (
      insert into stops (account_id, id, phone, source)
      select ${accountId}, nextval('stop_ids'), phone, 'file'
      from (
        select distinct phone
        from imported_stops
        order by phone
      ) as given
      on conflict (account_id, phone) do nothing
      returning account_id, id, phone, created_at
    ),
    made as (
      ${madeEvents(
        sql,
        sql`
          select account_id, nextval('event_ids'), 'stops', jsonb_build_object(
            'message_id', null, 'id', id, 'recipient', phone, 'source', 'file',
            'timestamp', ${isoTime(sql, sql`created_at`)}
          )
          from added
          where exists (select from event_subscriptions where account_id = ${accountId} and type = 'stops')
        `
      )}
    ),
    queued as (${queueMade(sql)})
    select (select count(*) from imported_stops) as rows, count(*) as added
    from added
  `
  return row
}

/** Which of these numbers are opted out: one statement, by index, for any number of them. */
export async function listStopped(
  sql: Sql,
  { accountId, phones }: { accountId: number; phones: readonly string[] }
): Promise<Set<string>> {
  const rows = await sql<{ phone: string }[]>`
    select phone
    from stops
    where account_id = ${accountId}
      and phone = any(${phones as string[]}::text[])
    union all
    select given.phone
    from erasure_keys
    cross join unnest(${phones as string[]}::text[]) as given (phone)
    join erased_stops on erased_stops.account_id = erasure_keys.account_id
      and phone_hash = ${hashOf(sql, sql`given.phone`)}
    where erasure_keys.account_id = ${accountId}
  `
  return new Set(rows.map(({ phone }) => phone))
}

/** The same for numbers of several accounts, by account. The numbers of one account take a fifth of the time. */
export async function listStoppedPairs(sql: Sql, pairs: readonly StopKey[]): Promise<Map<number, Set<string>>> {
  const accountIds = pairs.map(({ accountId }) => accountId)
  const phones = pairs.map(({ phone }) => phone)
  const [accountId] = accountIds
  if (accountId === undefined) return new Map()
  if (accountIds.every((other) => other === accountId)) {
    return new Map([[accountId, await listStopped(sql, { accountId, phones })]])
  }
  const rows = await sql<StopKey[]>`
    with given as (
      select account_id, phone
      from unnest(${accountIds}::bigint[], ${phones}::text[]) as given (account_id, phone)
    )
    select stops.account_id, stops.phone
    from given
    join stops on stops.account_id = given.account_id and stops.phone = given.phone
    union all
    select given.account_id, given.phone
    from given
    join erasure_keys on erasure_keys.account_id = given.account_id
    join erased_stops on erased_stops.account_id = given.account_id
      and phone_hash = ${hashOf(sql, sql`given.phone`)}
  `
  const stopped = new Map<number, Set<string>>()
  for (const { accountId, phone } of rows) {
    const ofAccount = stopped.get(accountId)
    if (ofAccount) ofAccount.add(phone)
    else stopped.set(accountId, new Set([phone]))
  }
  return stopped
}

/** Allows messages to a number again: its hash must go too. */
export async function deleteStop(sql: Sql, { accountId, id }: { accountId: number; id: number }): Promise<boolean> {
  const [gone] = await sql<{ phone: string }[]>`
    delete from stops
    where account_id = ${accountId}
      and id = ${id}
    returning phone
  `
  if (gone) await deleteErasedStop(sql, { accountId, phone: gone.phone })
  return gone !== undefined
}

/** `digits` are looked for anywhere in the number. */
export async function countStops(
  sql: Sql,
  { accountId, digits }: { accountId: number; digits: string | undefined }
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from stops
    where account_id = ${accountId}
      ${digits === undefined ? sql`` : sql`and strpos(phone, ${digits}) > 0`}
  `
  return row.count
}

/** Newest first. A page nearer to the end is read from the end and reversed. */
export async function listStopsOfPage(
  sql: Sql,
  { accountId, digits }: { accountId: number; digits: string | undefined },
  window: PageWindow
): Promise<Stop[]> {
  const rows = await sql<Stop[]>`
    select id, phone, source, created_at
    from stops
    where account_id = ${accountId}
      ${digits === undefined ? sql`` : sql`and strpos(phone, ${digits}) > 0`}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}
