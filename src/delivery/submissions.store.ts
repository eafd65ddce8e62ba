import type { Sql } from '../database/database.ts'
import { RECIPIENT_STATES } from '../messages/recipient.ts'
import type { ClaimedBatch } from './claims.store.ts'

/** A recipient that is about to be handed over. */
export interface Submission {
  position: number
  sender: string
  phone: string
  content: string
}

interface Scope {
  workerId: string
  batch: ClaimedBatch
  positions: readonly number[]
}

/** Those of these that still wait. */
export async function listWaiting(
  sql: Sql,
  { batch, positions }: Omit<Scope, 'workerId'>
): Promise<{ position: number; phone: string }[]> {
  return sql<{ position: number; phone: string }[]>`
    select position, phone
    from recipients
    where account_id = ${batch.accountId}
      and message_id = ${batch.messageId}
      and position = any(${positions as number[]}::integer[])
      and state = ${RECIPIENT_STATES.waiting}
    order by position
  `
}

/** Those of these that were being submitted when whoever did it was cut off. */
export async function listSubmitting(sql: Sql, { batch, positions }: Omit<Scope, 'workerId'>): Promise<number[]> {
  const rows = await sql<{ position: number }[]>`
    select position
    from recipients
    where account_id = ${batch.accountId}
      and message_id = ${batch.messageId}
      and position = any(${positions as number[]}::integer[])
      and state = ${RECIPIENT_STATES.submitting}
    order by position
  `
  return rows.map(({ position }) => position)
}

/**
 * Marks recipients as being submitted, durably, before anything is written to a socket: whatever dies after this leaves them
 * in doubt and not forgotten. Only while the message may be sent and the batch is this worker's: a cancel locks the message
 * against the key share that is taken here, so each recipient is either handed over or cancelled.
 */
export async function markSubmitting(sql: Sql, { workerId, batch, positions }: Scope): Promise<Submission[]> {
  return sql<Submission[]>`
    with message as (
      select content, sender
      from messages
      where account_id = ${batch.accountId}
        and id = ${batch.messageId}
        and state in ('scheduled', 'sending')
      for key share
    ),
    held as (
      select
      from batches
      where account_id = ${batch.accountId}
        and message_id = ${batch.messageId}
        and id = ${batch.id}
        and leased_by = ${workerId}
        and leased_until >= now()
      for share
    )
    update recipients
    set state = ${RECIPIENT_STATES.submitting}
    from message, held
    where account_id = ${batch.accountId}
      and message_id = ${batch.messageId}
      and position = any(${positions as number[]}::integer[])
      and state = ${RECIPIENT_STATES.waiting}
    returning position, message.sender, phone, coalesce(recipients.content, message.content) as content
  `
}

export interface Move {
  position: number
  /** Where it is now, and where it goes. */
  from: number
  to: number
  errorCode: string | null
}

export interface Moved {
  position: number
  state: number
  credits: number
}

/** Moves recipients of one message; one that is no longer where its move begins stays. */
export async function moveRecipients(
  sql: Sql,
  { accountId, messageId, moves }: { accountId: number; messageId: number; moves: readonly Move[] }
): Promise<Moved[]> {
  return sql<Moved[]>`
    update recipients
    set state = move.to_state,
        error_code = move.error_code,
        sent_at = case when move.to_state = ${RECIPIENT_STATES.sent} then now() else sent_at end
    from unnest(
      ${moves.map(({ position }) => position)}::integer[],
      ${moves.map(({ from }) => from)}::smallint[],
      ${moves.map(({ to }) => to)}::smallint[],
      ${moves.map(({ errorCode }) => errorCode)}::text[]
    ) as move (position, from_state, to_state, error_code)
    where account_id = ${accountId}
      and message_id = ${messageId}
      and recipients.position = move.position
      and recipients.state = move.from_state
    returning recipients.position, recipients.state, recipients.credits
  `
}

export interface Counts {
  sent: number
  failed: number
  stopped: number
  refunded: number
}

export interface CountsAfter {
  state: string
  waitingCount: number
}

/** Counts moves out of waiting; a message of which nobody waits any more has left, or could not. */
export async function updateCounts(
  sql: Sql,
  { accountId, messageId, sent, failed, stopped, refunded }: Counts & { accountId: number; messageId: number }
): Promise<CountsAfter> {
  const [row] = await sql<[CountsAfter]>`
    update messages
    set waiting_count = waiting_count - ${sent + failed + stopped},
        sent_count = sent_count + ${sent},
        failed_count = failed_count + ${failed},
        stopped_count = stopped_count + ${stopped},
        credits_refunded = credits_refunded + ${refunded},
        state = case
          when state = 'cancelled' then state
          when waiting_count > ${sent + failed + stopped} then 'sending'
          when sent_count + ${sent} + delivered_count + read_count > 0 or failed_count + ${failed} = 0 then 'sent'
          else 'failed'
        end
    where account_id = ${accountId}
      and id = ${messageId}
    returning state, waiting_count
  `
  return row
}
