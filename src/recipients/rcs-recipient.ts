import type { Static } from 'typebox'
import { fitText } from '../gsm/typography.ts'
import type { Message } from '../messages/message.ts'
import type { RcsMessage } from '../messages/rcs-messages.store.ts'
import { describeRcs } from '../rcs/describe-rcs.ts'
import type { RcsContent } from '../rcs/rcs-content.ts'
import { type ParsedRcs, parseRcs } from '../rcs/rcs-form.ts'
import { type Recipient, toRecipientFields } from './recipient.ts'
import type { RcsRecipientView } from './recipient-view.ts'

/*
 * The RCS of one recipient. Each recipient stores only the values of its variables; card and fallback are rendered from
 * them when needed.
 */

/** A stored message, ready to be filled in with the values of a recipient. */
export function toParsedRcs(message: RcsMessage): ParsedRcs {
  const content = { type: message.type, data: message.data } as RcsContent
  const { fallbackContent: fallback, country, variables } = message
  const parsed = parseRcs({ content, fallback, country }, variables)
  return message.hasPlainTypography ? withPlainFallback(parsed) : parsed
}

/**
 * In the fallback, typographic characters of values are replaced as in an SMS. In the card the values stay as written.
 */
export function withPlainFallback(parsed: ParsedRcs): ParsedRcs {
  return {
    ...parsed,
    fillFallback(values) {
      const text = parsed.fillFallback(values)
      return text === null ? null : fitText(text, { typography: true }).text
    }
  }
}

/** The values in a recipient's `content`. Empty when the message has no variables, or when the values were erased. */
export function valuesOf(content: string | null): string[] {
  return content === null || content === '' ? [] : (JSON.parse(content) as string[])
}

/** The `content` that stores these values. */
export function toValuesText(values: readonly string[]): string | null {
  return values.length === 0 ? null : JSON.stringify(values)
}

export function toRcsRecipientView(
  recipient: Recipient,
  message: Pick<Message, 'state'>,
  rcs: ParsedRcs
): Static<typeof RcsRecipientView> {
  return {
    ...toRecipientFields(recipient, message, textOf(recipient, rcs)),
    channel: recipient.channel ?? 'rcs',
    read_at: recipient.readAt?.toISOString() ?? null
  }
}

/** The text that the recipient got, or will get. */
function textOf({ content, channel }: Recipient, rcs: ParsedRcs): string {
  if (content === '') return '' // Erased.
  const values = valuesOf(content)
  return channel === 'sms' ? (rcs.fillFallback(values) ?? '') : describeRcs(rcs.fill(values))
}
