import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, liftStatementTimeout, type Pool, type Sql } from './database.ts'
import { DISTRIBUTION_COLUMN, type Place, tablesAt } from './places.ts'
import { listPlaces } from './shape.ts'

/*
 * Moves the tables of a database to their places in a Citus cluster, and back. The service must not run meanwhile. Each table is
 * one transaction of its own: a run that was cut off is done again, and goes on with the table that it had begun.
 *
 * The tables that are known to Citus come first and leave last. So a database is never taken for a plain one while anything of
 * it is distributed.
 */

export interface MoveOptions {
  /** Called with a sentence for each step, and now and then while one lasts. */
  onProgress(sentence: string): void
}

/** Changes of rows that belong to a move, as transactions of their own. They may run again. */
export interface RowChanges {
  /** Before the first table is distributed. */
  begin(sql: Sql): Promise<void>
  /** When no table is distributed any more. */
  end(sql: Sql): Promise<void>
}

/** A database that can't be moved as it is; the message says what to do. */
export class CannotMove extends Error {}

const PROGRESS_MS = 2_000

export interface DistributeOptions extends MoveOptions {
  /** How many parts the rows are split into: as many as there are workers, if not given. Each costs a statement in `byShard`. */
  shards?: number
}

export async function distributeTables(
  pool: Pool,
  { shards: wantedShards, rows, onProgress }: DistributeOptions & { rows: RowChanges }
): Promise<void> {
  const workers = await countWorkers(pool)
  const shards = wantedShards ?? workers
  if (shards < workers) {
    throw new CannotMove(`The cluster has ${workers} workers, and with --shards ${shards} some would hold nothing.`)
  }
  await refuseRunningService(pool)
  const isIn = await placesOf(pool)
  for (const table of tablesAt('known').filter((table) => !isIn(table))) {
    onProgress(`${table}: made known to Citus`)
    await pool.begin((sql) => moveTable(sql, sql`select citus_add_local_table_to_metadata(${table}::regclass)`))
  }
  if (!tablesAt('distributed').some(isIn)) {
    onProgress('rows: prepared for the move')
    await pool.begin(async (sql) => {
      await liftStatementTimeout(sql)
      await rows.begin(sql)
    })
  }
  const [first = '', ...others] = tablesAt('distributed')
  for (const table of [first, ...others].filter((table) => !isIn(table))) {
    const count = await countRows(pool, table)
    onProgress(`${table}: about ${count} rows to copy`)
    const isDone = tellCopied(pool, (copied) => onProgress(`${table}: ${copied} of about ${count} rows copied`))
    try {
      await pool.begin((sql) => distributeTable(sql, table, table === first ? { shards } : { beside: first }))
    } finally {
      await isDone()
    }
    onProgress(`${table}: distributed`)
  }
  // The rows that were copied are still on the coordinator, where nobody sees them.
  for (const table of tablesAt('distributed')) {
    await pool.begin((sql) =>
      moveTable(sql, sql`select truncate_local_data_after_distributing_table(${table}::regclass)`)
    )
  }
  onProgress('The database is distributed.')
}

export async function undistributeTables(
  pool: Pool,
  { rows, onProgress }: MoveOptions & { rows: RowChanges }
): Promise<void> {
  await refuseRunningService(pool)
  const isIn = await placesOf(pool)
  for (const table of tablesAt('distributed').filter(isIn)) {
    onProgress(`${table}: rows are brought back`)
    await pool.begin((sql) => moveTable(sql, sql`select undistribute_table(${table}::regclass)`))
  }
  await pool.begin((sql) => rows.end(sql))
  for (const table of tablesAt('known').filter(isIn)) {
    onProgress(`${table}: taken from Citus`)
    await pool.begin((sql) => moveTable(sql, sql`select undistribute_table(${table}::regclass)`))
  }
  onProgress('The database is plain.')
}

async function moveTable(sql: Sql, statement: PromiseLike<unknown>): Promise<void> {
  await liftStatementTimeout(sql)
  await statement
}

async function distributeTable(sql: Sql, table: string, place: { shards: number } | { beside: string }) {
  await moveTable(
    sql,
    'shards' in place
      ? sql`select create_distributed_table(${table}::regclass, ${DISTRIBUTION_COLUMN}, shard_count => ${place.shards}::integer)`
      : sql`select create_distributed_table(${table}::regclass, ${DISTRIBUTION_COLUMN}, colocate_with => ${place.beside}::text)`
  )
}

async function placesOf(sql: Sql): Promise<(table: string) => boolean> {
  const places: Map<string, Place> = await listPlaces(sql)
  return (table) => places.has(table)
}

async function countWorkers(sql: Sql): Promise<number> {
  const [row] = await sql<[{ isCitus: boolean }]>`select to_regclass('pg_dist_node') is not null as is_citus`
  if (!row.isCitus) {
    throw new CannotMove(
      'This database has no Citus. Run `create extension citus` in it, on all nodes; see docs/scale.md.'
    )
  }
  const nodes = await sql`select nodename from pg_dist_node where isactive and shouldhaveshards and groupid > 0`
  if (nodes.length === 0) {
    throw new CannotMove(
      "The cluster has no worker. Add one on the coordinator, such as `select citus_add_node('worker-1', 5432)`; see docs/scale.md."
    )
  }
  return nodes.length
}

/** A process of the service would go on with statements for the other shape. */
async function refuseRunningService(sql: Sql): Promise<void> {
  const others = await sql<{ name: string }[]>`
    select distinct application_name as name
    from pg_stat_activity
    where datname = current_database()
      and application_name ~ '^chappe [0-9]'
  `
  if (others.length > 0) {
    throw new CannotMove(
      `The service is running: ${others.map(({ name }) => name).join(', ')}. Stop all of its processes first.`
    )
  }
}

async function countRows(sql: Sql, table: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select greatest(0, coalesce(sum(reltuples), 0))::bigint as count
    from pg_class
    where oid in (select relid from pg_partition_tree(${table}) where isleaf)
  `
  return row.count
}

/** Tells how many rows have been copied, until it is called to end. */
function tellCopied(database: Database, tell: (copied: number) => void): () => Promise<void> {
  const ended = new AbortController()
  async function look(): Promise<void> {
    while (!ended.signal.aborted) {
      await sleep(PROGRESS_MS, undefined, { signal: ended.signal }).catch(() => undefined)
      if (ended.signal.aborted) return
      // Only to be told: the copy goes on without it.
      const copied = await countCopied(database).catch(() => 0)
      if (copied > 0) tell(copied)
    }
  }
  const looking = look()
  return async () => {
    ended.abort()
    await looking
  }
}

async function countCopied(sql: Sql): Promise<number> {
  const [row] = await sql<[{ copied: number }]>`
    select coalesce(sum(result::bigint), 0)::bigint as copied
    from run_command_on_workers('select coalesce(sum(tuples_processed), 0) from pg_stat_progress_copy')
    where success
  `
  return row.copied
}
