import type { Sql } from './database.ts'

/*
 * PostgreSQL chooses how to find rows by what it knows of a table. Of a new table it knows nothing, and autovacuum looks
 * only once a minute: until then a look-up of one message may read every message of its account. So a table that grows
 * from nothing is analysed by ourselves, again and again until it is so large that a plan for it stays right.
 */

/** From so many rows on, autovacuum is early enough. */
const GROWN_ROWS = 10_000
/** By so many times a young table grows before it is analysed again. */
const GROWTH = 4
/** A smaller table is read at once, whatever the plan. */
const ROWS_MIN = 200

/**
 * Analyses the young tables that have grown. By the rows that connections have reported, at most a second ago, and not by size:
 * to look at a size waits for a lock on the table, and rows of an open transaction would count. A table that is analysed during
 * its first large insert is large and counts as empty, which makes the worst plans.
 */
export async function analyzeYoungTables(sql: Sql): Promise<void> {
  const grown = await sql<{ name: string }[]>`
    select oid::regclass::text as name
    from pg_class
    where relnamespace = current_schema()::regnamespace
      and relkind = 'r'
      and reltuples < ${GROWN_ROWS}
      and pg_stat_get_live_tuples(oid) >= greatest(${ROWS_MIN}, ${GROWTH} * reltuples)
  `
  if (grown.length > 0) await sql.unsafe(`analyze ${grown.map(({ name }) => name).join(', ')}`)
}
