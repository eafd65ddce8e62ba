import { liftStatementTimeout, type Pool, type Sql } from './database.ts'
import { insertRange, moveFirstEnd, readRanges } from './id-ranges.store.ts'
import { RANGE_KINDS, type RangeKind } from './id-ranges.ts'
import { FAR_AHEAD, NEAR } from './move-to-ranges.ts'

/** The ids of each of the two ranges that are made at the new place. The next ones are made by the pace. */
const RANGE_SIZE = 20_000

/** A young database may have drawn many more ids since than before. */
const SKIPPED_MIN = 1_000_000
/** There are 8 billion ids of messages. */
const SKIPPED_MAX = 100_000_000

/**
 * Leaves out as many ids of each sequence as it has given, at least a million. A copy of the database does not know which ids were
 * given after it was taken. No process may draw ids meanwhile.
 */
export async function skipIds(pool: Pool): Promise<void> {
  await pool.begin(async (database) => {
    await liftStatementTimeout(database)
    await database`
      select setval(
        format('%I.%I', schemaname, sequencename)::regclass,
        coalesce(last_value, 0) + greatest(${SKIPPED_MIN}::bigint, least(${SKIPPED_MAX}::bigint, coalesce(last_value, 0)))
      )
      from pg_sequences
      where schemaname = current_schema
    `
    for (const kind of RANGE_KINDS) await makeNextRanges(database, kind)
  })
}

/** Without ranges there, rows would go to the default partition, or be refused by it. */
async function makeNextRanges(sql: Sql, kind: RangeKind): Promise<void> {
  const { lastId: nextId, ranges } = await readRanges(sql, kind)
  const unmade = ranges.find(({ isFirst, isMade }) => isFirst && !isMade)
  if (unmade) {
    if (unmade.endId - nextId < NEAR) await moveFirstEnd(sql, unmade, nextId + FAR_AHEAD)
    return
  }
  if ((ranges.at(-1)?.endId ?? 0) > nextId) return
  for (const firstId of [nextId, nextId + RANGE_SIZE]) {
    await insertRange(sql, kind, { firstId, endId: firstId + RANGE_SIZE })
  }
}
