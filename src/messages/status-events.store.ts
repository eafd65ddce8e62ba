import type { Sql } from '../database/database.ts'
import { isoTime, listSubscribers, queueMade } from '../webhooks/events.store.ts'
import type { MessageKey } from './messages.store.ts'
import type { RecipientKey } from './moves.store.ts'
import { LABELS, POSITIONS, RECIPIENT_STATES } from './recipient.ts'

/*
 * `sms_status` events, made of the rows themselves: a campaign has a hundred thousand of them. Only for accounts that want
 * them; the others cost a look at a small table.
 */

/** Tells where these recipients are now. After they have moved, in the transaction that moved them. */
export async function insertStatusEvents(sql: Sql, moved: readonly RecipientKey[]): Promise<void> {
  if (moved.length === 0) return
  const accountIds = [...new Set(moved.map(({ accountId }) => accountId))]
  const subscribers = await listSubscribers(sql, { type: 'sms_status', accountIds })
  if (subscribers.size === 0) return
  const told = moved.filter(({ accountId }) => subscribers.has(accountId))
  await sql`
    with made as (
      insert into events (account_id, id, type, record)
      select recipients.account_id, nextval('event_ids'), 'sms_status', ${record(sql, sql`recipients.state`)}
      from recipients
      join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
      join unnest(
        ${told.map(({ accountId }) => accountId)}::bigint[],
        ${told.map(({ messageId }) => messageId)}::bigint[],
        ${told.map(({ position }) => position)}::integer[]
      ) as given (account_id, message_id, position)
        on given.account_id = recipients.account_id
        and given.message_id = recipients.message_id
        and given.position = recipients.position
      where channel = 'sms'
      returning account_id, id, type
    )
    ${queueMade(sql)}
  `
}

/** Tells of those that a cancel takes: all that wait, but for some that are on their way. */
export async function insertCancelledEvents(
  sql: Sql,
  { accountId, id }: MessageKey,
  { except }: { except: readonly number[] }
): Promise<void> {
  const subscribers = await listSubscribers(sql, { type: 'sms_status', accountIds: [accountId] })
  if (subscribers.size === 0) return
  await sql`
    with made as (
      insert into events (account_id, id, type, record)
      select recipients.account_id, nextval('event_ids'), 'sms_status',
        ${record(sql, sql`${RECIPIENT_STATES.cancelled}::smallint`)}
      from recipients
      join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
      where recipients.account_id = ${accountId}
        and message_id = ${id}
        and recipients.state = ${RECIPIENT_STATES.waiting}
        and position <> all(${except as number[]}::integer[])
        and channel = 'sms'
      returning account_id, id, type
    )
    ${queueMade(sql)}
  `
}

/** The record `Messages_sms` with `message_id`, as operation 6 shows it (toSmsRecipientView). */
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
    )
  `
}
