import type { Sql } from '../database/database.ts'
import type { Channel } from '../messages/message.ts'
import type { MessageKey } from '../messages/messages.store.ts'

/** A cancelled message whose status events are stored up to position `toldTo`. */
export interface UntoldCancel extends MessageKey {
  /** Null when the message has been removed meanwhile. */
  channel: Channel | null
  recipientsCount: number
  /** Positions that were on their way to a carrier when the message was cancelled. */
  exceptPositions: number[]
  toldTo: number
}

export async function insertUntoldCancel(
  sql: Sql,
  {
    accountId,
    id,
    recipientsCount,
    exceptPositions
  }: MessageKey & { recipientsCount: number; exceptPositions: readonly number[] }
): Promise<void> {
  await sql`
    insert into untold_cancels (account_id, message_id, recipients_count, except_positions)
    values (${accountId}, ${id}, ${recipientsCount}, ${exceptPositions as number[]}::integer[])
    on conflict do nothing
  `
}

/**
 * The cancel whose turn it is. A separate transaction takes the turn, so a cancel whose slice fails does not block the
 * others. Covers all accounts: for workers.
 */
export async function takeTurn(sql: Sql): Promise<MessageKey | undefined> {
  const [row] = await sql<MessageKey[]>`
    with next as (
      select account_id, message_id
      from untold_cancels
      order by told_at
      limit 1
      for update skip locked
    )
    update untold_cancels
    set told_at = now()
    from next
    where untold_cancels.account_id = next.account_id
      and untold_cancels.message_id = next.message_id
    returning untold_cancels.account_id, untold_cancels.message_id as id
  `
  return row
}

/** Locked until the transaction ends. Undefined when another worker has it, or has finished it. */
export async function lockUntoldCancel(sql: Sql, { accountId, id }: MessageKey): Promise<UntoldCancel | undefined> {
  const [row] = await sql<UntoldCancel[]>`
    select untold_cancels.account_id, message_id as id, channel, untold_cancels.recipients_count, except_positions, told_to
    from untold_cancels
    left join messages on messages.account_id = untold_cancels.account_id and messages.id = message_id
    where untold_cancels.account_id = ${accountId}
      and message_id = ${id}
    for update of untold_cancels skip locked
  `
  return row
}

export async function updateToldTo(
  sql: Sql,
  { accountId, id, toldTo }: MessageKey & { toldTo: number }
): Promise<void> {
  await sql`
    update untold_cancels
    set told_to = ${toldTo}
    where account_id = ${accountId}
      and message_id = ${id}
  `
}

export async function deleteUntoldCancel(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    delete from untold_cancels
    where account_id = ${accountId}
      and message_id = ${id}
  `
}
