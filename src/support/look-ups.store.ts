import type { Sql } from '../database/database.ts'
import { byShard } from '../database/shape.ts'
import type { Channel, MessageState } from '../messages/message.ts'
import { listAccountsOfPhone } from '../recipients/phone-accounts.store.ts'
import type { Recipient } from '../recipients/recipient.ts'
import type { Reply } from '../replies/reply.ts'
import type { Stop } from '../stops/stop.ts'

/*
 * What all accounts have about one phone. Each kind has ids of its own, which grow with time: a page begins below the ids that
 * the last one ended with.
 */

export interface SentTo extends Recipient {
  accountId: number
  carrier: string | null
  messageChannel: Channel
  messageContent: string
  messageState: MessageState
  sender: string
  createdAt: Date
}

/** Recipients with this phone, those of the newest messages first. */
export async function listSentTo(
  sql: Sql,
  { phone, before, limit }: { phone: string; before: { messageId: number; position: number }; limit: number }
): Promise<SentTo[]> {
  const accounts = await listAccountsOfPhone(sql, phone)
  const found = await byShard(
    sql,
    accounts,
    (accounts, ofAccounts) => sql<SentTo[]>`
      select recipients.account_id, message_id, position, recipients.state, segments, credits, country, phone,
        recipients.content, error_code, recipients.channel, sent_at, delivered_at, read_at, carrier,
        messages.channel as message_channel, messages.content as message_content, messages.state as message_state,
        sender, messages.created_at
      from unnest(${accounts.map(({ accountId }) => accountId)}::bigint[]) as given (account_id)
      join recipients on ${ofAccounts(sql`recipients.account_id`)}
      join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
      where phone = ${phone}
        and (message_id, position) < (${before.messageId}::bigint, ${before.position}::integer)
      order by message_id desc, position desc
      limit ${limit}
    `
  )
  return found.toSorted((a, b) => b.messageId - a.messageId || b.position - a.position).slice(0, limit)
}

/** Replies of this phone, newest first. Account by account: each has them in an index of its own. */
export async function listRepliesOf(
  sql: Sql,
  { phone, beforeId, limit }: { phone: string; beforeId: number; limit: number }
): Promise<(Reply & { accountId: number })[]> {
  return sql`
    select found.*
    from accounts
    cross join lateral (
      select account_id, id, message_id, phone, written_to, channel, content, is_stop, created_at
      from replies
      where account_id = accounts.id
        and phone = ${phone}
        and id < ${beforeId}
      order by id desc
      limit ${limit}
    ) as found
    order by id desc
    limit ${limit}
  `
}

/** STOPs of this phone, newest first: one an account at most. */
export async function listStopsOf(
  sql: Sql,
  { phone, beforeId, limit }: { phone: string; beforeId: number; limit: number }
): Promise<(Stop & { accountId: number })[]> {
  return sql`
    select found.*
    from accounts
    cross join lateral (
      select account_id, id, phone, source, coalesce(way, source) as way, message_id, sender, created_at
      from stops
      where account_id = accounts.id
        and phone = ${phone}
        and id < ${beforeId}
      limit 1
    ) as found
    order by id desc
    limit ${limit}
  `
}

/** What people call these accounts. */
export async function listAccountNames(sql: Sql, accountIds: readonly number[]): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; name: string }[]>`
    select accounts.id, coalesce(nullif(social_reason, ''), people.email) as name
    from accounts
    join people on people.id = holder_id
    where accounts.id = any(${accountIds as number[]}::bigint[])
  `
  return new Map(rows.map(({ id, name }) => [id, name]))
}
