import type { Pool } from '../database/database.ts'
import { claimPendingErasures, deletePendingErasure, eraseRecipients } from '../messages/erasures.store.ts'

const BATCH = 100

/** Looks again at numbers that were to be erased while messages to them were under way. */
export async function finishErasures(pool: Pool): Promise<{ isMoreDue: boolean }> {
  return pool.begin(async (pool) => {
    for (const { createdAt, ...key } of await claimPendingErasures(pool, BATCH)) {
      const { left } = await eraseRecipients(pool, { ...key, before: createdAt })
      if (left === 0) await deletePendingErasure(pool, key)
    }
    return { isMoreDue: false }
  })
}
