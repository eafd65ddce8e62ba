import type { InboundMessage } from '../carriers/carrier.ts'
import type { Database } from '../database/database.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { type Conversation, findConversation, findOperatorId } from './conversations.store.ts'

/** How national numbers are read that a carrier passes on. */
const COUNTRY = 'FR'

/** Who wrote, and to which account and message; what is nobody's is the operator's to see. */
export async function findOrOperator(
  database: Database,
  { carrier, from, to }: Pick<InboundMessage, 'carrier' | 'from' | 'to'>
): Promise<Conversation & { phone: string }> {
  const phone = toPhone(from)
  const found = await findConversation(database, { phone, to: to.replace(/^\+/, ''), carrier })
  return { phone, ...(found ?? { accountId: await findOperatorId(database), messageId: null }) }
}

/** As it is stored everywhere; what is no number of a phone stays as it was written. */
function toPhone(from: string): string {
  const digits = from.replace(/^(\+|00)/, '')
  const international = /^[1-9]\d{6,14}$/.test(digits) ? parsePhoneNumber(`+${digits}`, COUNTRY)?.e164 : undefined
  return international ?? parsePhoneNumber(from, COUNTRY)?.e164 ?? from
}
