import type { Sql } from '../database/database.ts'
import { lockAgainstSubmitting } from '../queue/submit-locks.store.ts'
import { type RecipientKey, unnestRecipientKeys } from '../recipients/moves.store.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'

/** A recipient that fell back and whose SMS waits in the queue, locked. */
export interface QueuedSms extends RecipientKey {
  segments: number
  credits: number
}

/** At most so many messages are locked. Reports about recipients of other messages are looked at again. */
const MESSAGES_MAX = 100

/**
 * The recipients whose SMS waits and is not being submitted. None is submitted until the transaction ends. To be called before
 * anything else is locked.
 */
export async function lockQueuedSms(sql: Sql, keys: readonly RecipientKey[]): Promise<QueuedSms[]> {
  const messageIds = new Set([...new Set(keys.map(({ messageId }) => messageId))].slice(0, MESSAGES_MAX))
  const some = keys.filter(({ messageId }) => messageIds.has(messageId))
  if (some.length === 0) return []
  await lockAgainstSubmitting(sql, [...messageIds])
  return sql<QueuedSms[]>`
    select recipients.account_id, recipients.message_id, recipients.position, segments, credits
    from recipients
    join ${unnestRecipientKeys(sql, some)}
      on given.account_id = recipients.account_id
      and given.message_id = recipients.message_id
      and given.position = recipients.position
    where state = ${RECIPIENT_STATES.waiting}
      and channel = 'sms'
      and not exists (
        select
        from batches
        where batches.account_id = recipients.account_id
          and batches.message_id = recipients.message_id
          and recipients.position = any(batches.submitting)
      )
    order by recipients.account_id, recipients.message_id, recipients.position
    for update of recipients
  `
}

/** What the row of a recipient tells of an RCS that arrived although it had fallen back. */
export interface ArrivedRcs extends RecipientKey {
  to: number
  deliveredAt: Date
  readAt: Date
  receipt: string
  carrier: string
  carrierMessageId: string
  /** What the RCS costs. */
  credits: number
}

/**
 * These arrived by RCS, and are what they would be without their fallback. That they left by RCS is told by their row again, and
 * not by a step of their timeline. They are locked.
 */
export async function updateToArrived(sql: Sql, arrived: readonly ArrivedRcs[]): Promise<void> {
  if (arrived.length === 0) return
  await sql`
    with given as (
      select *
      from unnest(
        ${arrived.map(({ accountId }) => accountId)}::bigint[],
        ${arrived.map(({ messageId }) => messageId)}::bigint[],
        ${arrived.map(({ position }) => position)}::integer[],
        ${arrived.map(({ to }) => to)}::smallint[],
        ${arrived.map(({ credits }) => credits)}::smallint[],
        ${arrived.map(({ deliveredAt }) => deliveredAt.toISOString())}::text[],
        ${arrived.map(({ readAt }) => readAt.toISOString())}::text[],
        ${arrived.map(({ receipt }) => receipt)}::text[],
        ${arrived.map(({ carrier }) => carrier)}::text[],
        ${arrived.map(({ carrierMessageId }) => carrierMessageId)}::text[]
      ) as given (
        account_id, message_id, position, state, credits, delivered_at, read_at, receipt, carrier, carrier_message_id
      )
    ),
    left_at as (
      delete from timeline_steps
      using given
      where timeline_steps.account_id = given.account_id
        and timeline_steps.message_id = given.message_id
        and timeline_steps.position = given.position
        and step = 'sent'
      returning timeline_steps.account_id, timeline_steps.message_id, timeline_steps.position, at
    ),
    timed as (
      select given.*, least(now(), coalesce(at, given.delivered_at::timestamptz)) as sent_at
      from given
      left join left_at using (account_id, message_id, position)
    )
    update recipients
    set state = timed.state,
        channel = null,
        segments = 0,
        credits = timed.credits,
        sent_at = timed.sent_at,
        delivered_at = least(now(), greatest(timed.sent_at, timed.delivered_at::timestamptz)),
        read_at = case
          when timed.state = ${RECIPIENT_STATES.read}
          then least(now(), greatest(timed.sent_at, timed.read_at::timestamptz))
        end,
        carrier = timed.carrier,
        carrier_message_ids = array[timed.carrier_message_id],
        receipt = timed.receipt,
        error_code = null
    from timed
    where recipients.account_id = timed.account_id
      and recipients.message_id = timed.message_id
      and recipients.position = timed.position
  `
}
