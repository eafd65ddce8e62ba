import type { InboundMessage } from '../carriers/carrier.ts'
import { renewConsents } from '../consents/consents.store.ts'
import type { Database } from '../database/database.ts'
import { listSenders, type MessageRef } from '../messages/messages.store.ts'
import { addToOptedOut } from '../messages/totals.store.ts'
import { stopRecipients } from '../recipients/stop-recipients.ts'
import { type StopWay, toStopView } from '../stops/stop.ts'
import { deleteOwnStop, insertStop } from '../stops/stops.store.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import { type CarriersWritingAs, type Inbound, readInbound } from './conversations.ts'

/** Opts a phone out of every account that its STOP is meant for. A second STOP changes nothing. */
export async function optOut(
  database: Database,
  { phone, conversations }: Pick<Inbound, 'phone' | 'conversations'>,
  way: StopWay
): Promise<void> {
  // In one order, so that two phones that opt out of the same accounts cannot deadlock.
  const inOrder = conversations.toSorted((a, b) => a.accountId - b.accountId)
  const senders = await listSenders(database, inOrder)
  const answered: MessageRef[] = []
  for (const { accountId, messageId } of inOrder) {
    const sender = (messageId !== null && senders.get(messageId)) || null
    const { stop, isNew } = await insertStop(database, { accountId, phone, way, messageId, sender })
    if (!isNew) continue
    await recordEvents(database, [{ accountId, type: 'stops', record: toStopView(stop) }])
    if (messageId !== null) answered.push({ accountId, messageId })
  }
  // It locks the answered messages too, in the one order of all transactions.
  await stopRecipients(database, { phone, conversations: inOrder, way })
  await addToOptedOut(database, answered)
}

/**
 * A reply that says START undoes the STOP that the person made, with each account that it is meant for. What the account or the
 * operator put on a list stays. The consents that the STOP withdrew hold again, with the START as their proof.
 */
export async function optIn(
  database: Database,
  { phone, conversations }: Pick<Inbound, 'phone' | 'conversations'>,
  proof: string
): Promise<void> {
  for (const { accountId } of conversations.toSorted((a, b) => a.accountId - b.accountId)) {
    const stop = await deleteOwnStop(database, { accountId, phone })
    if (!stop) continue
    await renewConsents(database, { accountId, phone, since: stop.createdAt, proof })
    await recordEvents(database, [{ accountId, type: 'starts', record: toStopView(stop) }])
  }
}

/** The same where the phone wrote no text that could be kept as a reply. */
export async function optOutBySender(
  database: Database,
  inbound: Pick<InboundMessage, 'carrier' | 'from' | 'to'>,
  writingAs: CarriersWritingAs
): Promise<void> {
  await optOut(database, await readInbound(database, inbound, { isStop: true, writingAs }), 'platform')
}
