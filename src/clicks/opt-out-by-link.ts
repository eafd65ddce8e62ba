import type { Pool } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { findPhoneAt } from '../recipients/positions.store.ts'
import { optOut } from '../replies/opt-out.ts'
import type { FoundLink } from '../short-links/short-links.store.ts'

const TRIES_MAX = 4

/** Opts the recipient of a link out of the account that wrote to them. False if the message or the number is gone. */
export function createOptOutByLink(pool: Pool): (link: FoundLink) => Promise<boolean> {
  return ({ accountId, messageId, position }) =>
    retryBusy(TRIES_MAX, () =>
      pool.begin(async (database) => {
        const phone = position === null ? undefined : await findPhoneAt(database, { accountId, messageId, position })
        if (!phone) return false
        await optOut(database, { phone, conversations: [{ accountId, messageId }] }, 'link')
        return true
      })
    )
}
