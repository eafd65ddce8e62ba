import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Category, Channel } from '../messages/message.ts'
import { unnestMessageKeys } from '../messages/messages.store.ts'
import type { Taken } from '../recipients/moves.store.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'

/** What must be known of a message to hand it over. */
export interface LiveMessage {
  accountId: number
  messageId: number
  channel: Channel
  content: string
  sender: string
  category: Category
  hoursEnd: string
  sundaysAndHolidays: boolean
  calendar: 'national' | 'alsace-moselle'
}

interface MessageKey {
  accountId: number
  messageId: number
}

/** Those of these messages that may be sent. */
export async function listLiveMessages(sql: Sql, keys: readonly MessageKey[]): Promise<LiveMessage[]> {
  return sql<LiveMessage[]>`
    select messages.account_id, messages.id as message_id, channel, content, sender, category, hours_end,
      sundays_and_holidays, calendar
    from messages
    join ${unnestMessageKeys(sql, keys)} on given.account_id = messages.account_id and given.message_id = messages.id
    join accounts on accounts.id = messages.account_id
    where state in ('scheduled', 'sending')
  `
}

/** What receipts are found by: a row for each segment, with its id in canonical form. */
export async function insertSubmissions(
  sql: Sql,
  taken: readonly Taken[],
  toCanonical: (carrier: string, carrierMessageId: string) => string
): Promise<void> {
  const rows = taken.flatMap(({ accountId, messageId, position, carrier, carrierMessageIds }) =>
    carrierMessageIds.map((id, index) => ({
      accountId,
      messageId,
      position,
      carrier,
      id: toCanonical(carrier, id),
      part: index + 1,
      parts: carrierMessageIds.length
    }))
  )
  if (rows.length === 0) return
  await sql`
    insert into submissions (account_id, message_id, position, carrier, carrier_message_id, part, parts)
    select *
    from unnest(
      ${numberArray(rows.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(rows.map(({ messageId }) => messageId))}::bigint[],
      ${numberArray(rows.map(({ position }) => position))}::integer[],
      ${rows.map(({ carrier }) => carrier)}::text[],
      ${rows.map(({ id }) => id)}::text[],
      ${numberArray(rows.map(({ part }) => part))}::smallint[],
      ${numberArray(rows.map(({ parts }) => parts))}::smallint[]
    )
  `
}

/** Remembers where these may be, although no answer came: nothing else may send them there again under another name. */
export async function updateMayBeAt(
  sql: Sql,
  recipients: readonly { accountId: number; messageId: number; position: number; carrier: string }[]
): Promise<void> {
  if (recipients.length === 0) return
  await sql`
    update recipients
    set carrier = given.carrier
    from unnest(
      ${recipients.map(({ accountId }) => accountId)}::bigint[],
      ${recipients.map(({ messageId }) => messageId)}::bigint[],
      ${recipients.map(({ position }) => position)}::integer[],
      ${recipients.map(({ carrier }) => carrier)}::text[]
    ) as given (account_id, message_id, position, carrier)
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and recipients.state = ${RECIPIENT_STATES.waiting}
      and recipients.channel is null
      and recipients.carrier is null
  `
}
