import type { Sql } from '../database/database.ts'
import type { TraceContext } from '../traces/trace-context.ts'
import type { Message } from './message.ts'

export interface MessageKey {
  accountId: number
  id: number
}

/** The key of a message, as other rows store it. */
export interface MessageRef {
  accountId: number
  messageId: number
}

export async function findMessage(sql: Sql, { accountId, id }: MessageKey): Promise<Message | undefined> {
  const [row] = await sql<Message[]>`
    select ${messageColumns(sql)}
    from messages
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

/** The context of its acceptance, for a log line about it. Null without traces. */
export async function findTrace(sql: Sql, { accountId, messageId }: MessageRef): Promise<TraceContext | null> {
  const [row] = await sql<{ trace: TraceContext | null }[]>`
    select trace
    from messages
    where account_id = ${accountId}
      and id = ${messageId}
  `
  return row?.trace ?? null
}

/** The senders of messages, by their ids. */
export async function listSenders(
  sql: Sql,
  keys: readonly { accountId: number; messageId: number | null }[]
): Promise<Map<number, string>> {
  const known = keys.flatMap(({ accountId, messageId }) => (messageId === null ? [] : [{ accountId, messageId }]))
  if (known.length === 0) return new Map()
  const rows = await sql<{ id: number; sender: string }[]>`
    select id, sender
    from messages
    join ${unnestMessageKeys(sql, known)} on given.account_id = messages.account_id and given.message_id = messages.id
  `
  return new Map(rows.map(({ id, sender }) => [id, sender]))
}

/** The sender of a message, empty for the carrier's, and the company of its account. */
export async function findWriter(
  sql: Sql,
  { accountId, messageId }: MessageRef
): Promise<{ sender: string; socialReason: string } | undefined> {
  const [row] = await sql<{ sender: string; socialReason: string }[]>`
    select coalesce(sender, '') as sender, social_reason
    from messages
    join accounts on accounts.id = messages.account_id
    where messages.account_id = ${accountId}
      and messages.id = ${messageId}
  `
  return row
}

/** Messages of any accounts, each with the time zone of its account: for events. */
export async function listMessagesWithZone(
  sql: Sql,
  keys: readonly MessageRef[]
): Promise<(Message & { accountId: number; timeZone: string; trace: TraceContext | null })[]> {
  return sql`
    select messages.account_id, accounts.time_zone, trace, ${messageColumns(sql)}
    from messages
    join ${unnestMessageKeys(sql, keys)} on given.account_id = messages.account_id and given.message_id = messages.id
    join accounts on accounts.id = messages.account_id
  `
}

/** Which of these messages are stored and not removed. */
export async function listStoredMessages(sql: Sql, keys: readonly MessageRef[]): Promise<MessageRef[]> {
  return sql<MessageRef[]>`
    select messages.account_id, messages.id as message_id
    from messages
    join ${unnestMessageKeys(sql, keys)} on given.account_id = messages.account_id and given.message_id = messages.id
  `
}

/**
 * Locks a message against other resends until the transaction ends; false when another resend is running. The row stays
 * free.
 */
export async function tryLockResend(sql: Sql, { accountId, id }: MessageKey): Promise<boolean> {
  const [row] = await sql<[{ isLocked: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`resend ${accountId} ${id}`}, 0)) as is_locked
  `
  return row.isLocked
}

/** Locks a message against changes. */
export async function lockMessage(sql: Sql, { accountId, id }: MessageKey): Promise<Message | undefined> {
  const [row] = await sql<Message[]>`
    select ${messageColumns(sql)}
    from messages
    where account_id = ${accountId}
      and id = ${id}
    for update
  `
  return row
}

/**
 * Locks several messages of some accounts, in the order of `lockUncancelled`. Returns the ids of messages that are
 * scheduled or sending.
 */
export async function lockMessages(
  sql: Sql,
  { accountIds, ids }: { accountIds: readonly number[]; ids: readonly number[] }
): Promise<Set<number>> {
  const rows = await sql<{ id: number; isLive: boolean }[]>`
    select id, state in ('scheduled', 'sending') as is_live
    from messages
    where account_id = any(${accountIds as number[]}::bigint[])
      and id = any(${ids as number[]}::bigint[])
    order by account_id, id
    for update
  `
  return new Set(rows.filter(({ isLive }) => isLive).map(({ id }) => id))
}

/** For a message that never got recipients. */
export async function updateToFailed(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    update messages
    set state = 'failed'
    where account_id = ${accountId}
      and id = ${id}
  `
}

/**
 * Cancels a locked message: its waiting recipients count as cancelled from now on. A message that is `sent` stays
 * `sent`; its `cancelled_at` tells the workers that follow undelivered RCS.
 */
export async function updateToCancelled(
  sql: Sql,
  { accountId, id, cancelled, refunded }: MessageKey & { cancelled: number; refunded: number }
): Promise<Message> {
  const [row] = await sql<[Message]>`
    update messages
    set state = case when state = 'sent' then state else 'cancelled' end,
        cancelled_at = now(),
        paused_at = null,
        waiting_count = waiting_count - ${cancelled},
        cancelled_count = cancelled_count + ${cancelled},
        credits_refunded = credits_refunded + ${refunded}
    where account_id = ${accountId}
      and id = ${id}
    returning ${messageColumns(sql)}
  `
  return row
}

/** Marks a locked message as paused, or as resumed. */
export async function updatePaused(
  sql: Sql,
  { accountId, id, isPaused }: MessageKey & { isPaused: boolean }
): Promise<Message> {
  const [row] = await sql<[Message]>`
    update messages
    set paused_at = ${isPaused ? sql`now()` : sql`null`}
    where account_id = ${accountId}
      and id = ${id}
    returning ${messageColumns(sql)}
  `
  return row
}

/** Notes that it is late for its deadline. */
export async function updateLate(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    update messages
    set late_at = now()
    where account_id = ${accountId}
      and id = ${id}
  `
}

/** Notes which message took the place of a cancelled one. */
export async function updateReplacedBy(
  sql: Sql,
  { accountId, id, replacedBy }: MessageKey & { replacedBy: number }
): Promise<void> {
  await sql`
    update messages
    set replaced_by = ${replacedBy}
    where account_id = ${accountId}
      and id = ${id}
  `
}

/** Renames a message and tags it anew. Undefined when there is no such message. */
export async function updateLabels(
  sql: Sql,
  { accountId, id, name, tags }: MessageKey & Pick<Message, 'name' | 'tags'>
): Promise<Message | undefined> {
  const [row] = await sql<Message[]>`
    update messages
    set name = ${name},
        tags = ${tags}::text[]
    where account_id = ${accountId}
      and id = ${id}
    returning ${messageColumns(sql)}
  `
  return row
}

/** These messages as a table `given`, to join with. */
export function unnestMessageKeys(sql: Sql, keys: readonly MessageRef[]) {
  return sql`
    unnest(
      ${keys.map(({ accountId }) => accountId)}::bigint[],
      ${keys.map(({ messageId }) => messageId)}::bigint[]
    ) as given (account_id, message_id)
  `
}

/** The columns of a `Message`. */
export function messageColumns(sql: Sql) {
  return sql`
    messages.id, channel, category, state, content, sender, external_id, scheduled_at, recipients_count, segments_count,
    credits_required, credits_refunded, waiting_count, sent_count, taken_count, delivered_count, read_count, failed_count,
    stopped_count, cancelled_count, clicked_count, replied_count, shorturl_mode, shorturl_url, resend_of,
    messages.created_at, cancelled_at, paused_at, late_at, options, messages.name, tags, replaces, replaced_by
  `
}
