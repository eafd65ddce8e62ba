import { deleteCapabilitiesOfPhone } from '../carriers/rbm/capabilities.store.ts'
import type { Pool } from '../database/database.ts'
import { claimPendingErasures, deletePendingErasure, eraseRecipients } from '../messages/erasures.store.ts'
import { eraseEvents } from '../webhooks/erasures.store.ts'

const BATCH = 100

/** Looks again at numbers that were to be erased while messages to them were under way. */
export async function finishErasures(pool: Pool): Promise<{ isMoreDue: boolean }> {
  return pool.begin(async (pool) => {
    for (const { createdAt, ...key } of await claimPendingErasures(pool, BATCH)) {
      const { left, ...over } = await eraseRecipients(pool, { ...key, before: createdAt })
      await eraseEvents(pool, { ...key, before: createdAt, ...over })
      if (left > 0) continue
      // To send what was under way, the platform may have been asked again.
      await deleteCapabilitiesOfPhone(pool, key.phone)
      await deletePendingErasure(pool, key)
    }
    return { isMoreDue: false }
  })
}
