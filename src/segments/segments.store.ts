import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { Rules } from './rules.ts'
import type { Segment } from './segment.ts'

interface SegmentKey {
  accountId: number
  id: number
}

interface Scope {
  accountId: number
  /** Looked for anywhere in the name, in any case. */
  search: string | undefined
}

export async function insertSegment(
  sql: Sql,
  { accountId, name, rules }: { accountId: number; name: string; rules: Rules }
): Promise<Segment> {
  const [row] = await sql<[Segment]>`
    insert into contact_segments (account_id, id, name, rules)
    values (${accountId}, nextval('segment_ids'), ${name}, ${sql.json(rules)})
    returning id, name, rules, created_at, updated_at
  `
  return row
}

export async function countSegments(sql: Sql, { accountId, search }: Scope): Promise<number> {
  const [row] = await sql<[{ total: number }]>`
    select count(*) as total
    from contact_segments
    where account_id = ${accountId}
      ${search === undefined ? sql`` : sql`and strpos(lower(name), lower(${search})) > 0`}
  `
  return row.total
}

/** Newest first. */
export async function listSegmentsOfPage(
  sql: Sql,
  { accountId, search }: Scope,
  window: PageWindow
): Promise<Segment[]> {
  const rows = await sql<Segment[]>`
    select id, name, rules, created_at, updated_at
    from contact_segments
    where account_id = ${accountId}
      ${search === undefined ? sql`` : sql`and strpos(lower(name), lower(${search})) > 0`}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

export async function findSegment(sql: Sql, { accountId, id }: SegmentKey): Promise<Segment | undefined> {
  const [row] = await sql<Segment[]>`
    select id, name, rules, created_at, updated_at
    from contact_segments
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

/** The segment before and after the change, under its lock. */
export async function updateSegment(
  sql: Sql,
  { accountId, id, name, rules }: SegmentKey & { name: string; rules: Rules }
): Promise<{ before: Segment; segment: Segment } | undefined> {
  const [before] = await sql<Segment[]>`
    select id, name, rules, created_at, updated_at
    from contact_segments
    where account_id = ${accountId}
      and id = ${id}
    for no key update
  `
  if (!before) return undefined
  const [segment] = await sql<[Segment]>`
    update contact_segments
    set name = ${name},
        rules = ${sql.json(rules)},
        updated_at = now()
    where account_id = ${accountId}
      and id = ${id}
    returning id, name, rules, created_at, updated_at
  `
  return { before, segment }
}

export async function deleteSegment(sql: Sql, { accountId, id }: SegmentKey): Promise<boolean> {
  const deleted = await sql`
    delete from contact_segments
    where account_id = ${accountId}
      and id = ${id}
  `
  return deleted.count > 0
}

/** The ids, of the given ones, that are lists and messages of the account. */
export async function listNamed(
  sql: Sql,
  { accountId, listIds, messageIds }: { accountId: number; listIds: readonly number[]; messageIds: readonly number[] }
): Promise<{ lists: Set<number>; messages: Set<number> }> {
  const lists = await sql<{ id: number }[]>`
    select id
    from contact_lists
    where account_id = ${accountId}
      and id = any(${listIds as number[]}::bigint[])
      and deleted_at is null
  `
  const messages = await sql<{ id: number }[]>`
    select id
    from messages
    where account_id = ${accountId}
      and id = any(${messageIds as number[]}::bigint[])
  `
  return { lists: new Set(lists.map(({ id }) => id)), messages: new Set(messages.map(({ id }) => id)) }
}
