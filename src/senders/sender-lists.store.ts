import type { Sql } from '../database/database.ts'
import { senderKey } from './sender-key.ts'

export const LIST_KINDS = ['forbidden', 'word', 'reserved'] as const
export type ListKind = (typeof LIST_KINDS)[number]

/** A name that the operator forbids or reserves, or a word that no name may hold. */
export interface ListEntry {
  id: number
  name: string
  kind: ListKind
  /** The account that the name is reserved for. */
  accountId: number | null
  note: string
  createdAt: Date
}

export type NewListEntry = Pick<ListEntry, 'name' | 'kind' | 'accountId' | 'note'>

/** Adds entries; one that is there already is replaced. Returns how many were new. Each name must be given once. */
export async function upsertListEntries(sql: Sql, entries: readonly NewListEntry[]): Promise<number> {
  if (entries.length === 0) return 0
  const rows = await sql<{ isNew: boolean }[]>`
    insert into sender_list_entries (name, name_key, kind, account_id, note)
    select name, name_key, kind, account_id, note
    from unnest(
      ${entries.map(({ name }) => name)}::text[],
      ${entries.map(({ name }) => senderKey(name))}::text[],
      ${entries.map(({ kind }) => kind)}::text[],
      ${entries.map(({ accountId }) => accountId)}::bigint[],
      ${entries.map(({ note }) => note)}::text[]
    ) as given (name, name_key, kind, account_id, note)
    order by name_key
    on conflict (name_key) do update
    set name = excluded.name, kind = excluded.kind, account_id = excluded.account_id, note = excluded.note
    returning xmax = 0 as is_new
  `
  return rows.filter(({ isNew }) => isNew).length
}

/** Covers the lists whole: for findings. */
export async function listAllEntries(sql: Sql): Promise<ListEntry[]> {
  return sql<ListEntry[]>`
    select id, name, kind, account_id, note, created_at
    from sender_list_entries
  `
}

export interface EntryFilter {
  kind?: ListKind | undefined
  search?: string | undefined
}

export async function countEntries(sql: Sql, filter: EntryFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from sender_list_entries
    where ${isWanted(sql, filter)}
  `
  return row.count
}

export async function pageEntries(
  sql: Sql,
  filter: EntryFilter,
  { offset, limit }: { offset: number; limit: number }
): Promise<ListEntry[]> {
  return sql<ListEntry[]>`
    select id, name, kind, account_id, note, created_at
    from sender_list_entries
    where ${isWanted(sql, filter)}
    order by name_key
    offset ${offset}
    limit ${limit}
  `
}

export async function deleteEntry(sql: Sql, id: number): Promise<ListEntry | undefined> {
  const [row] = await sql<ListEntry[]>`
    delete from sender_list_entries
    where id = ${id}
    returning id, name, kind, account_id, note, created_at
  `
  return row
}

/** Which of these are ids of accounts. */
export async function findAccountIds(sql: Sql, ids: readonly number[]): Promise<Set<number>> {
  const rows = await sql<{ id: number }[]>`
    select id
    from accounts
    where id = any(${ids as number[]}::bigint[])
  `
  return new Set(rows.map(({ id }) => id))
}

function isWanted(sql: Sql, { kind, search }: EntryFilter) {
  const pattern = search === undefined ? '' : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql`
    true
    ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
    ${pattern === '' ? sql`` : sql`and (name ilike ${pattern} or note ilike ${pattern})`}
  `
}
