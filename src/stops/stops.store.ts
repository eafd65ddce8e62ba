import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { Stop, StopSource } from './stop.ts'

interface StopKey {
  accountId: number
  phone: string
}

/** Opts a number out. One that is out already stays as it was. */
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
  const [found] = await sql<Stop[]>`
    select id, phone, source, created_at
    from stops
    where account_id = ${accountId}
      and phone = ${phone}
  `
  // Between the two it may have been deleted: then it is free to be made.
  return found ? { stop: found, isNew: false } : insertStop(sql, { accountId, phone, source })
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
  `
  return new Set(rows.map(({ phone }) => phone))
}

export async function deleteStop(sql: Sql, { accountId, id }: { accountId: number; id: number }): Promise<boolean> {
  const { count } = await sql`
    delete from stops
    where account_id = ${accountId}
      and id = ${id}
  `
  return count === 1
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

/** Newest first. A page nearer to the end is read from there and turned round. */
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
