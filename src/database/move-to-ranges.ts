import type { Log } from '../http/log.ts'
import type { Pool } from './database.ts'
import {
  changeRanges,
  checkFirstRange,
  closeFirstRange,
  moveFirstEnd,
  readRanges,
  skipIdsTo
} from './id-ranges.store.ts'
import type { IdRange } from './id-ranges.ts'

/*
 * Moves a database of the time before ranges. The migration made its tables default partitions, which refuse ids that are far ahead.
 * Here their rows are read once to prove that they are below. Then the tables become the first range, and ids go on at its end. No row
 * is written. Every step can be cut off, and the next turn goes on with it.
 */

/** How far ahead the first range ends. Ids must not get there before all rows were read. */
export const FAR_AHEAD = 100_000_000
export const NEAR = 10_000_000

export async function moveToRanges(pool: Pool, first: IdRange, { log }: { log: Log }): Promise<void> {
  const { kind, endId, isMade } = first
  if (!isMade) {
    const { lastId } = await readRanges(pool, kind)
    if (endId - lastId < NEAR) {
      await changeRanges(pool, (sql) => moveFirstEnd(sql, first, lastId + FAR_AHEAD))
      return
    }
    if (!(await checkFirstRange(pool, kind))) return
    const hadTurn = await changeRanges(pool, async (sql) => {
      const { ranges } = await readRanges(sql, kind)
      const open = ranges.find((range) => range.isFirst && !range.isMade)
      if (open) await closeFirstRange(sql, open)
    })
    if (!hadTurn) return
    log.info({ kind, endId }, 'the rows of the time before ranges of ids are the first range')
  }
  // After the commit: should it fail, ids past the end would be refused.
  await changeRanges(pool, (sql) => skipIdsTo(sql, kind, endId))
}
