import type { Pool } from '../database/database.ts'
import { findWriter } from '../messages/messages.store.ts'
import type { FoundLink } from '../short-links/short-links.store.ts'

/** Who wrote the message of a link: its sender, or the company of the account if the sender is a number or the carrier's. */
export function createNameSender(pool: Pool): (link: FoundLink) => Promise<string | undefined> {
  return async ({ accountId, messageId }) => {
    const { sender = '', socialReason = '' } = (await findWriter(pool, { accountId, messageId })) ?? {}
    const name = /[^\d+]/.test(sender) ? sender : socialReason.trim() || sender
    return name === '' ? undefined : name
  }
}
