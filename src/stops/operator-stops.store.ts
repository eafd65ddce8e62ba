import { type CopiedRow, copyRows } from '../database/copy-rows.ts'
import { liftStatementTimeout, type Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { OperatorStop } from './operator-stop.ts'

/* The operator's own list, for all accounts. `listStopped` looks here too. */

/** An existing entry stays as it was. */
export async function insertOperatorStop(
  sql: Sql,
  { phone, reason }: Pick<OperatorStop, 'phone' | 'reason'>
): Promise<OperatorStop> {
  const [made] = await sql<OperatorStop[]>`
    insert into operator_stops (id, phone, reason)
    values (nextval('operator_stop_ids'), ${phone}, ${reason})
    on conflict (phone) do nothing
    returning id, phone, reason, created_at
  `
  if (made) return made
  const found = await findOperatorStop(sql, phone)
  // The row may have been deleted between the two statements: then the insert succeeds.
  return found ?? insertOperatorStop(sql, { phone, reason })
}

export async function findOperatorStop(sql: Sql, phone: string): Promise<OperatorStop | undefined> {
  const [found] = await sql<OperatorStop[]>`
    select id, phone, reason, created_at
    from operator_stops
    where phone = ${phone}
  `
  return found
}

/** All numbers of a file; a row is a line and a number. */
export async function insertImportedOperatorStops(
  sql: Sql,
  { reason, batches }: { reason: string; batches: AsyncIterable<CopiedRow[]> }
): Promise<{ rows: number; added: number }> {
  await liftStatementTimeout(sql)
  await sql`create temporary table imported_numbers (line bigint not null, phone text not null) on commit drop`
  await copyRows(sql, { table: 'imported_numbers', columns: ['line', 'phone'] }, batches)
  // In the order of the numbers, so that two files at once cannot deadlock.
  const [row] = await sql<[{ rows: number; added: number }]>`
    with added as (
      insert into operator_stops (id, phone, reason)
      select nextval('operator_stop_ids'), phone, ${reason}
      from (
        select distinct phone
        from imported_numbers
        order by phone
      ) as given
      on conflict (phone) do nothing
      returning id
    )
    select (select count(*) from imported_numbers) as rows, count(*) as added
    from added
  `
  return row
}

export async function deleteOperatorStop(sql: Sql, id: number): Promise<boolean> {
  const { count } = await sql`
    delete from operator_stops
    where id = ${id}
  `
  return count > 0
}

/** `digits` are looked for anywhere in the number. */
export async function countOperatorStops(sql: Sql, digits: string | undefined): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from operator_stops
    ${digits === undefined ? sql`` : sql`where strpos(phone, ${digits}) > 0`}
  `
  return row.count
}

/** Newest first. A page nearer to the end is read from there and turned round. */
export async function listOperatorStopsOfPage(
  sql: Sql,
  digits: string | undefined,
  window: PageWindow
): Promise<OperatorStop[]> {
  const rows = await sql<OperatorStop[]>`
    select id, phone, reason, created_at
    from operator_stops
    ${digits === undefined ? sql`` : sql`where strpos(phone, ${digits}) > 0`}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}
