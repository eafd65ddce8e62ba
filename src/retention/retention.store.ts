import type { Sql } from '../database/database.ts'
import { updateAllQueued } from '../database/id-ranges.store.ts'
import type { IdRange } from '../database/id-ranges.ts'
import { type MessageKey, unnestMessageKeys } from '../messages/messages.store.ts'

/*
 * Messages past their retention. The message row goes first: from then on no query finds the message. Its recipients follow,
 * some at a time, through a queue that survives a crash. Of any account: for workers.
 */

/** The progress of a walk along messages, in the order of their due times. */
export interface WalkPosition {
  accountId: number
  /** As PostgreSQL writes it: a Date would be cut to milliseconds. */
  scheduledAt: string
  id: number
}

export const WALK_BEGIN: WalkPosition = { accountId: 0, scheduledAt: '-infinity', id: 0 }

export interface OldMessage extends WalkPosition {
  /** Whether the message seems to be over; lockOver() checks again. */
  isOver: boolean
}

/**
 * The next messages that were due more than `days` ago, account by account along the index. The query never reads younger
 * messages, however many there are.
 */
export async function listOldMessages(
  sql: Sql,
  { days, after, limit }: { days: number; after: WalkPosition; limit: number }
): Promise<OldMessage[]> {
  const isBegun = sql`accounts.id = ${after.accountId}`
  return sql<OldMessage[]>`
    select old.account_id, old.scheduled_at::text as scheduled_at, old.id, old.is_over
    from accounts
    cross join lateral (
      select account_id, scheduled_at, id, ${isOver(sql)} as is_over
      from messages
      where account_id = accounts.id
        and scheduled_at < now() - make_interval(days => ${days})
        and (scheduled_at, id) > (
          case when ${isBegun} then ${after.scheduledAt}::text::timestamptz else '-infinity' end,
          case when ${isBegun} then ${after.id}::bigint else 0 end
        )
      order by scheduled_at, id
      limit ${limit}
    ) as old
    where accounts.id >= ${after.accountId}
    order by accounts.id
    limit ${limit}
  `
}

/** No recipient waits, is in doubt or awaits a receipt, and the counts are part of `figures`. */
function isOver(sql: Sql) {
  return sql`(state in ('sent', 'cancelled', 'failed') and waiting_count = 0 and sent_count = 0 and is_folded)`
}

/**
 * Locks the messages that are over, and that no other transaction has locked. A message that is still in a queue is not over,
 * whatever its counts say: the worker of that queue needs the message.
 */
export async function lockOver(
  sql: Sql,
  keys: readonly MessageKey[]
): Promise<(MessageKey & { recipientsCount: number })[]> {
  const inQueue = (table: string) => sql`
    exists (
      select
      from ${sql(table)} as queue
      where queue.account_id = messages.account_id
        and queue.message_id = messages.id
    )
  `
  return sql`
    select messages.account_id, messages.id, recipients_count
    from ${unnestKeys(sql, keys)}
    join messages on messages.account_id = any(array[given.account_id]) and messages.id = given.message_id
    where ${isOver(sql)}
      and not ${inQueue('batches')}
      and not ${inQueue('scheduled_messages')}
      and not ${inQueue('doubts')}
      and not ${inQueue('rcs_waits')}
    order by messages.account_id, messages.id
    for update of messages skip locked
  `
}

/** Queues the removal of recipients of removed messages for later. */
export async function insertRemovals(
  sql: Sql,
  messages: readonly (MessageKey & { recipientsCount: number })[],
  { graceSeconds }: { graceSeconds: number }
): Promise<void> {
  if (messages.length === 0) return
  await sql`
    insert into removals (account_id, message_id, recipients_count, due_at)
    select account_id, message_id, recipients_count, now() + make_interval(secs => ${graceSeconds})
    from unnest(
      ${messages.map(({ accountId }) => accountId)}::bigint[],
      ${messages.map(({ id }) => id)}::bigint[],
      ${messages.map(({ recipientsCount }) => recipientsCount)}::integer[]
    ) as given (account_id, message_id, recipients_count)
    on conflict do nothing
  `
}

/** Queues the removal of all recipients of removed messages that wait for the drop of their range. */
export async function queueHiddenRecipients(sql: Sql): Promise<void> {
  await sql`
    insert into removals (account_id, message_id, recipients_count, due_at)
    select account_id, message_id, max(position), now()
    from recipients
    where not exists (
      select
      from messages
      where messages.account_id = recipients.account_id
        and messages.id = recipients.message_id
    )
    group by account_id, message_id
    on conflict do nothing
  `
  await updateAllQueued(sql)
}

/** The messages that are left in a range of ids, up to `limit`, account by account along the index. */
export async function listLeftMessages(
  sql: Sql,
  { firstId, endId }: IdRange,
  limit: number
): Promise<(MessageKey & { recipientsCount: number })[]> {
  return sql`
    select found.account_id, found.id, found.recipients_count
    from accounts
    cross join lateral (
      select account_id, id, recipients_count
      from messages
      where account_id = accounts.id
        and id >= ${firstId}
        and id < ${endId}
      limit ${limit}
    ) as found
    limit ${limit}
  `
}

export interface StoredMessage extends MessageKey {
  /** Its highest position. */
  recipientsCount: number
  /** Whether only its recipients are left. */
  isHidden: boolean
}

/** The next messages that have recipients in a partition, from message to message along its key. */
export async function listStoredMessages(
  sql: Sql,
  { partition, after, limit }: { partition: string; after: MessageKey; limit: number }
): Promise<StoredMessage[]> {
  const next = (accountId: ReturnType<Sql>, id: ReturnType<Sql>) => sql`
    select account_id, message_id
    from ${sql(partition)}
    where (account_id, message_id) > (${accountId}, ${id})
    order by account_id, message_id
    limit 1
  `
  return sql`
    with recursive found as (
      (${next(sql`${after.accountId}::bigint`, sql`${after.id}::bigint`)})
      union all
      select further.account_id, further.message_id
      from found
      cross join lateral (${next(sql`found.account_id`, sql`found.message_id`)}) as further
    )
    select account_id, message_id as id,
      (
        select max(position)
        from ${sql(partition)} as stored
        where stored.account_id = found.account_id
          and stored.message_id = found.message_id
      ) as recipients_count,
      not exists (
        select
        from messages
        where messages.account_id = found.account_id
          and messages.id = found.message_id
      ) as is_hidden
    from found
    limit ${limit}
  `
}

/** Which rows of a partition belong to some messages. */
export function isOfMessages(sql: Sql, messages: readonly MessageKey[]) {
  return sql`(account_id, message_id) in (select account_id, message_id from ${unnestKeys(sql, messages)})`
}

/** Ends the removals of a range whose rows are all gone. */
export async function deleteRemovalsOfRange(sql: Sql, { firstId, endId }: IdRange): Promise<void> {
  await sql`
    delete from removals
    where message_id >= ${firstId}
      and message_id < ${endId}
  `
}

function unnestKeys(sql: Sql, keys: readonly MessageKey[]) {
  return unnestMessageKeys(
    sql,
    keys.map(({ accountId, id }) => ({ accountId, messageId: id }))
  )
}

/** A hidden message, and the position up to which its recipients are removed. */
export interface Removal extends MessageKey {
  recipientsCount: number
  removedTo: number
}

/** Locks due removals, oldest first, until the transaction ends. */
export async function claimRemovals(sql: Sql, limit: number): Promise<Removal[]> {
  return sql<Removal[]>`
    select account_id, message_id as id, recipients_count, removed_to
    from removals
    where due_at <= now()
    order by due_at
    limit ${limit}
    for update skip locked
  `
}

export async function updateRemovals(
  sql: Sql,
  removals: readonly (MessageKey & { removedTo: number; delaySeconds: number })[]
): Promise<void> {
  if (removals.length === 0) return
  await sql`
    update removals
    set removed_to = given.removed_to, due_at = now() + make_interval(secs => given.delay_seconds)
    from unnest(
      ${removals.map(({ accountId }) => accountId)}::bigint[],
      ${removals.map(({ id }) => id)}::bigint[],
      ${removals.map(({ removedTo }) => removedTo)}::integer[],
      ${removals.map(({ delaySeconds }) => delaySeconds)}::double precision[]
    ) as given (account_id, message_id, removed_to, delay_seconds)
    where removals.account_id = any(array[given.account_id])
      and removals.message_id = given.message_id
  `
}

/** Ends removals. */
export async function deleteRemovals(sql: Sql, removals: readonly MessageKey[]): Promise<void> {
  if (removals.length === 0) return
  await sql`
    delete from removals
    using ${unnestKeys(sql, removals)}
    where removals.account_id = any(array[given.account_id])
      and removals.message_id = given.message_id
  `
}
