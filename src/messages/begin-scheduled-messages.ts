import type { Pool } from '../database/database.ts'
import { recordMessageStates } from './message-events.ts'
import { beginScheduled } from './scheduled-messages.store.ts'

const BATCH = 500

/** Moves due scheduled messages to `sending`. */
export async function beginScheduledMessages(pool: Pool): Promise<{ isMoreDue: boolean }> {
  return pool.begin(async (database) => {
    const { dueCount, begun } = await beginScheduled(database, BATCH)
    await recordMessageStates(database, begun)
    return { isMoreDue: dueCount === BATCH }
  })
}
