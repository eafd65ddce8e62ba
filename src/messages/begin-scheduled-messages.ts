import type { SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import type { Pool } from '../database/database.ts'
import { recordMessageStates } from './message-events.ts'
import { beginScheduled } from './scheduled-messages.store.ts'

const BATCH = 500

/** Moves due scheduled messages to `sending`. Those of suspended accounts wait. */
export async function beginScheduledMessages(
  pool: Pool,
  suspended: SuspendedAccounts
): Promise<{ isMoreDue: boolean }> {
  return pool.begin(async (database) => {
    const { dueCount, begun } = await beginScheduled(database, { limit: BATCH, exceptAccountIds: suspended.ids() })
    await recordMessageStates(database, begun)
    return { isMoreDue: dueCount === BATCH }
  })
}
