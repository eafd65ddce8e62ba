import { REPORTS } from '../callbacks/callback.ts'
import { insertReports } from '../callbacks/callbacks.store.ts'
import type { Sql } from '../database/database.ts'
import { byShard } from '../database/shape.ts'
import type { MessageState } from '../messages/message.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { SMALL_MAX } from '../queue/batch.ts'
import type { TraceContext } from '../traces/trace-context.ts'
import { insertEvents, isoTime } from '../webhooks/events.store.ts'
import { isGiven, unnestRecipientKeys } from './conditions.store.ts'
import type { RecipientKey } from './move.ts'
import { LABELS, POSITIONS, RECIPIENT_STATES, type Recipient } from './recipient.ts'

/*
 * `sms_status` events, made from the rows by the database: a campaign has a hundred thousand of them. Only for accounts
 * that subscribe.
 */

/** Stores events with the current states of recipients, in the transaction that moved them. */
export async function insertSmsStatusEvents(sql: Sql, moved: readonly RecipientKey[]): Promise<void> {
  await byShard(sql, moved, async (keys, ofAccounts) => {
    await insertEvents(
      sql,
      sql`
        select recipients.account_id, nextval('event_ids'), 'sms_status', ${record(sql, sql`recipients.state`)},
          ${traceOfEach(sql)}
        from recipients
        join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
        join ${unnestRecipientKeys(sql, keys)} on ${isGiven(sql, ofAccounts, keys)}
        where messages.channel = 'sms'
      `,
      { hasTrace: true }
    )
    return []
  })
}

/**
 * Stores events for the cancelled recipients in a range: all waiting recipients, except positions on their way to a
 * carrier.
 */
export async function insertSmsCancelledEvents(
  sql: Sql,
  { accountId, id }: MessageKey,
  { except, range }: { except: readonly number[]; range: { after: number; to: number } }
): Promise<void> {
  await insertEvents(
    sql,
    sql`
      select recipients.account_id, nextval('event_ids'), 'sms_status',
        ${record(sql, sql`${RECIPIENT_STATES.cancelled}::smallint`)}
      from recipients
      join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
      where ${isCancelled(sql, { accountId, id }, { except, range })}
    `
  )
}

/** The trace of a message whose recipients have spans of their own. */
function traceOfEach(sql: Sql) {
  return sql`case when recipients_count <= ${SMALL_MAX} then messages.trace end`
}

/** Queues reports for the callbacks of the same recipients. */
export async function queueCancelledReports(
  sql: Sql,
  { accountId, id }: MessageKey,
  { except, range }: { except: readonly number[]; range: { after: number; to: number } }
): Promise<void> {
  await insertReports(
    sql,
    sql`
      select account_id, message_id, position, ${REPORTS.refused}::smallint, ${RECIPIENT_STATES.cancelled}::smallint
      from recipients
      where ${isCancelled(sql, { accountId, id }, { except, range })}
    `
  )
}

/** Waiting recipients of a message in a range, except some positions. */
function isCancelled(
  sql: Sql,
  { accountId, id }: MessageKey,
  { except, range }: { except: readonly number[]; range: { after: number; to: number } }
) {
  return sql`
    recipients.account_id = ${accountId}
    and message_id = ${id}
    and position > ${range.after}
    and position <= ${range.to}
    and recipients.state = ${RECIPIENT_STATES.waiting}
    and position <> all(${except as number[]}::integer[])
  `
}

/**
 * The record `Messages_sms` with `message_id`, as operation 6 shows it (toSmsRecipientView), and the `external_id` of the
 * message if it has one.
 */
function record(sql: Sql, state: ReturnType<Sql>) {
  return sql`
    jsonb_build_object(
      'id', recipients.message_id * ${POSITIONS}::bigint + recipients.position,
      'message_id', recipients.message_id,
      'recipient', phone,
      'credits_required', credits,
      'country_code', country,
      'deliver', ${state},
      'deliver_label', ${sql.json(LABELS)}::jsonb ->> ${state}::text,
      'errorcode', coalesce(error_code, ''),
      'content', coalesce(recipients.content, messages.content),
      'sent_at', ${isoTime(sql, sql`sent_at`)},
      'delivered_at', ${isoTime(sql, sql`delivered_at`)}
    ) || case when external_id is null then '{}'::jsonb else jsonb_build_object('external_id', external_id) end
  `
}

/** A recipient of an RCS message, and the state of the message. */
export interface RcsRecipientNow extends Recipient {
  accountId: number
  messageState: MessageState
  externalId: string | null
  trace: TraceContext | null
}

/** The given recipients that belong to RCS messages, as they are now. */
export async function listRcsRecipientsNow(sql: Sql, keys: readonly RecipientKey[]): Promise<RcsRecipientNow[]> {
  return byShard(
    sql,
    keys,
    (keys, ofAccounts) => sql<RcsRecipientNow[]>`
    select recipients.account_id, recipients.message_id, recipients.position, recipients.state, segments, credits, country, phone,
      recipients.content, error_code, recipients.channel, sent_at, delivered_at, read_at, messages.state as message_state,
      external_id, ${traceOfEach(sql)} as trace
    from recipients
    join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    join ${unnestRecipientKeys(sql, keys)} on ${isGiven(sql, ofAccounts, keys)}
    where messages.channel = 'rcs'
  `
  )
}
