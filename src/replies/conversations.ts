import type { InboundMessage } from '../carriers/carrier.ts'
import type { Database } from '../database/database.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { withoutPrefix } from '../phone-numbers/without-prefix.ts'
import { type Conversation, findOperatorId, listConversations, type Writing } from './conversations.store.ts'

/** The country of national numbers that a carrier passes on. */
const COUNTRY = 'FR'

/** An inbound message: the phone that wrote, and the accounts that it is meant for. */
export interface Inbound {
  phone: string
  /** The account and message that it answers. The operator when no account wrote to that phone. */
  owner: Conversation
  /** The owner and, of a STOP, every other account that it opts out of. */
  conversations: Conversation[]
}

/** The carriers that write as an agent, or under a sender where a message names none. */
export type CarriersWritingAs = (name: string) => Writing

export const NO_CARRIERS: CarriersWritingAs = () => ({ byAgent: [], bySender: [] })

export async function readInbound(
  database: Database,
  { carrier, from, to }: Pick<InboundMessage, 'carrier' | 'from' | 'to'>,
  { isStop, writingAs }: { isStop: boolean; writingAs: CarriersWritingAs }
): Promise<Inbound> {
  const phone = toPhone(from)
  const written = { phone, to: withoutPrefix(to), carrier, ...writingAs(to) }
  const found = await listConversations(database, written, { isStop })
  const owner = found[0] ?? { accountId: await findOperatorId(database), messageId: null }
  return { phone, owner, conversations: isStop && found.length > 0 ? found : [owner] }
}

/** The phone in E.164, as it is stored everywhere. Text that is no phone number stays as the carrier wrote it. */
function toPhone(from: string): string {
  const digits = withoutPrefix(from)
  const international = /^[1-9]\d{6,14}$/.test(digits) ? parsePhoneNumber(`+${digits}`, COUNTRY)?.e164 : undefined
  return international ?? parsePhoneNumber(from, COUNTRY)?.e164 ?? from
}
