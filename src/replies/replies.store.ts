import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { ConversationSummary } from './conversation.ts'
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

/** Whether this phone has answered this message before. */
export async function hasReplied(
  sql: Sql,
  { accountId, messageId, phone }: { accountId: number; messageId: number; phone: string }
): Promise<boolean> {
  const [row] = await sql<[{ isAny: boolean }]>`
    select exists (
      select
      from replies
      where account_id = ${accountId}
        and message_id = ${messageId}
        and phone = ${phone}
    ) as is_any
  `
  return row.isAny
}

interface ReplyScope {
  accountId: number
  /** Only replies to this message. */
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

/** Which conversations are meant. */
export interface ConversationScope {
  accountId: number
  /** Only this one. */
  phone?: string | undefined
  /** Text that one of the replies must contain, in any case. */
  search?: string | undefined
  /** Digits that the number must contain, as another way to match the search. */
  searchedDigits?: string | undefined
  isClosed?: boolean | undefined
  isUnread?: boolean | undefined
  /** A person; null for conversations that nobody has. */
  assignedTo?: number | null | undefined
}

export async function countConversations(sql: Sql, scope: ConversationScope): Promise<number> {
  const { accountId, phone } = scope
  // The console asks every few seconds. To read an index in order once is much less than a look-up for each reply.
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from (
      select phone, max(id) as id
      from replies
      where account_id = ${accountId}
        ${phone === undefined ? sql`` : sql`and phone = ${phone}`}
      group by phone
    ) as replies
    ${joinStates(sql, accountId)}
    where ${isMeant(sql, scope)}
  `
  return row.count
}

interface ConversationRow
  extends Reply,
    Pick<ConversationSummary, 'repliesCount' | 'unreadCount' | 'isClosed' | 'assignedTo'> {}

/** The last reply of each phone, newest first, with the number of replies and the last message to that phone. */
export async function listConversationsOfPage(
  sql: Sql,
  scope: ConversationScope,
  window: PageWindow
): Promise<ConversationSummary[]> {
  const { accountId } = scope
  const countAfter = (id: ReturnType<Sql>) => sql`
    select count(*)
    from replies as others
    where others.account_id = ${accountId}
      and others.phone = replies.phone
      and others.id > ${id}
  `
  const rows = await sql<ConversationRow[]>`
    select
      replies.*,
      (${countAfter(sql`0`)}) as replies_count,
      (${countAfter(sql`replies.read_id`)}) as unread_count
    from (
      select ${replyColumns(sql)}, coalesce(read_id, 0) as read_id,
        coalesce(closed_id >= replies.id, false) as is_closed, person_id as assigned_to
      ${conversationsOf(sql, scope)}
      order by replies.id ${window.isFromEnd ? sql`asc` : sql`desc`}
      offset ${window.offset}
      limit ${window.limit}
    ) as replies
    order by replies.id ${window.isFromEnd ? sql`asc` : sql`desc`}
  `
  const lastMessages = await findLastMessages(sql, { accountId, phones: rows.map(({ phone }) => phone) })
  return newestFirst(rows, window).map(({ repliesCount, unreadCount, isClosed, assignedTo, ...lastReply }) => {
    const { messageId = null, sentAt = null } = lastMessages.get(lastReply.phone) ?? {}
    const state = { unreadCount, isClosed, assignedTo }
    return { lastReply, repliesCount, ...state, lastMessageId: messageId, lastMessageAt: sentAt }
  })
}

/** By phone, the last message of an account to it. */
async function findLastMessages(
  sql: Sql,
  { accountId, phones }: { accountId: number; phones: readonly string[] }
): Promise<Map<string, { messageId: number; sentAt: Date }>> {
  if (phones.length === 0) return new Map()
  const rows = await sql<{ phone: string; messageId: number; sentAt: Date }[]>`
    select distinct on (phone) phone, message_id, sent_at
    from recipients
    join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    where recipients.account_id = ${accountId}
      and phone = any(${phones as string[]}::text[])
      and sent_at is not null
    order by phone, sent_at desc, message_id desc
  `
  return new Map(rows.map(({ phone, messageId, sentAt }) => [phone, { messageId, sentAt }]))
}

/**
 * The last reply of each phone, with the state of its conversation. The comparison with max(id) is one index look-up per
 * reply, whatever the planner knows. A join might read all replies for one page. Somebody who left the account has no
 * conversation.
 */
function conversationsOf(sql: Sql, scope: ConversationScope) {
  const { accountId, phone } = scope
  return sql`
    from replies
    ${joinStates(sql, accountId)}
    where replies.account_id = ${accountId}
      and replies.id = (
        select max(id)
        from replies as others
        where others.account_id = ${accountId}
          and others.phone = replies.phone
      )
      ${phone === undefined ? sql`` : sql`and replies.phone = ${phone}`}
      and ${isMeant(sql, scope)}
  `
}

function joinStates(sql: Sql, accountId: number) {
  return sql`
    left join conversation_states on conversation_states.account_id = ${accountId}
      and conversation_states.phone = replies.phone
    left join memberships on memberships.account_id = ${accountId}
      and memberships.person_id = conversation_states.assigned_to
  `
}

/** Whether the last reply of a phone, beside the state of its conversation, is of one that is meant. */
function isMeant(sql: Sql, { accountId, search, searchedDigits, isClosed, isUnread, assignedTo }: ConversationScope) {
  return sql`
    true
      ${search === undefined ? sql`` : sql`and ${isFound(sql, { accountId, search, searchedDigits })}`}
      ${isClosed === undefined ? sql`` : sql`and coalesce(closed_id >= replies.id, false) = ${isClosed}`}
      ${isUnread === undefined ? sql`` : sql`and (coalesce(read_id, 0) < replies.id) = ${isUnread}`}
      ${assignedTo === undefined ? sql`` : sql`and person_id is not distinct from ${assignedTo}::bigint`}
  `
}

function isFound(
  sql: Sql,
  { accountId, search, searchedDigits }: { accountId: number; search: string; searchedDigits: string | undefined }
) {
  return sql`
    (
      exists (
        select
        from replies as others
        where others.account_id = ${accountId}
          and others.phone = replies.phone
          and strpos(lower(others.content), lower(${search})) > 0
      )
      ${searchedDigits === undefined ? sql`` : sql`or strpos(replies.phone, ${searchedDigits}) > 0`}
    )
  `
}

interface PhoneKey {
  accountId: number
  phone: string
}

/** All replies of a phone to an account, oldest first. */
export async function listRepliesByPhone(sql: Sql, { accountId, phone }: PhoneKey): Promise<Reply[]> {
  return sql<Reply[]>`
    select ${replyColumns(sql)}
    from replies
    where account_id = ${accountId}
      and phone = ${phone}
    order by id
  `
}

/** Removes all replies of a phone to an account. Returns their number. */
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
  return sql`
    replies.id, replies.message_id, replies.phone, replies.written_to, replies.channel, replies.content, replies.is_stop,
    replies.created_at
  `
}
