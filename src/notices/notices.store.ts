import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { NewNotice, Notice, ReadMark } from './notice.ts'

/** Tells people of accounts something, in the transaction of its cause. The end of a campaign is told once. */
export async function insertNotices(sql: Sql, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return
  await sql`
    insert into notices (account_id, id, kind, subject, name, value, bound)
    select account_id, nextval('notice_ids'), kind, subject, name, value, bound
    from unnest(
      ${notices.map(({ accountId }) => accountId)}::bigint[],
      ${notices.map(({ kind }) => kind)}::text[],
      ${notices.map(({ subject }) => subject)}::text[],
      ${notices.map(({ name }) => name)}::text[],
      ${notices.map(({ value }) => value)}::double precision[],
      ${notices.map(({ bound }) => bound)}::double precision[]
    ) as given (account_id, kind, subject, name, value, bound)
    on conflict do nothing
  `
}

/** Which notices: those of an account, all or only those that somebody has not read, or has. */
export interface NoticeFilter {
  accountId: number
  isUnread: boolean | undefined
  mark: ReadMark
}

function shown(sql: Sql, { accountId, isUnread, mark: { readTo, joinedAt } }: NoticeFilter) {
  const unread = sql`id > ${readTo} and created_at >= ${joinedAt}`
  return sql`
    account_id = ${accountId}
      ${isUnread === undefined ? sql`` : isUnread ? sql`and ${unread}` : sql`and not (${unread})`}
  `
}

export async function countNotices(sql: Sql, filter: NoticeFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from notices
    where ${shown(sql, filter)}
  `
  return row.count
}

/** Newest first. */
export async function listNoticesOfPage(sql: Sql, filter: NoticeFilter, window: PageWindow): Promise<Notice[]> {
  const rows = await sql<Notice[]>`
    select account_id, id, kind, subject, name, value, bound, created_at
    from notices
    where ${shown(sql, filter)}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    limit ${window.limit}
    offset ${window.offset}
  `
  return newestFirst(rows, window)
}

/** The newest notice of an account up to an id; 0 if there is none. */
export async function findNewestId(
  sql: Sql,
  { accountId, upTo }: { accountId: number; upTo: number }
): Promise<number> {
  const [row] = await sql<[{ newest: number }]>`
    select coalesce(max(id), 0) as newest
    from notices
    where account_id = ${accountId}
      and id <= ${upTo}
  `
  return row.newest
}

export async function deleteOldNotices(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'notices', column: 'created_at', isIndexed: true }, retention)
}

export async function deleteNoticesOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from notices
    where account_id = any(${accountIds as number[]}::bigint[])
  `
}
