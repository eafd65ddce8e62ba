import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { Channel, Message, MessageState } from './message.ts'
import { messageColumns } from './messages.store.ts'

export interface HistoryFilter {
  accountId: number
  tag?: string | undefined
  state?: MessageState | undefined
  channel?: Channel | undefined
  from?: Date | undefined
  to?: Date | undefined
  search?: string | undefined
}

/** Without a filter, reads the stored count; with a filter, counts the messages. */
export async function countMessages(sql: Sql, filter: HistoryFilter): Promise<number> {
  if (isUnfiltered(filter)) {
    const [row] = await sql<{ count: number }[]>`
      select messages_count as count
      from message_counts
      where account_id = ${filter.accountId}
    `
    return row?.count ?? 0
  }
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from messages
    where ${matches(sql, filter)}
  `
  return row.count
}

/** Newest first. A page nearer to the end is read from the end and reversed. */
export async function listMessagesOfPage(sql: Sql, filter: HistoryFilter, window: PageWindow): Promise<Message[]> {
  const rows = await sql<Message[]>`
    select ${messageColumns(sql)}
    from messages
    where ${matches(sql, filter)}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

function isUnfiltered({ accountId: _account, ...filter }: HistoryFilter): boolean {
  return Object.values(filter).every((value) => value === undefined)
}

function matches(sql: Sql, { accountId, state, channel, tag, from, to, search }: HistoryFilter) {
  return sql`
    account_id = ${accountId}
    ${state === undefined ? sql`` : sql`and state = ${state}`}
    ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
    ${tag === undefined ? sql`` : sql`and ${tag} = any(tags)`}
    ${from === undefined ? sql`` : sql`and scheduled_at >= ${from}`}
    ${to === undefined ? sql`` : sql`and scheduled_at <= ${to}`}
    ${search === undefined ? sql`` : sql`and strpos(lower(concat_ws(' ', name, content, sender, external_id)), lower(${search})) > 0`}
  `
}
