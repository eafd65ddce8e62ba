import type { Sql } from '../database/database.ts'
import { byShard } from '../database/shape.ts'
import { isGiven, unnestRecipientKeys } from '../recipients/conditions.store.ts'

/** The phones that a message goes to. */
export async function listPhones(
  sql: Sql,
  { accountId, messageId }: { accountId: number; messageId: number }
): Promise<Set<string>> {
  const rows = await sql<{ phone: string }[]>`
    select phone
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
  `
  return new Set(rows.map(({ phone }) => phone))
}

/** A recipient as a receipt or the answer to query_sm tells it. */
export interface RecipientDetails {
  messageId: number
  position: number
  phone: string
  sender: string
  content: string
  state: number
  messageState: string
  errorCode: string | null
  createdAt: Date
  sentAt: Date | null
  deliveredAt: Date | null
}

export async function listRecipientDetails(
  sql: Sql,
  accountId: number,
  keys: readonly { messageId: number; position: number }[]
): Promise<RecipientDetails[]> {
  return byShard(
    sql,
    // Joined by the account of each key: with one account for all, a plan for empty tables reads all its recipients.
    keys.map((key) => ({ ...key, accountId })),
    (keys, ofAccounts) => sql<RecipientDetails[]>`
      select recipients.message_id, recipients.position, phone, sender,
        coalesce(recipients.content, messages.content) as content, recipients.state, messages.state as message_state,
        error_code, messages.created_at, sent_at, delivered_at
      from ${unnestRecipientKeys(sql, keys)}
      join recipients on ${isGiven(sql, ofAccounts, keys)}
      join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    `
  )
}

/** A part that was given up. */
export interface PartDetails {
  smppId: number
  source: string
  destination: string
  createdAt: Date
}

export async function listPartDetails(sql: Sql, accountId: number, smppIds: readonly number[]): Promise<PartDetails[]> {
  if (smppIds.length === 0) return []
  return sql<PartDetails[]>`
    select smpp_id, source, destination, created_at
    from smpp_parts
    where account_id = ${accountId}
      and smpp_id = any(${smppIds as number[]}::bigint[])
  `
}

export interface ReplyDetails {
  id: number
  phone: string
  writtenTo: string
  content: string
}

export async function listReplyDetails(sql: Sql, accountId: number, ids: readonly number[]): Promise<ReplyDetails[]> {
  if (ids.length === 0) return []
  return sql<ReplyDetails[]>`
    select id, phone, written_to, content
    from replies
    where account_id = ${accountId}
      and id = any(${ids as number[]}::bigint[])
  `
}
