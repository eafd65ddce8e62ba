import type { Pool } from '../database/database.ts'
import { beginScheduled } from './batches.store.ts'

const BATCH = 500

/** Messages whose time has come are being sent from then on. */
export async function beginScheduledMessages(pool: Pool): Promise<{ isMoreDue: boolean }> {
  return { isMoreDue: (await beginScheduled(pool, BATCH)) === BATCH }
}
