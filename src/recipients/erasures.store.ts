import type { Sql } from '../database/database.ts'
import { eraseContents } from '../messages/erasures.store.ts'
import type { Channel, MessageState } from '../messages/message.ts'
import { deleteLinksInTexts } from '../short-links/short-links.store.ts'
import { deletePhoneAccount } from './phone-accounts.store.ts'
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

/** The recipients with this number, oldest first, each with the fields of its message that are shown with it. */
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

/** Until the transaction ends, nothing happens to the recipients with this number. Locks in the one order of all moves. */
export async function lockRecipientsByPhone(sql: Sql, { accountId, phone }: PhoneKey): Promise<void> {
  await sql`
    select
    from recipients
    where phone = ${phone}
      and account_id = ${accountId}
    order by message_id, position
    for update
  `
}

/** States that may still change: such a recipient keeps its number until it has arrived. */
const UNDER_WAY = [RECIPIENT_STATES.waiting, RECIPIENT_STATES.submitting, RECIPIENT_STATES.sent]

/**
 * Erases a number, and the text made for it, from messages whose people were found before a time. A recipient whose
 * sending is not over stays. Returns the erased messages, and how many recipients are still under way. A message to this
 * number alone loses its own text too. Links made for the number then lead nowhere: a target address may identify the
 * person.
 */
export async function eraseRecipients(
  sql: Sql,
  { accountId, phone, before }: PhoneKey & { before: Date }
): Promise<{ messageIds: number[]; aloneIds: number[]; underWayCount: number }> {
  const found = await sql<
    { messageId: number; isRemoved: boolean; isAlone: boolean; texts: string; isOver: boolean }[]
  >`
    select message_id,
      messages.id is null as is_removed,
      recipients_count = 1 as is_alone,
      concat_ws(' ', recipients.content, messages.content) as texts,
      recipients.state <> all(${UNDER_WAY as number[]}::smallint[])
        or (messages.state = 'cancelled' and recipients.state = ${RECIPIENT_STATES.waiting}) as is_over
    from recipients
    left join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    where phone = ${phone}
      and recipients.account_id = ${accountId}
      and (messages.id is null or coalesce(messages.departed_at, messages.created_at) <= ${before})
  `
  const rows = found.filter(({ isRemoved }) => !isRemoved)
  // Recipients of removed messages may wait for their range to be dropped.
  const removed = found.filter(({ isRemoved }) => isRemoved).map(({ messageId }) => messageId)
  if (removed.length > 0) {
    await sql`
      update recipients
      set phone = '', content = null
      where phone = ${phone}
        and account_id = ${accountId}
        and message_id = any(${removed}::bigint[])
    `
  }
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
    await eraseContents(sql, { accountId, ids: alone })
  }
  if (rows.length === over.length) await deletePhoneAccount(sql, { accountId, phone })
  return { messageIds: over, aloneIds: alone, underWayCount: rows.length - over.length }
}
