import { canonicalId } from '../carriers/message-ids.ts'
import type { Database } from '../database/database.ts'
import { fromRecipientId } from '../recipients/recipient.ts'
import type { PhoneMessage, SandboxPhones } from './phones.ts'
import { listMessagesByCarrierId, listOwnMessages } from './sandbox.store.ts'

/**
 * What a phone received from one account, newest first. A phone knows no accounts: the carriers' message ids lead to
 * them.
 */
export async function inboxFrom(
  database: Database,
  { carriers, inboxOf }: Pick<SandboxPhones, 'carriers' | 'inboxOf'>,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<(PhoneMessage & { messageId: number })[]> {
  const inbox = inboxOf(phone)
  const messageIds = new Map<PhoneMessage, number>()
  for (const { name, kind, settings } of carriers) {
    const messages = inbox.filter(({ channel }) => kind.channels.includes(channel))
    const read = await kind.createIdReader?.(database, [settings])
    const idOfMessage = read
      ? await ownMessages(database, { accountId, messages, read })
      : await submittedMessages(database, { accountId, messages, carrier: name })
    for (const message of messages) {
      const messageId = idOfMessage(firstIdOf(message))
      if (messageId !== undefined) messageIds.set(message, messageId)
    }
  }
  return inbox.flatMap((message) => {
    const messageId = messageIds.get(message)
    return messageId === undefined ? [] : { ...message, messageId }
  })
}

type IdOfMessage = (carrierMessageId: string) => number | undefined

/** The carrier chose the ids: they were stored with the submissions. */
async function submittedMessages(
  database: Database,
  { accountId, messages, carrier }: { accountId: number; messages: readonly PhoneMessage[]; carrier: string }
): Promise<IdOfMessage> {
  const ids = messages.map((message) => canonicalId(firstIdOf(message)))
  const found = await listMessagesByCarrierId(database, { accountId, carrier, ids })
  return (id) => found.get(canonicalId(id))
}

/** The ids are ours: they name the recipient, and so the message. */
async function ownMessages(
  database: Database,
  {
    accountId,
    messages,
    read
  }: { accountId: number; messages: readonly PhoneMessage[]; read: (id: string) => number | undefined }
): Promise<IdOfMessage> {
  const messageIdIn: IdOfMessage = (id) => {
    const recipientId = read(id)
    return recipientId === undefined ? undefined : fromRecipientId(recipientId).messageId
  }
  const ids = messages.flatMap((message) => messageIdIn(firstIdOf(message)) ?? [])
  const own = await listOwnMessages(database, { accountId, ids })
  return (id) => {
    const messageId = messageIdIn(id)
    return messageId !== undefined && own.has(messageId) ? messageId : undefined
  }
}

function firstIdOf({ carrierMessageIds: [first = ''] }: PhoneMessage): string {
  return first
}
