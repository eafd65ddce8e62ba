import type { Sql } from '../database/database.ts'
import type { Channel, MessageState } from '../messages/message.ts'
import { deleteLinksInTexts } from '../short-links/short-links.store.ts'
import { RECIPIENT_STATES, type Recipient } from './recipient.ts'

interface PhoneKey {
  accountId: number
  phone: string
}

interface HeldRecipient extends Recipient {
  clickedAt: Date | null
  messageChannel: Channel
  messageContent: string
  messageState: MessageState
}

/** What was sent to a number, oldest first, with what of its message is needed to show it. */
export async function listRecipientsByPhone(sql: Sql, { accountId, phone }: PhoneKey): Promise<HeldRecipient[]> {
  return sql<HeldRecipient[]>`
    select message_id, position, recipients.state, segments, credits, country, phone, recipients.content, error_code,
      recipients.channel, sent_at, delivered_at, read_at, clicked_at, messages.channel as message_channel,
      messages.content as message_content, messages.state as message_state
    from recipients
    join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    where phone = ${phone}
      and recipients.account_id = ${accountId}
    order by message_id, position
  `
}

/** What may still move: it keeps its number until it has arrived. */
const UNDER_WAY = [RECIPIENT_STATES.waiting, RECIPIENT_STATES.submitting, RECIPIENT_STATES.sent]

/**
 * Takes a number, and the text that was made for it, out of every message accepted before a time whose sending to it is over.
 * Tells which these were, and how many are still under way. Of a message to this number alone the text goes too. Links
 * that were made for it lead nowhere then: where they led may tell who it was.
 */
export async function eraseRecipients(
  sql: Sql,
  { accountId, phone, before }: PhoneKey & { before: Date }
): Promise<{ messageIds: number[]; aloneIds: number[]; left: number }> {
  const rows = await sql<{ messageId: number; isAlone: boolean; texts: string; isOver: boolean }[]>`
    select message_id,
      recipients_count = 1 as is_alone,
      concat_ws(' ', recipients.content, messages.content) as texts,
      recipients.state <> all(${UNDER_WAY as number[]}::smallint[])
        or (messages.state = 'cancelled' and recipients.state = ${RECIPIENT_STATES.waiting}) as is_over
    from recipients
    join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    where phone = ${phone}
      and recipients.account_id = ${accountId}
      and messages.created_at <= ${before}
  `
  const rowsOver = rows.filter(({ isOver }) => isOver)
  const over = rowsOver.map(({ messageId }) => messageId)
  const alone = rowsOver.filter(({ isAlone }) => isAlone).map(({ messageId }) => messageId)
  if (over.length > 0) {
    await deleteLinksInTexts(sql, {
      accountId,
      messageIds: over,
      aloneIds: alone,
      texts: rowsOver.map(({ texts }) => texts)
    })
    await sql`
      update recipients
      set phone = '', content = case when content is null then null else '' end
      where phone = ${phone}
        and account_id = ${accountId}
        and message_id = any(${over}::bigint[])
    `
    await sql`
      update messages
      set content = '', shorturl_url = case when shorturl_url is null then null else '' end
      where account_id = ${accountId}
        and id = any(${alone}::bigint[])
    `
    await sql`
      update rcs_messages
      set type = 'text',
          data = '{"text": ""}',
          fallback_content = case when fallback_content is null then null else '' end,
          variables = '{}'
      where account_id = ${accountId}
        and message_id = any(${alone}::bigint[])
    `
  }
  return { messageIds: over, aloneIds: alone, left: rows.length - over.length }
}

/** Remembers a number whose messages are still under way. */
export async function insertPendingErasure(sql: Sql, { accountId, phone }: PhoneKey): Promise<void> {
  await sql`
    insert into pending_erasures (account_id, phone)
    values (${accountId}, ${phone})
    on conflict (account_id, phone) do update
    set created_at = excluded.created_at, next_look_at = excluded.next_look_at
  `
}

export interface PendingErasure extends PhoneKey {
  createdAt: Date
}

/**
 * Erasures that are due for a look, of any account. Taking one puts off its next look, so that those that can't be finished
 * take turns with the others. An old one is looked at less often: it waits for a receipt, for up to three days.
 */
export async function takePendingErasures(sql: Sql, limit: number): Promise<PendingErasure[]> {
  return sql<PendingErasure[]>`
    with due as (
      select account_id, phone
      from pending_erasures
      where next_look_at <= now()
      order by next_look_at
      limit ${limit}
      for update skip locked
    )
    update pending_erasures
    set next_look_at = now() + greatest(interval '1 minute', least(interval '10 minutes', (now() - created_at) / 10))
    from due
    where pending_erasures.account_id = due.account_id
      and pending_erasures.phone = due.phone
    returning pending_erasures.account_id, pending_erasures.phone, created_at
  `
}

/** Held until the transaction ends; false when it is done, was asked for anew, or somebody else is at it. */
export async function lockPendingErasure(sql: Sql, { accountId, phone, createdAt }: PendingErasure): Promise<boolean> {
  const [row] = await sql`
    select
    from pending_erasures
    where account_id = ${accountId}
      and phone = ${phone}
      and created_at <= ${createdAt}::timestamptz + interval '1 millisecond'
    for update skip locked
  `
  return row !== undefined
}

export async function deletePendingErasure(sql: Sql, { accountId, phone }: PhoneKey): Promise<void> {
  await sql`
    delete from pending_erasures
    where account_id = ${accountId}
      and phone = ${phone}
  `
}
