import type { Database, Sql } from './database.ts'

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
 * A queue fills and empties all the time, and looks as if it grew at every look. Unless it is larger than ever, it is
 * analysed once in this time: each time, every connection plans its statements anew.
 */
const AGAIN_MS = 30_000
/**
 * How precise the statistics are. PostgreSQL's own 100 reads ten times as many rows, and a table may be analysed four times
 * within its first seconds. Autovacuum follows with its own precision.
 */
const PRECISION = 10

/**
 * Analyses the young tables that have grown. By the rows that connections have reported, at most a second ago, and not by size:
 * to look at a size waits for a lock on the table, and rows of an open transaction would count. A table that is analysed during
 * its first large insert is large and counts as empty, which makes the worst plans.
 */
export function createAnalyzeYoungTables(): (database: Database) => Promise<void> {
  const analysed = new Map<string, { atMs: number; rows: number }>()

  function isDue({ name, rows }: GrownTable): boolean {
    const last = analysed.get(name)
    return !last || rows >= GROWTH * last.rows || performance.now() - last.atMs > AGAIN_MS
  }

  return async (database) => {
    for (const { name, rows } of (await listGrown(database)).filter(isDue)) {
      analysed.set(name, { atMs: performance.now(), rows })
      // Each in a transaction of its own: two processes that analyse several tables would wait for each other.
      await database.begin(async (sql) => {
        await sql.unsafe(`set local default_statistics_target = ${PRECISION}`)
        await sql.unsafe(`analyze ${name}`)
      })
    }
  }
}

interface GrownTable {
  name: string
  rows: number
}

/** A partitioned table has the rows of its partitions; autovacuum never looks at it. */
async function listGrown(sql: Sql): Promise<GrownTable[]> {
  return sql<GrownTable[]>`
    select name, rows
    from (
      select oid::regclass::text as name, reltuples,
        case relkind
          when 'r' then pg_stat_get_live_tuples(oid)
          else (
            select coalesce(sum(pg_stat_get_live_tuples(inhrelid)), 0)::bigint
            from pg_inherits
            where inhparent = pg_class.oid
          )
        end as rows
      from pg_class
      where relnamespace = current_schema()::regnamespace
        and relkind in ('r', 'p')
        and reltuples < ${GROWN_ROWS}
    ) as young
    where rows >= greatest(${ROWS_MIN}, ${GROWTH} * reltuples)
  `
}
