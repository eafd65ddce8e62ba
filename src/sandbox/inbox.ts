import { canonicalId } from '../carriers/message-ids.ts'
import type { Database } from '../database/database.ts'
import type { PhoneMessage, SandboxPhones } from './phones.ts'
import { listMessagesByCarrierId } from './sandbox.store.ts'

/** What a phone received from one account, newest first. A phone knows nothing of accounts: its carrier's ids tell. */
export async function inboxFrom(
  database: Database,
  phones: SandboxPhones,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<(PhoneMessage & { messageId: number })[]> {
  const inbox = phones.inboxOf(phone)
  const idOf = ({ carrierMessageIds: [first = ''] }: PhoneMessage) => canonicalId(first)
  const { carrier } = phones
  const messages = await listMessagesByCarrierId(database, { accountId, carrier, ids: inbox.map(idOf) })
  return inbox.flatMap((message) => {
    const messageId = messages.get(idOf(message))
    return messageId === undefined ? [] : { ...message, messageId }
  })
}
