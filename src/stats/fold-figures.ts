import { foldCosts } from '../costs/fold-costs.ts'
import { lookUpOnly, type Pool } from '../database/database.ts'
import { foldMessages, listUnfolded, lockInOrder, mergeChanges } from './figures.store.ts'

/** By then most results of a message are known; each later change is one more row. */
const FOLD_HOURS = 6
const BATCH = 1_000

/** Adds the figures of messages to those of their quarter of an hour, some at a time. */
export async function foldFigures(pool: Pool, { hours = FOLD_HOURS } = {}): Promise<{ isMoreDue: boolean }> {
  const due = await listUnfolded(pool, { hours, limit: BATCH })
  if (due.length > 0) {
    await pool.begin(async (database) => {
      await lookUpOnly(database)
      await lockInOrder(database, due)
      await foldCosts(database, due)
      await foldMessages(database, due)
    })
  }
  const merged = await mergeChanges(pool, BATCH)
  return { isMoreDue: due.length === BATCH || merged === BATCH }
}
