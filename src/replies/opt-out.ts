import type { InboundMessage } from '../carriers/carrier.ts'
import type { Database } from '../database/database.ts'
import { stopRecipients } from '../messages/stop-recipients.ts'
import { toStopView } from '../stops/stop.ts'
import { insertStop } from '../stops/stops.store.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import type { Conversation } from './conversations.store.ts'
import { findOrOperator } from './conversations.ts'

/** Somebody wants nothing more from an account: by a word, or by their phone. Whoever says it twice has said it once. */
export async function optOut(
  database: Database,
  { accountId, phone, messageId }: Conversation & { phone: string }
): Promise<void> {
  const { stop, isNew } = await insertStop(database, { accountId, phone, source: 'reply' })
  const record = { message_id: messageId, ...toStopView(stop) }
  if (isNew) await recordEvents(database, [{ accountId, type: 'stops', record }])
  await stopRecipients(database, { accountId, phone, answeredId: messageId })
}

/** The same where nothing was written that could be kept as a reply. */
export async function optOutBySender(
  database: Database,
  inbound: Pick<InboundMessage, 'carrier' | 'from' | 'to'>
): Promise<void> {
  await optOut(database, await findOrOperator(database, inbound))
}
