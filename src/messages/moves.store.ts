import type { Sql } from '../database/database.ts'
import type { Channel } from './message.ts'
import { RECIPIENT_STATES } from './recipient.ts'

export interface RecipientKey {
  accountId: number
  messageId: number
  position: number
}

/** A recipient that has moved, with what its moving needs. */
export interface Moved extends RecipientKey {
  from: number
  to: number
  segments: number
  credits: number
}

export interface Move extends RecipientKey {
  /** Where it must be now, and where it goes. */
  from: number
  to: number
  errorCode: string | null
}

/** Moves recipients; one that is no longer where its move begins stays, and is not told. */
export async function updateStates(sql: Sql, moves: readonly Move[]): Promise<Moved[]> {
  if (moves.length === 0) return []
  return sql<Moved[]>`
    update recipients
    set state = given.to_state, error_code = given.error_code
    from unnest(
      ${moves.map(({ accountId }) => accountId)}::bigint[],
      ${moves.map(({ messageId }) => messageId)}::bigint[],
      ${moves.map(({ position }) => position)}::integer[],
      ${moves.map(({ from }) => from)}::smallint[],
      ${moves.map(({ to }) => to)}::smallint[],
      ${moves.map(({ errorCode }) => errorCode ?? '')}::text[]
    ) as given (account_id, message_id, position, from_state, to_state, error_code)
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and recipients.state = given.from_state
    returning recipients.account_id, recipients.message_id, recipients.position, from_state as "from", state as "to",
      segments, credits
  `
}

/** What a carrier took of a recipient. */
export interface Taken extends RecipientKey {
  carrier: string
  carrierMessageIds: readonly string[]
}

/** Moves those that a carrier took to sent, from wherever they were open. */
export async function updateToSent(sql: Sql, taken: readonly Taken[]): Promise<Moved[]> {
  if (taken.length === 0) return []
  return sql<Moved[]>`
    update recipients
    set state = ${RECIPIENT_STATES.sent},
        sent_at = now(),
        carrier = given.carrier,
        carrier_message_ids = given.carrier_message_ids::text[]
    from unnest(
      ${taken.map(({ accountId }) => accountId)}::bigint[],
      ${taken.map(({ messageId }) => messageId)}::bigint[],
      ${taken.map(({ position }) => position)}::integer[],
      ${taken.map(({ carrier }) => carrier)}::text[],
      ${taken.map(({ carrierMessageIds }) => toArrayText(carrierMessageIds))}::text[]
    ) as given (account_id, message_id, position, carrier, carrier_message_ids)
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and recipients.state in (${RECIPIENT_STATES.waiting}, ${RECIPIENT_STATES.submitting})
    returning recipients.account_id, recipients.message_id, recipients.position,
      ${RECIPIENT_STATES.waiting}::smallint as "from", recipients.state as "to", segments, credits
  `
}

const PLAIN = /^[\w.:-]+$/

/** PostgreSQL's text for an array; ids are whatever a carrier likes to write. */
function toArrayText(values: readonly string[]): string {
  const quoted = values.map((value) =>
    PLAIN.test(value) && value !== 'NULL' ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
  )
  return `{${quoted.join(',')}}`
}

/** The final word of a carrier on a recipient. */
export interface FinalWord extends RecipientKey {
  to: number
  at: Date
  receipt: string
  errorCode: string
}

/** Moves those that were sent to where the carrier says they ended. */
export async function updateByReceipt(sql: Sql, words: readonly FinalWord[]): Promise<Moved[]> {
  if (words.length === 0) return []
  return sql<Moved[]>`
    update recipients
    set state = given.state,
        -- Carriers tell minutes, in a zone they do not say: it arrived after it left, and before now.
        delivered_at = case
          when given.state = ${RECIPIENT_STATES.delivered} then least(now(), greatest(sent_at, given.at::timestamptz))
        end,
        receipt = given.receipt,
        error_code = given.error_code
    from unnest(
      ${words.map(({ accountId }) => accountId)}::bigint[],
      ${words.map(({ messageId }) => messageId)}::bigint[],
      ${words.map(({ position }) => position)}::integer[],
      ${words.map(({ to }) => to)}::smallint[],
      ${words.map(({ at }) => at.toISOString())}::text[],
      ${words.map(({ receipt }) => receipt)}::text[],
      ${words.map(({ errorCode }) => errorCode)}::text[]
    ) as given (account_id, message_id, position, state, at, receipt, error_code)
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and recipients.state = ${RECIPIENT_STATES.sent}
    returning recipients.account_id, recipients.message_id, recipients.position,
      ${RECIPIENT_STATES.sent}::smallint as "from", recipients.state as "to", segments, credits
  `
}

/** How the counts of one message change. */
export interface CountChange {
  accountId: number
  messageId: number
  waiting: number
  sent: number
  delivered: number
  read: number
  failed: number
  stopped: number
  cancelled: number
  taken: number
  refunded: number
}

/**
 * Changes the counts of messages, locked in one order for everybody. One of which nobody waits any more has left, or could
 * not: then its credits are to be settled.
 */
export async function updateMessageTotals(
  sql: Sql,
  changes: readonly CountChange[]
): Promise<{ accountId: number; messageId: number; channel: Channel; waitingCount: number }[]> {
  const column = (name: keyof CountChange) => changes.map((change) => change[name])
  return sql`
    with given as (
      select *
      from unnest(
        ${column('accountId')}::bigint[], ${column('messageId')}::bigint[], ${column('waiting')}::integer[],
        ${column('sent')}::integer[], ${column('delivered')}::integer[], ${column('read')}::integer[],
        ${column('failed')}::integer[], ${column('stopped')}::integer[], ${column('cancelled')}::integer[],
        ${column('taken')}::integer[], ${column('refunded')}::bigint[]
      ) as given (account_id, message_id, waiting, sent, delivered, read, failed, stopped, cancelled, taken, refunded)
    ),
    locked as (
      select id
      from messages
      join given on given.account_id = messages.account_id and given.message_id = messages.id
      order by messages.account_id, messages.id
      for no key update of messages
    )
    update messages
    set waiting_count = waiting_count + given.waiting,
        sent_count = sent_count + given.sent,
        delivered_count = delivered_count + given.delivered,
        read_count = read_count + given.read,
        failed_count = failed_count + given.failed,
        stopped_count = stopped_count + given.stopped,
        cancelled_count = cancelled_count + given.cancelled,
        taken_count = taken_count + given.taken,
        credits_refunded = credits_refunded + given.refunded,
        state = case
          when state in ('cancelled', 'sent', 'failed') then state
          when waiting_count + given.waiting > 0 then case when given.taken + given.failed > 0 then 'sending' else state end
          when taken_count + given.taken > 0 or failed_count + given.failed = 0 then 'sent'
          else 'failed'
        end
    from given
    where (select count(*) from locked) > 0
      and messages.account_id = given.account_id
      and messages.id = given.message_id
    returning messages.account_id, messages.id as message_id, channel, waiting_count
  `
}
