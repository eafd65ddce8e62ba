import { type Database, giveUpInDeadlocks, isBusy, type Sql } from './database.ts'
import type { IdRange, RangeKind, RangeState } from './id-ranges.ts'
import { PLACES } from './places.ts'
import { isDistributed } from './shape.ts'

const SEQUENCES: Record<RangeKind, string> = { messages: 'message_ids', events: 'event_ids' }

/** The partitioned tables of a kind. */
const RANGE_TABLES: Record<RangeKind, readonly string[]> = {
  messages: ['recipients', 'timeline_steps'],
  events: ['events']
}

// Any numbers that no other program on the same database is likely to lock.
const RANGES_LOCK = 7_267_733_041
const LOOK_LOCK = 7_267_733_042

/** ANALYZE of a partitioned table without its partitions. */
const ANALYZE_ONLY_VERSION_MIN = 180_000

/** The partition of a table that holds a range. */
export function partitionOf(table: string, { firstId, isFirst }: IdRange): string {
  return isFirst ? `${table}_before` : `${table}_${firstId}`
}

export async function readRanges(sql: Sql, kind: RangeKind): Promise<RangeState> {
  const [[drawn], ranges] = await Promise.all([
    sql<[{ lastId: number; now: Date }]>`select last_value as last_id, now() as now from ${sql(SEQUENCES[kind])}`,
    sql<IdRange[]>`
      select kind, first_id, end_id, made_at is not null as is_made, opened_at = to_timestamp(0) is true as is_first,
        opened_at, closed_at, settled_at, left_count, is_released, is_queued
      from id_ranges
      where kind = ${kind}
      order by first_id
    `
  ])
  return { ...drawn, ranges }
}

/** Notes which ranges the ids have reached and left; returns how many. */
export async function updateReached(sql: Sql, kind: RangeKind, lastId: number): Promise<number> {
  const { count } = await sql`
    update id_ranges
    set opened_at = coalesce(opened_at, now()),
        closed_at = case when end_id <= ${lastId} then coalesce(closed_at, now()) end
    where kind = ${kind}
      and ((opened_at is null and first_id <= ${lastId}) or (closed_at is null and end_id <= ${lastId}))
  `
  return count
}

export async function insertRange(
  sql: Sql,
  kind: RangeKind,
  { firstId, endId }: { firstId: number; endId: number }
): Promise<void> {
  await sql`select add_id_range(${kind}, ${firstId}, ${endId})`
}

/** Keeps autovacuum from analysing a table, which it cleans and freezes as any other. */
const NEVER_ANALYZED = 'autovacuum_analyze_threshold'
const NEVER = 2_147_483_647

/**
 * Keeps a cluster from gathering statistics of the partitions that are distributed. A worker plans each statement for the
 * accounts in it. By statistics, an account that had no recipients at the last look has none. In its first large send each
 * look-up would read all of them. Without statistics, each account has a share of the table, which is enough to
 * look up each recipient by its key.
 */
export async function dropStatistics(sql: Sql): Promise<void> {
  for (const partition of await listDistributedPartitions(sql, { areAnalyzed: true })) {
    await sql.unsafe(`alter table ${partition} set (${NEVER_ANALYZED} = ${NEVER})`)
  }
}

/** On a single server, which plans for all accounts alike, they are good to have. */
export async function restoreStatistics(sql: Sql): Promise<void> {
  for (const partition of await listDistributedPartitions(sql, { areAnalyzed: false })) {
    await sql.unsafe(`alter table ${partition} reset (${NEVER_ANALYZED})`)
  }
}

async function listDistributedPartitions(sql: Sql, { areAnalyzed }: { areAnalyzed: boolean }): Promise<string[]> {
  const tables = Object.values(RANGE_TABLES)
    .flat()
    .filter((table) => PLACES[table] === 'distributed')
  const rows = await sql<{ name: string }[]>`
    select inhrelid::regclass::text as name
    from pg_inherits
    join pg_class on pg_class.oid = inhrelid
    where inhparent = any(${tables}::text[]::regclass[])
      and (coalesce(reloptions, '{}') @> array[${`${NEVER_ANALYZED}=${NEVER}`}]) = ${!areAnalyzed}
    order by inhrelid
  `
  return rows.map(({ name }) => name)
}

/** Notes the messages that are left in a range: the time begins anew when they have changed. */
export async function updateLeft(sql: Sql, { kind, firstId }: IdRange, leftCount: number): Promise<void> {
  await sql`
    update id_ranges
    set left_count = ${leftCount}, settled_at = now()
    where kind = ${kind}
      and first_id = ${firstId}
      and left_count is distinct from ${leftCount}
  `
}

export async function updateReleased(
  sql: Sql,
  { kind, firstId }: IdRange,
  { isQueued }: { isQueued: boolean }
): Promise<void> {
  await sql`
    update id_ranges
    set is_released = true, is_queued = ${isQueued}
    where kind = ${kind}
      and first_id = ${firstId}
  `
}

/** Of every released range, the rows of removed messages are queued. */
export async function updateAllQueued(sql: Sql): Promise<void> {
  await sql`
    update id_ranges
    set is_queued = true
    where is_released
  `
}

/**
 * Changes the partitions in a transaction of its own, one process at a time. Statements wait behind it, so it does not wait for
 * long itself: a long import holds it off, and the next turn of the worker tries again. Returns whether it had its turn.
 */
export async function changeRanges(database: Database, change: (sql: Sql) => Promise<void>): Promise<boolean> {
  return unlessBusy(database, async (sql) => {
    await sql`select pg_advisory_xact_lock(${RANGES_LOCK})`
    await change(sql)
    if (isDistributed()) await dropStatistics(sql)
  })
}

async function unlessBusy(database: Database, work: (sql: Sql) => Promise<unknown>): Promise<boolean> {
  try {
    await database.begin(async (sql) => {
      await giveUpInDeadlocks(sql)
      await work(sql)
    })
    return true
  } catch (error) {
    if (!isBusy(error)) throw error
    return false
  }
}

/** Drops the partitions of a range. The rows that `carried` chooses move to the default partition. */
export async function dropRange(sql: Sql, range: IdRange, carried?: ReturnType<Sql>): Promise<void> {
  for (const table of RANGE_TABLES[range.kind]) {
    const partition = partitionOf(table, range)
    await sql.unsafe(`alter table ${table} detach partition ${partition}`)
    if (carried) await sql`insert into ${sql(table)} select * from ${sql(partition)} as detached where ${carried}`
    await sql.unsafe(`drop table ${partition}`)
  }
  await sql`delete from id_ranges where kind = ${range.kind} and first_id = ${range.firstId}`
}

/** The partitions of a table, without those of some ranges. */
export async function listPartitions(
  sql: Sql,
  table: string,
  { except }: { except: readonly IdRange[] }
): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select inhrelid::regclass::text as name
    from pg_inherits
    where inhparent = ${table}::regclass
  `
  const left = new Set(except.map((range) => partitionOf(table, range)))
  return rows.map(({ name }) => name).filter((name) => !left.has(name))
}

/**
 * Autovacuum analyses partitions, and never the table that they are parts of. A table that is busy is left alone. So is one
 * that is distributed: see `dropStatistics`.
 */
export async function analyzeTables(database: Database, kind: RangeKind): Promise<void> {
  const tables = RANGE_TABLES[kind].filter((table) => !isDistributed() || PLACES[table] !== 'distributed')
  if (tables.length === 0) return
  const [row] = await database<[{ version: number }]>`select current_setting('server_version_num')::integer as version`
  const only = row.version >= ANALYZE_ONLY_VERSION_MIN ? 'only ' : ''
  await unlessBusy(database, (sql) => sql.unsafe(tables.map((table) => `analyze ${only}${table}`).join(';')))
}

/**
 * Reads the rows of the default partition once, without keeping anybody from writing: are they all below the end of the first range?
 * One process at a time; a look that was cut off begins again. Returns whether all tables are checked.
 */
export async function checkFirstRange(database: Database, kind: RangeKind): Promise<boolean> {
  for (const table of RANGE_TABLES[kind]) {
    const isChecked = await database.begin(async (sql) => {
      const [row] = await sql<[{ isMine: boolean; isChecked: boolean }]>`
        select pg_try_advisory_xact_lock(${LOOK_LOCK}) as is_mine, convalidated as is_checked
        from pg_constraint
        where conname = ${`${table}_below`}
      `
      if (!row?.isMine) return false
      if (row.isChecked) return true
      await sql`set local statement_timeout = 0`
      await sql.unsafe(`alter table ${table}_default validate constraint ${table}_below`)
      return true
    })
    if (!isChecked) return false
  }
  return true
}

/** The default partition becomes the first range. */
export async function closeFirstRange(sql: Sql, { kind, endId }: IdRange): Promise<void> {
  await sql`select close_first_range(${kind}, ${endId})`
}

/** The first range ends later. */
export async function moveFirstEnd(sql: Sql, { kind, firstId }: IdRange, endId: number): Promise<void> {
  await sql`update id_ranges set end_id = ${endId} where kind = ${kind} and first_id = ${firstId}`
  for (const table of RANGE_TABLES[kind]) {
    const column = kind === 'events' ? 'id' : 'message_id'
    await sql.unsafe(`
      alter table ${table}_default
        drop constraint ${table}_below,
        add constraint ${table}_below check (${column} < ${endId}::bigint) not valid
    `)
  }
}

/** Draws no more ids below this one. Never goes back: ids would be drawn twice. */
export async function skipIdsTo(sql: Sql, kind: RangeKind, id: number): Promise<void> {
  const sequence = SEQUENCES[kind]
  await sql`select setval(${sequence}, ${id}, false) from ${sql(sequence)} where last_value < ${id}`
}
