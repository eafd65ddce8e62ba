import { toRecipientId } from '../recipients/recipient.ts'

/**
 * The id of a recipient in the form of a UUID, version 8 (RFC 9562): clients of Jasmin and Kannel keep it in a column of
 * that type. The id of the recipient in the API is its end, in hexadecimal.
 */
export function toUuid(key: { messageId: number; position: number }): string {
  const hex = toRecipientId(key).toString(16).padStart(15, '0')
  return `00000000-0000-8000-8${hex.slice(0, 3)}-${hex.slice(3)}`
}
