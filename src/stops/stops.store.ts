import { withdrawByStop } from '../consents/consents.store.ts'
import { type CopiedRow, copyRows } from '../database/copy-rows.ts'
import { liftStatementTimeout, type Sql } from '../database/database.ts'
import { hashOf } from '../erased-numbers/erasure-keys.store.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import { isoTime, madeEvents, queueMade } from '../webhooks/events.store.ts'
import { deleteErasedStop } from './erased-stops.store.ts'
import { type Stop, type StopWay, sourceOf } from './stop.ts'

interface StopKey {
  accountId: number
  phone: string
}

export interface NewStop extends StopKey {
  way: StopWay
  /** The message that it answers, and the sender of that message. */
  messageId?: number | null
  sender?: string | null
}

/** Opts a number out, and withdraws its consents. An existing opt-out stays as it was. */
export async function insertStop(sql: Sql, stop: NewStop): Promise<{ stop: Stop; isNew: boolean }> {
  const { accountId, phone, way, messageId = null, sender = null } = stop
  const [made] = await sql<Stop[]>`
    with made as (
      insert into stops (account_id, id, phone, source, way, message_id, sender)
      values (${accountId}, nextval('stop_ids'), ${phone}, ${sourceOf(way)}, ${way}, ${messageId}, ${sender})
      on conflict (account_id, phone) do nothing
      returning ${stopColumns(sql)}
    ),
    kept as (
      insert into opt_outs (account_id, id, message_id, way)
      select ${accountId}, nextval('opt_out_ids'), message_id, way
      from made
    )
    select *
    from made
  `
  if (made) {
    await withdrawByStop(sql, { accountId, phones: [phone] })
    return { stop: made, isNew: true }
  }
  const found = await findStop(sql, { accountId, phone })
  // The row may have been deleted between the two statements: then the insert succeeds.
  return found ? { stop: found, isNew: false } : insertStop(sql, stop)
}

function stopColumns(sql: Sql) {
  return sql`id, phone, source, coalesce(way, source) as way, message_id, sender, created_at`
}

export async function findStop(sql: Sql, { accountId, phone }: StopKey): Promise<Stop | undefined> {
  const [row] = await sql<Stop[]>`
    select ${stopColumns(sql)}
    from stops
    where account_id = ${accountId}
      and phone = ${phone}
  `
  return row
}

/** Undoes a STOP that the person made, and no other. Returns the STOP that it was. */
export async function deleteOwnStop(sql: Sql, { accountId, phone }: StopKey): Promise<Stop | undefined> {
  const [gone] = await sql<Stop[]>`
    delete from stops
    where account_id = ${accountId}
      and phone = ${phone}
      and source = 'reply'
    returning ${stopColumns(sql)}
  `
  return gone
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
      insert into stops (account_id, id, phone, source, way)
      select ${accountId}, nextval('stop_ids'), phone, 'file', 'file'
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
            'message_id', null, 'id', id, 'recipient', phone, 'source', 'file', 'way', 'file', 'sender', null,
            'timestamp', ${isoTime(sql, sql`created_at`)}
          )
          from added
          where exists (select from event_subscriptions where account_id = ${accountId} and type = 'stops')
        `
      )}
    ),
    queued as (${queueMade(sql)}),
    kept as (
      insert into opt_outs (account_id, id, message_id, way)
      select account_id, nextval('opt_out_ids'), null, 'file'
      from added
    )
    select (select count(*) from imported_stops) as rows, count(*) as added
    from added
  `
  await withdrawByStop(sql, { accountId, phones: sql`select phone from imported_stops` })
  return row
}

/** Which of these numbers are opted out, or on the operator's list: one statement, by index, for any number of them. */
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
    union all
    select phone
    from operator_stops
    where phone = any(${phones as string[]}::text[])
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
    join stops on stops.account_id = any(array[given.account_id]) and stops.phone = given.phone
    union all
    select given.account_id, given.phone
    from given
    join erasure_keys on erasure_keys.account_id = any(array[given.account_id])
    join erased_stops on erased_stops.account_id = any(array[given.account_id])
      and phone_hash = ${hashOf(sql, sql`given.phone`)}
    union all
    select given.account_id, given.phone
    from given
    join operator_stops on operator_stops.phone = any(array[given.phone])
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
    select ${stopColumns(sql)}
    from stops
    where account_id = ${accountId}
      ${digits === undefined ? sql`` : sql`and strpos(phone, ${digits}) > 0`}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}
