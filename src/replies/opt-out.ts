import type { InboundMessage } from '../carriers/carrier.ts'
import type { Database } from '../database/database.ts'
import { stopRecipients } from '../recipients/stop-recipients.ts'
import { toStopView } from '../stops/stop.ts'
import { insertStop } from '../stops/stops.store.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import { type Inbound, readInbound } from './conversations.ts'

/** Opts a phone out of every account that its STOP is meant for. A second STOP changes nothing. */
export async function optOut(
  database: Database,
  { phone, conversations }: Pick<Inbound, 'phone' | 'conversations'>
): Promise<void> {
  // In one order, so that two phones that opt out of the same accounts cannot deadlock.
  const inOrder = conversations.toSorted((a, b) => a.accountId - b.accountId)
  for (const { accountId, messageId } of inOrder) {
    const { stop, isNew } = await insertStop(database, { accountId, phone, source: 'reply' })
    const record = { message_id: messageId, ...toStopView(stop) }
    if (isNew) await recordEvents(database, [{ accountId, type: 'stops', record }])
  }
  await stopRecipients(database, { phone, conversations: inOrder })
}

/** The same where the phone wrote no text that could be kept as a reply. */
export async function optOutBySender(
  database: Database,
  inbound: Pick<InboundMessage, 'carrier' | 'from' | 'to'>
): Promise<void> {
  await optOut(database, await readInbound(database, inbound, { isStop: true }))
}
