import { randomUUID } from 'node:crypto'
import { channelOfWay, parseWay } from '../carriers/routes.ts'
import type { Pool } from '../database/database.ts'
import type { ClaimedBatch } from '../queue/claims.store.ts'
import { claimExpired } from '../queue/expiries.store.ts'
import { deleteClaimed, handOver } from '../queue/leases.store.ts'
import { Failures } from '../workers/failures.ts'
import { HeldBatch } from './held-batch.ts'
import { dropExpired } from './prepare-slices.ts'
import { takeOver } from './take-over.ts'

/*
 * Messages with a validity of their own expire when it ends, also while no carrier is up to claim them. Batches that a
 * dispatcher holds are its own to drop.
 */

const MESSAGES_MAX = 200
/** Longer than the work on one batch takes. After a crash, another process goes on then. */
const LEASE_SECONDS = 10

export async function expireBatches(
  pool: Pool,
  {
    unreachedRoute,
    onDoubt,
    onHandedOver
  }: {
    /** Where RCS recipients go that no carrier takes. */
    unreachedRoute: string
    onDoubt(carrier: string, reason: string): void
    onHandedOver(): void
  }
): Promise<{ isMoreDue: boolean }> {
  const { dueCount, batches } = await pool.begin((database) =>
    claimExpired(database, { token: randomUUID(), leaseSeconds: LEASE_SECONDS, limit: MESSAGES_MAX })
  )
  const failures = new Failures()
  for (const batch of batches) {
    await failures.try(async () => {
      if (channelOfWay(parseWay(batch.route)) === 'sms') {
        await expire(pool, batch, (reason) => onDoubt(batch.carrier ?? '', reason))
        return
      }
      // The platform may have some of it: the worker of unreached recipients knows how to take it back.
      await handOver(pool, { batch, route: unreachedRoute })
      onHandedOver()
    })
  }
  failures.throwFirst()
  return { isMoreDue: dueCount === MESSAGES_MAX }
}

async function expire(pool: Pool, batch: ClaimedBatch, onDoubt: (reason: string) => void): Promise<void> {
  const held = new HeldBatch(await takeOver(pool, batch, onDoubt))
  await pool.begin(async (database) => {
    await dropExpired(database, held)
    await deleteClaimed(database, [batch])
  })
}
