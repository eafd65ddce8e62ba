import type { Pool } from '../../src/database/database.ts'
import { moveRecipients } from '../../src/recipients/move-recipients.ts'
import { RECIPIENT_STATES, type RecipientState } from '../../src/recipients/recipient.ts'
import { foldFigures } from '../../src/stats/fold-figures.ts'

/** As if a carrier had taken all of a message, under ids like `7-1`. */
export async function take(pool: Pool, messageId: number): Promise<void> {
  await pool.begin(async (database) => {
    const recipients = await database<{ accountId: number; position: number }[]>`
      select account_id, position from recipients where message_id = ${messageId} order by position
    `
    await moveRecipients(
      database,
      recipients.map((key) => ({
        ...key,
        messageId,
        kind: 'sent',
        channel: 'sms',
        carrier: 'main',
        carrierMessageIds: [`${messageId}-${key.position}`]
      }))
    )
    await database`
      insert into submissions (carrier, carrier_message_id, account_id, message_id, position, part, parts)
      select 'main', message_id || '-' || position, account_id, message_id, position, 1, 1
      from recipients
      where message_id = ${messageId}
    `
    await database`delete from batches where message_id = ${messageId}`
  })
}

/** As if a carrier had said of all whom it took that this became of them. */
export async function end(
  pool: Pool,
  messageId: number,
  to: RecipientState = RECIPIENT_STATES.delivered
): Promise<void> {
  await pool.begin(async (database) => {
    const recipients = await database<{ accountId: number; position: number }[]>`
      select account_id, position from recipients where message_id = ${messageId} and state = 2 order by position
    `
    const report = { messageId, kind: 'reported', to, at: new Date(), receipt: 'WORD', errorCode: '' } as const
    await moveRecipients(
      database,
      recipients.map((key) => ({ ...key, ...report }))
    )
  })
}

/** As if messages had been accepted, and due, so many days earlier. Their figures are folded as they would be by now. */
export async function age(pool: Pool, messageIds: readonly number[], { days = 401 } = {}): Promise<void> {
  // Without a zone, and back: on a cluster, no result may depend on the zone of the session.
  await pool`
    update messages
    set scheduled_at = (scheduled_at at time zone 'UTC' - make_interval(days => ${days})) at time zone 'UTC',
        created_at = (created_at at time zone 'UTC' - make_interval(days => ${days})) at time zone 'UTC'
    where id = any(${messageIds as number[]}::bigint[])
  `
  while ((await foldFigures(pool)).isMoreDue);
}
