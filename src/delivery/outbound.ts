import type { OutboundMessage } from '../carriers/carrier.ts'
import type { Database } from '../database/database.ts'
import { toCarried } from '../messages/options.ts'
import { listRcsMessages, type RcsMessage } from '../messages/rcs-messages.store.ts'
import type { ParsedRcs } from '../rcs/rcs-form.ts'
import type { RecipientAtPosition } from '../recipients/positions.store.ts'
import { toParsedRcs, valuesOf } from '../recipients/rcs-recipient.ts'
import { channelOf, toRecipientId } from '../recipients/recipient.ts'
import type { LiveMessage } from './live-messages.store.ts'

export type OutboundOf = (message: LiveMessage, recipient: RecipientAtPosition) => Omit<OutboundMessage, 'expiresAt'>

/** Makes the content for each recipient: an SMS text, an RCS, or the fallback text of an RCS. */
export async function createOutbound(
  database: Database,
  messages: readonly LiveMessage[],
  { defaultSender }: { defaultSender: string }
): Promise<OutboundOf> {
  const rcs = new Map<number, { message: RcsMessage; parsed: ParsedRcs }>()
  const ofRcs = messages.filter(({ channel }) => channel === 'rcs')
  for (const message of await listRcsMessages(database, ofRcs)) {
    rcs.set(message.messageId, { message, parsed: toParsedRcs(message) })
  }
  return (message, { messageId, position, phone, content, channel }) => {
    const reference = toRecipientId({ messageId, position })
    const shown = rcs.get(messageId)
    if (!shown) {
      const from = message.options?.hasCarrierSenders ? defaultSender : message.sender
      const sms = { reference, from, to: phone, text: content ?? message.content }
      return message.options ? { ...sms, ...toCarried(message.options) } : sms
    }
    const values = valuesOf(content)
    if (channelOf({ channel }, message) === 'rcs') {
      return {
        reference,
        from: message.sender,
        to: phone,
        text: '',
        rcs: shown.parsed.fill(values),
        isMarketing: message.category === 'marketing'
      }
    }
    const from = shown.message.fallbackSender ?? defaultSender
    const carried = message.options ? toCarried(message.options) : undefined
    return { reference, from, to: phone, text: shown.parsed.fillFallback(values) ?? '', ...carried }
  }
}
