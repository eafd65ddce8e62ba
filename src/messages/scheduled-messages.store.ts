import type { Sql } from '../database/database.ts'
import { type MessageKey, type MessageRef, unnestMessageKeys } from './messages.store.ts'

/** Stores when messages begin to be sent. */
export async function insertScheduled(
  sql: Sql,
  messages: readonly (MessageKey & { scheduledAt: Date })[]
): Promise<void> {
  if (messages.length === 0) return
  await sql`
    insert into scheduled_messages (account_id, message_id, due_at)
    select account_id, message_id, due_at::timestamptz
    from unnest(
      ${messages.map(({ accountId }) => accountId)}::bigint[],
      ${messages.map(({ id }) => id)}::bigint[],
      ${messages.map(({ scheduledAt }) => scheduledAt.toISOString())}::text[]
    ) as given (account_id, message_id, due_at)
  `
}

export async function deleteScheduled(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    delete from scheduled_messages
    where account_id = ${accountId}
      and message_id = ${id}
  `
}

/** The same, but leaves the row to a worker that begins the message now: the worker waits for whoever has the message. */
export async function deleteScheduledUnlessBegun(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    with taken as materialized (
      select account_id, message_id
      from scheduled_messages
      where account_id = ${accountId}
        and message_id = ${id}
      for update skip locked
    )
    delete from scheduled_messages
    using taken
    where scheduled_messages.account_id = any(array[taken.account_id])
      and scheduled_messages.message_id = taken.message_id
  `
}

/** Moves due messages of other accounts to `sending`, oldest first. Returns how many were due, and which have begun. */
export async function beginScheduled(
  sql: Sql,
  { limit, exceptAccountIds }: { limit: number; exceptAccountIds: readonly number[] }
): Promise<{ dueCount: number; begun: { accountId: number; messageId: number }[] }> {
  // Two statements: Citus, where it knows `messages`, changes no other table in the same one.
  const due = await sql<MessageRef[]>`
    with taken as materialized (
      select account_id, message_id
      from scheduled_messages
      where due_at <= now()
        and account_id <> all(${exceptAccountIds as number[]}::bigint[])
      order by due_at
      limit ${limit}
      for update skip locked
    )
    delete from scheduled_messages
    using taken
    where scheduled_messages.account_id = any(array[taken.account_id])
      and scheduled_messages.message_id = taken.message_id
    returning scheduled_messages.account_id, scheduled_messages.message_id
  `
  if (due.length === 0) return { dueCount: 0, begun: [] }
  const begun = await sql<MessageRef[]>`
    update messages
    set state = 'sending'
    from ${unnestMessageKeys(sql, due)}
    where messages.account_id = any(array[given.account_id])
      and messages.id = given.message_id
      and state = 'scheduled'
    returning messages.account_id, messages.id as message_id
  `
  return { dueCount: due.length, begun }
}
