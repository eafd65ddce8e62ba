import type { Sql } from '../database/database.ts'
import type { MessageKey } from './messages.store.ts'
import type { Batch } from './plan.ts'

export interface NewBatch extends Omit<Batch, 'dueAt'> {
  accountId: number
  messageId: number
  lane: number
  /** Null is at once, by the database's clock. */
  dueAt: Date | null
}

/** Queues what is to leave, in the transaction that accepts it. A future batch is made ready when its time comes. */
export async function insertBatches(sql: Sql, batches: readonly NewBatch[]): Promise<void> {
  await sql`
    insert into batches (id, account_id, message_id, lane, route, due_at, is_ready, expires_at, positions)
    select nextval('batch_ids'), account_id, message_id, lane, route, coalesce(due_at::timestamptz, now()),
      coalesce(due_at::timestamptz <= now(), true), expires_at::timestamptz, positions::integer[]
    from unnest(
      ${batches.map(({ accountId }) => accountId)}::bigint[],
      ${batches.map(({ messageId }) => messageId)}::bigint[],
      ${batches.map(({ lane }) => lane)}::smallint[],
      ${batches.map(({ route }) => route)}::text[],
      ${batches.map(({ dueAt }) => dueAt?.toISOString() ?? null)}::text[],
      ${batches.map(({ expiresAt }) => expiresAt.toISOString())}::text[],
      ${batches.map(({ positions }) => `{${positions.join(',')}}`)}::text[]
    ) as given (account_id, message_id, lane, route, due_at, expires_at, positions)
  `
}

/** Positions of a message that were handed to a carrier and are not settled. None is added while its submitting is locked. */
export async function listSubmitting(sql: Sql, { accountId, id }: MessageKey): Promise<number[]> {
  const rows = await sql<{ position: number }[]>`
    select unnest(submitting) as position
    from batches
    where account_id = ${accountId}
      and message_id = ${id}
  `
  return rows.map(({ position }) => position)
}

/** The same of several messages. */
export async function listSubmittingOf(
  sql: Sql,
  { accountIds, ids }: { accountIds: readonly number[]; ids: readonly number[] }
): Promise<Map<number, Set<number>>> {
  const rows = await sql<{ messageId: number; position: number }[]>`
    select message_id, unnest(submitting) as position
    from batches
    where account_id = any(${accountIds as number[]}::bigint[])
      and message_id = any(${ids as number[]}::bigint[])
  `
  const positions = new Map<number, Set<number>>()
  for (const { messageId, position } of rows) {
    const ofMessage = positions.get(messageId)
    if (ofMessage) ofMessage.add(position)
    else positions.set(messageId, new Set([position]))
  }
  return positions
}

/** Takes a cancelled message out of the queue, but for batches of which somebody is being submitted: they must be looked at again. */
export async function deleteWaitingBatches(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    delete from batches
    where account_id = ${accountId}
      and message_id = ${id}
      and submitting = '{}'
  `
}

/** Remembers when messages begin to be sent. */
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

/** Moves messages whose time has come to `sending`, oldest first; tells how many had come, and which have begun. */
export async function beginScheduled(
  sql: Sql,
  limit: number
): Promise<{ dueCount: number; begun: { accountId: number; messageId: number }[] }> {
  const due = await sql<{ accountId: number; messageId: number; isBegun: boolean }[]>`
    with due as (
      delete from scheduled_messages
      where (account_id, message_id) in (
        select account_id, message_id
        from scheduled_messages
        where due_at <= now()
        order by due_at
        limit ${limit}
        for update skip locked
      )
      returning account_id, message_id
    ),
    begun as (
      update messages
      set state = 'sending'
      from due
      where messages.account_id = due.account_id
        and messages.id = due.message_id
        and state = 'scheduled'
      returning messages.id
    )
    select account_id, message_id, message_id in (select id from begun) as is_begun
    from due
  `
  return { dueCount: due.length, begun: due.filter(({ isBegun }) => isBegun) }
}
