import { eraseCallbacks } from '../callbacks/callbacks.store.ts'
import type { Database, Pool } from '../database/database.ts'
import { eraseEvents } from '../webhooks/erasures.store.ts'
import { eraseMessages } from './erase-messages.ts'
import { eraseShared } from './erase-shared.ts'
import {
  deletePendingErasure,
  isOlderRunning,
  lockPendingErasure,
  type PendingErasure,
  takePendingErasures
} from './pending-erasures.store.ts'

const BATCH = 100

/**
 * Looks again at numbers that were to be erased while messages to them were under way. Each has a transaction of its own: an
 * erasure that fails has had its turn, and does not hold up the others.
 */
export async function finishErasures(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const pending = await takePendingErasures(pool, BATCH)
  const errors: unknown[] = []
  for (const erasure of pending) {
    await pool.begin((database) => finish(database, erasure)).catch((error) => errors.push(error))
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} erasures could not be looked at`)
  return { isMoreDue: pending.length === BATCH }
}

async function finish(database: Database, erasure: PendingErasure): Promise<void> {
  if (!(await lockPendingErasure(database, erasure))) return
  const { createdAt: before, ...key } = erasure
  // Asked first: a transaction that ends after this question is seen by the next look.
  const isOpen = await isOlderRunning(database, erasure)
  const { underWayCount, ...over } = await eraseMessages(database, { ...key, before })
  await eraseEvents(database, { ...key, before, ...over })
  await eraseCallbacks(database, { ...key, ...over })
  if (underWayCount > 0) return
  // Sending the messages that were under way may have asked the platform about the number again.
  const { isUnderWay } = await eraseShared(database, key.phone)
  if (!isUnderWay && !isOpen) await deletePendingErasure(database, key)
}
