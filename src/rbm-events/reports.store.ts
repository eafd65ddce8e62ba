import type { Sql } from '../database/database.ts'
import { findAccountsOfRcs } from '../messages/rcs-messages.store.ts'
import { listRecipientsAt } from '../recipients/positions.store.ts'

/** What a report names. */
interface NamedRecipient {
  phone: string
  messageId: number
  position: number
}

export type Reported = Awaited<ReturnType<typeof listRecipientsAt>>[number]

/**
 * Recipients by what a report names. Of any account: the platform does not know whose message it was. The phone must be the
 * right one.
 */
export async function listReported(sql: Sql, named: readonly NamedRecipient[]): Promise<Reported[]> {
  const accounts = await findAccountsOfRcs(sql, [...new Set(named.map(({ messageId }) => messageId))])
  const keys = named.flatMap(({ messageId, position }) => {
    const accountId = accounts.get(messageId)
    return accountId === undefined ? [] : [{ accountId, messageId, position }]
  })
  const found = await listRecipientsAt(sql, keys)
  const phones = new Set(named.map(toName))
  return found.filter((recipient) => phones.has(toName(recipient)))
}

function toName({ messageId, position, phone }: NamedRecipient): string {
  return `${messageId} ${position} ${phone}`
}
