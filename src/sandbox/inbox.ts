import { listMessageIdKeys } from '../carriers/carriers.store.ts'
import { canonicalId } from '../carriers/message-ids.ts'
import { fromRbmMessageId, messageIdKeysOf } from '../carriers/rbm/message-ids.ts'
import type { Database } from '../database/database.ts'
import { fromRecipientId } from '../recipients/recipient.ts'
import type { PhoneMessage, SandboxPhones } from './phones.ts'
import { listMessagesByCarrierId, listOwnMessages } from './sandbox.store.ts'

/** What a phone received from one account, newest first. A phone knows nothing of accounts: the carriers' ids tell. */
export async function inboxFrom(
  database: Database,
  phones: SandboxPhones,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<(PhoneMessage & { messageId: number })[]> {
  const { carrier, rcsCarrier } = phones
  const keys = messageIdKeysOf(rcsCarrier ? [rcsCarrier] : [], await listMessageIdKeys(database))
  const inbox = phones.inboxOf(phone)
  const idsOf = (channel: string) => inbox.filter((message) => message.channel === channel).map(idOf)
  const ids = idsOf('sms').map((id) => canonicalId(id))
  const sms = await listMessagesByCarrierId(database, { accountId, carrier, ids })
  const named = idsOf('rcs').flatMap((id) => readRbmId(id, keys) ?? [])
  const own = await listOwnMessages(database, { accountId, ids: named })
  return inbox.flatMap((message) => {
    const messageId = message.channel === 'sms' ? sms.get(canonicalId(idOf(message))) : readRbmId(idOf(message), keys)
    const isOwn = messageId !== undefined && (message.channel === 'sms' || own.has(messageId))
    return isOwn ? { ...message, messageId } : []
  })
}

function idOf({ carrierMessageIds: [first = ''] }: PhoneMessage): string {
  return first
}

/** Of an RCS we made the id: it names the recipient, and so the message. */
function readRbmId(id: string, keys: readonly string[]): number | undefined {
  const recipientId = fromRbmMessageId(id, keys)
  return recipientId === undefined ? undefined : fromRecipientId(recipientId).messageId
}
