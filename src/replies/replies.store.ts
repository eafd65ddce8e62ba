import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { Reply } from './reply.ts'

export async function insertReply(
  sql: Sql,
  {
    accountId,
    messageId,
    phone,
    writtenTo,
    channel,
    content,
    isStop
  }: Omit<Reply, 'id' | 'createdAt'> & { accountId: number }
): Promise<Reply> {
  const [row] = await sql<[Reply]>`
    insert into replies (account_id, id, message_id, phone, written_to, channel, content, is_stop)
    values (${accountId}, nextval('reply_ids'), ${messageId}, ${phone}, ${writtenTo}, ${channel}, ${content}, ${isStop})
    returning ${replyColumns(sql)}
  `
  return row
}

interface ReplyScope {
  accountId: number
  /** Only what answers this message. */
  messageId: number | undefined
}

export async function countReplies(sql: Sql, scope: ReplyScope): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from replies
    where ${isInScope(sql, scope)}
  `
  return row.count
}

/** Newest first. A page nearer to the end is read from there and turned round. */
export async function listRepliesOfPage(sql: Sql, scope: ReplyScope, window: PageWindow): Promise<Reply[]> {
  const rows = await sql<Reply[]>`
    select ${replyColumns(sql)}
    from replies
    where ${isInScope(sql, scope)}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

/** The next replies of a full extract, newest first, after the one whose id is given. */
export async function listRepliesBefore(
  sql: Sql,
  { accountId, beforeId, limit }: { accountId: number; beforeId: number; limit: number }
): Promise<Reply[]> {
  return sql<Reply[]>`
    select ${replyColumns(sql)}
    from replies
    where account_id = ${accountId}
      and id < ${beforeId}
    order by id desc
    limit ${limit}
  `
}

interface PhoneKey {
  accountId: number
  phone: string
}

/** Everything that somebody wrote to an account, oldest first. */
export async function listRepliesByPhone(sql: Sql, { accountId, phone }: PhoneKey): Promise<Reply[]> {
  return sql<Reply[]>`
    select ${replyColumns(sql)}
    from replies
    where account_id = ${accountId}
      and phone = ${phone}
    order by id
  `
}

/** Removes everything that somebody wrote to an account; tells how much it was. */
export async function deleteRepliesByPhone(sql: Sql, { accountId, phone }: PhoneKey): Promise<number> {
  const { count } = await sql`
    delete from replies
    where account_id = ${accountId}
      and phone = ${phone}
  `
  return count
}

function isInScope(sql: Sql, { accountId, messageId }: ReplyScope) {
  return messageId === undefined
    ? sql`account_id = ${accountId}`
    : sql`account_id = ${accountId} and message_id = ${messageId}`
}

function replyColumns(sql: Sql) {
  return sql`id, message_id, phone, written_to, channel, content, is_stop, created_at`
}
