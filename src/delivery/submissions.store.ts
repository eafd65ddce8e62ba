import type { Sql } from '../database/database.ts'
import type { Category } from '../messages/message.ts'
import { RECIPIENT_STATES } from '../messages/recipient.ts'
import type { ClaimedBatch } from './claims.store.ts'

/** A recipient that is about to be handed over. */
export interface Submission {
  position: number
  phone: string
  /** Null is the message's own. */
  content: string | null
}

interface Scope {
  workerId: string
  batch: ClaimedBatch
  positions: readonly number[]
}

/** What must be known of a message to hand it over. */
export interface LiveMessage {
  content: string
  sender: string
  category: Category
  hoursEnd: string
  calendar: 'national' | 'alsace-moselle'
}

/**
 * The message of a batch, if it may be sent and the batch is this worker's. Both stay so until the transaction ends: a cancel
 * locks the message against the key share that is taken here, so each recipient is either handed over or cancelled.
 */
export async function lockLiveMessage(
  sql: Sql,
  { workerId, batch }: Omit<Scope, 'positions'>
): Promise<LiveMessage | undefined> {
  const [row] = await sql<LiveMessage[]>`
    select content, sender, category, hours_end, calendar
    from messages
    join batches on batches.account_id = messages.account_id and batches.message_id = messages.id
    join accounts on accounts.id = messages.account_id
    where messages.account_id = ${batch.accountId}
      and messages.id = ${batch.messageId}
      and messages.state in ('scheduled', 'sending')
      and batches.id = ${batch.id}
      and leased_by = ${workerId}
      and leased_until >= now()
    for key share of messages, batches
  `
  return row
}

/** Whether a message is cancelled, and stays as it is until the transaction ends. */
export async function lockIsCancelled(sql: Sql, { accountId, messageId }: ClaimedBatch): Promise<boolean> {
  const [row] = await sql<{ isCancelled: boolean }[]>`
    select state = 'cancelled' as is_cancelled
    from messages
    where account_id = ${accountId}
      and id = ${messageId}
    for key share
  `
  return row?.isCancelled ?? true
}

export interface OpenRecipient {
  position: number
  state: number
  phone: string
  country: string
}

/** Those of these that still wait, or were being submitted when whoever did it was cut off. */
export async function listOpen(sql: Sql, { batch, positions }: Omit<Scope, 'workerId'>): Promise<OpenRecipient[]> {
  return sql<OpenRecipient[]>`
    select position, state, phone, country
    from recipients
    where account_id = ${batch.accountId}
      and message_id = ${batch.messageId}
      and position = any(${positions as number[]}::integer[])
      and state in (${RECIPIENT_STATES.waiting}, ${RECIPIENT_STATES.submitting})
    order by position
  `
}

/**
 * Marks recipients as being submitted, durably, before anything is written to a socket: whatever dies after this leaves them
 * in doubt and not forgotten. The message is locked.
 */
export async function markSubmitting(sql: Sql, { batch, positions }: Omit<Scope, 'workerId'>): Promise<Submission[]> {
  return sql<Submission[]>`
    update recipients
    set state = ${RECIPIENT_STATES.submitting}
    where account_id = ${batch.accountId}
      and message_id = ${batch.messageId}
      and position = any(${positions as number[]}::integer[])
      and state = ${RECIPIENT_STATES.waiting}
    returning position, phone, content
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
  cancelled: number
  refunded: number
}

/** Counts moves out of waiting; a message of which nobody waits any more has left, or could not. */
export async function updateCounts(
  sql: Sql,
  {
    accountId,
    messageId,
    sent,
    failed,
    stopped,
    cancelled,
    refunded
  }: Counts & { accountId: number; messageId: number }
): Promise<{ waitingCount: number }> {
  const [row] = await sql<[{ waitingCount: number }]>`
    update messages
    set waiting_count = waiting_count - ${sent + failed + stopped + cancelled},
        sent_count = sent_count + ${sent},
        failed_count = failed_count + ${failed},
        stopped_count = stopped_count + ${stopped},
        cancelled_count = cancelled_count + ${cancelled},
        credits_refunded = credits_refunded + ${refunded},
        state = case
          when state = 'cancelled' then state
          when waiting_count > ${sent + failed + stopped} then 'sending'
          when sent_count + ${sent} + delivered_count + read_count > 0 or failed_count + ${failed} = 0 then 'sent'
          else 'failed'
        end
    where account_id = ${accountId}
      and id = ${messageId}
    returning waiting_count
  `
  return row
}
