import { strict as assert } from 'node:assert'
import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Channel, MessageState } from '../messages/message.ts'
import { unnestMessageKeys } from '../messages/messages.store.ts'
import { RECIPIENT_STATES } from './recipient.ts'

export interface RecipientKey {
  accountId: number
  messageId: number
  position: number
}

/** These recipients as a table `given`, to join with. */
export function unnestRecipientKeys(sql: Sql, keys: readonly RecipientKey[]) {
  return sql`
    unnest(
      ${keys.map(({ accountId }) => accountId)}::bigint[],
      ${keys.map(({ messageId }) => messageId)}::bigint[],
      ${keys.map(({ position }) => position)}::integer[]
    ) as given (account_id, message_id, position)
  `
}

/** A recipient that has moved. */
export interface Moved extends RecipientKey {
  from: number
  to: number
}

/** With what tells how much of it comes back. */
export interface PaidMove extends Moved {
  segments: number
  credits: number
  /** Whether these are those of an SMS that took the place of an RCS. */
  isFallback: boolean
}

export interface Move extends RecipientKey {
  /** Where it must be now, and where it goes. */
  from: number
  to: number
  errorCode: string | null
}

/** Moves recipients; one that is no longer where its move begins stays, and is not told. */
export async function updateStates(sql: Sql, moves: readonly Move[]): Promise<PaidMove[]> {
  if (moves.length === 0) return []
  return sql<PaidMove[]>`
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
      segments, credits, recipients.channel is not null as is_fallback
  `
}

/** What a carrier took of a recipient. */
export interface Taken extends RecipientKey {
  carrier: string
  carrierMessageIds: readonly string[]
}

/**
 * Moves those that a carrier took to sent, from wherever they were open. Of each message by one walk along the index, which
 * takes a tenth of looking each recipient up; of many messages, which then have few each, by one statement for all.
 */
export async function updateToSent(sql: Sql, taken: readonly Taken[], { isRcs = false } = {}): Promise<Moved[]> {
  if (taken.length === 0) return []
  const groups = [...Map.groupBy(taken, ({ messageId, carrier }) => `${messageId} ${carrier}`).values()]
  if (groups.length > WALKS_MAX) return updateAllToSent(sql, taken, isRcs)
  return (await Promise.all(groups.map((ofMessage) => updateToSentOfMessage(sql, ofMessage, isRcs)))).flat()
}

const WALKS_MAX = 4

async function updateToSentOfMessage(sql: Sql, taken: readonly Taken[], isRcs: boolean): Promise<Moved[]> {
  const [first] = taken
  assert(first)
  const { accountId, messageId, carrier } = first
  const ids = Object.fromEntries(
    taken.map(({ position, carrierMessageIds }) => [position, carrierMessageIds.join('\n')])
  )
  const rows = await sql<{ position: number }[]>`
    update recipients
    set state = ${RECIPIENT_STATES.sent},
        sent_at = now(),
        carrier = ${carrier},
        carrier_message_ids = string_to_array(${sql.json(ids)}::jsonb ->> position::text, E'\n')
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = any(${numberArray(taken.map(({ position }) => position))}::integer[])
      and state in (${RECIPIENT_STATES.waiting}, ${RECIPIENT_STATES.submitting})
      ${ownChannel(sql, isRcs)}
    returning position
  `
  const moved = { accountId, messageId, from: RECIPIENT_STATES.waiting, to: RECIPIENT_STATES.sent }
  return rows.map(({ position }) => ({ ...moved, position }))
}

/** An RCS that fell back meanwhile is no longer for those who send RCS. */
function ownChannel(sql: Sql, isRcs: boolean) {
  return isRcs ? sql`and channel is null` : sql``
}

async function updateAllToSent(sql: Sql, taken: readonly Taken[], isRcs: boolean): Promise<Moved[]> {
  return sql<Moved[]>`
    update recipients
    set state = ${RECIPIENT_STATES.sent},
        sent_at = now(),
        carrier = given.carrier,
        carrier_message_ids = string_to_array(given.carrier_message_ids, E'\n')
    from unnest(
      ${taken.map(({ accountId }) => accountId)}::bigint[],
      ${taken.map(({ messageId }) => messageId)}::bigint[],
      ${taken.map(({ position }) => position)}::integer[],
      ${taken.map(({ carrier }) => carrier)}::text[],
      ${taken.map(({ carrierMessageIds }) => carrierMessageIds.join('\n'))}::text[]
    ) as given (account_id, message_id, position, carrier, carrier_message_ids)
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and recipients.state in (${RECIPIENT_STATES.waiting}, ${RECIPIENT_STATES.submitting})
      ${ownChannel(sql, isRcs)}
    returning recipients.account_id, recipients.message_id, recipients.position,
      ${RECIPIENT_STATES.waiting}::smallint as "from", recipients.state as "to"
  `
}

/** The final word of a carrier on a recipient. */
export interface FinalWord extends RecipientKey {
  to: number
  at: Date
  receipt: string
  errorCode: string
}

/** Moves those that were sent to where the carrier says they ended. What was said of many is written by one walk, as above. */
export async function updateByReceipt(sql: Sql, words: readonly FinalWord[]): Promise<PaidMove[]> {
  if (words.length === 0) return []
  const nameOf = (word: FinalWord) =>
    `${word.messageId} ${word.to} ${word.at.getTime()} ${word.receipt} ${word.errorCode}`
  const groups = [...Map.groupBy(words, nameOf).values()]
  if (groups.length > WALKS_MAX) return updateAllByReceipt(sql, words)
  return (await Promise.all(groups.map((alike) => updateAlikeByReceipt(sql, alike)))).flat()
}

async function updateAlikeByReceipt(sql: Sql, words: readonly FinalWord[]): Promise<PaidMove[]> {
  const [first] = words
  assert(first)
  const { accountId, messageId, to, at, receipt, errorCode } = first
  return sql<PaidMove[]>`
    update recipients
    set state = ${to},
        delivered_at = ${arrivedAt(sql, sql`${to}::smallint`, sql`${at}::timestamptz`)},
        receipt = ${receipt},
        error_code = ${errorCode}
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = any(${numberArray(words.map(({ position }) => position))}::integer[])
      and state = ${RECIPIENT_STATES.sent}
    returning account_id, message_id, position, ${RECIPIENT_STATES.sent}::smallint as "from", state as "to", segments,
      credits, channel is not null as is_fallback
  `
}

async function updateAllByReceipt(sql: Sql, words: readonly FinalWord[]): Promise<PaidMove[]> {
  return sql<PaidMove[]>`
    update recipients
    set state = given.state,
        delivered_at = ${arrivedAt(sql, sql`given.state`, sql`given.at::timestamptz`)},
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
      ${RECIPIENT_STATES.sent}::smallint as "from", recipients.state as "to", segments, credits,
      recipients.channel is not null as is_fallback
  `
}

/** Carriers tell minutes, in a zone they do not say: it arrived after it left, and before now. */
function arrivedAt(sql: Sql, state: ReturnType<Sql>, at: ReturnType<Sql>) {
  return sql`case when ${state} = ${RECIPIENT_STATES.delivered} then least(now(), greatest(sent_at, ${at})) end`
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
  /** Credits and segments of the SMS that took the place of RCS. */
  charged: number
  segments: number
}

/**
 * Changes the counts of messages, locked in one order for everybody. At waiting_count 0 a message becomes sent or failed;
 * close its reservation. A message is sending again when an RCS of it falls back to SMS.
 */
export async function updateMessageTotals(
  sql: Sql,
  changes: readonly CountChange[]
): Promise<{ accountId: number; messageId: number; channel: Channel; state: MessageState; waitingCount: number }[]> {
  const column = (name: keyof CountChange) => changes.map((change) => change[name])
  // By a statement of its own: to lock and update in one, with others waiting for the same row, is a deadlock.
  if (changes.length > 1) await lockUncancelled(sql, changes)
  return sql`
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
        credits_required = credits_required + given.charged,
        segments_count = segments_count + given.segments,
        state = case
          when state = 'cancelled' then state
          when state in ('sent', 'failed') then case when given.waiting > 0 then 'sending' else state end
          when waiting_count + given.waiting > 0 then case when given.taken + given.failed > 0 then 'sending' else state end
          when taken_count + given.taken > 0 or failed_count + given.failed = 0 then 'sent'
          else 'failed'
        end
    from unnest(
      ${column('accountId')}::bigint[], ${column('messageId')}::bigint[], ${column('waiting')}::integer[],
      ${column('sent')}::integer[], ${column('delivered')}::integer[], ${column('read')}::integer[],
      ${column('failed')}::integer[], ${column('stopped')}::integer[], ${column('cancelled')}::integer[],
      ${column('taken')}::integer[], ${column('refunded')}::bigint[], ${column('charged')}::bigint[],
      ${column('segments')}::integer[]
    ) as given (
      account_id, message_id, waiting, sent, delivered, read, failed, stopped, cancelled, taken, refunded, charged, segments
    )
    where messages.account_id = given.account_id
      and messages.id = given.message_id
    returning messages.account_id, messages.id as message_id, channel, state, waiting_count
  `
}

/**
 * Those of these messages that are not cancelled; they stay so, and whoever changes their counts waits, until the
 * transaction ends.
 */
export async function lockUncancelled(
  sql: Sql,
  keys: readonly Pick<RecipientKey, 'accountId' | 'messageId'>[]
): Promise<Set<number>> {
  const rows = await sql<{ id: number; isCancelled: boolean }[]>`
    select id, state = 'cancelled' or cancelled_at is not null as is_cancelled
    from messages
    join (
      select distinct account_id, message_id
      from ${unnestMessageKeys(sql, keys)}
    ) as given on given.account_id = messages.account_id and given.message_id = messages.id
    order by messages.account_id, messages.id
    for no key update of messages
  `
  return new Set(rows.filter(({ isCancelled }) => !isCancelled).map(({ id }) => id))
}
