import { CannotStart } from '../errors.ts'
import type { Sql } from './database.ts'
import { failure } from './failure.ts'
import { PLACES, type Place } from './places.ts'

/*
 * A database has one of two shapes: plain, or distributed over the nodes of a Citus cluster. A process has one database, and
 * reads its shape once, at the start.
 */

let isDistributedNow = false

/** Whether the database of this process is distributed. */
export function isDistributed(): boolean {
  return isDistributedNow
}

/** Reads the shape of the database. Refuses one that is neither plain nor distributed. */
export async function readShape(sql: Sql): Promise<void> {
  const places = await listPlaces(sql)
  const isAt = (table: string) => (places.get(table) ?? 'local') === PLACES[table]
  const misplaced = Object.keys(PLACES).filter((table) => !isAt(table))
  if (places.size > 0 && misplaced.length > 0) {
    throw new CannotStart(
      `The database is half distributed: ${misplaced.join(', ')} ${misplaced.length === 1 ? 'is' : 'are'} not in place. Run \`npm run distribute\` or \`npm run undistribute\` to its end.`
    )
  }
  isDistributedNow = places.size > 0
  shardsKnown.clear()
}

/** The tables that Citus knows. */
export async function listPlaces(sql: Sql): Promise<Map<string, Place>> {
  const [row] = await sql<[{ isCitus: boolean }]>`select to_regclass('pg_dist_partition') is not null as is_citus`
  if (!row.isCitus) return new Map()
  const rows = await sql<{ name: string; place: Place }[]>`
    select relname as name, case partmethod when 'h' then 'distributed' else 'known' end as place
    from pg_dist_partition
    join pg_class on pg_class.oid = logicalrelid
    where not relispartition
    order by relname
  `
  return new Map(rows.map(({ name, place }) => [name, place]))
}

/** A condition on the column with the account of a distributed table. */
export type OfAccounts = (column: ReturnType<Sql>) => ReturnType<Sql>

/**
 * Runs a statement on rows of a distributed table, and returns its rows. In a plain database one statement does all: its
 * table `given` has the accounts. In a distributed one, each shard has a statement of its own, in the order of shards: a
 * statement that names accounts of one shard goes to the node that has it, any other one to all.
 *
 *     byShard(sql, keys, (keys, ofAccounts) => sql`… where ${ofAccounts(sql`recipients.account_id`)} and …`)
 */
export async function byShard<R extends { accountId: number }, T>(
  sql: Sql,
  rows: readonly R[],
  run: (rows: readonly R[], ofAccounts: OfAccounts) => PromiseLike<readonly T[]>
): Promise<T[]> {
  return eachShard(sql, rows, (some) => {
    const isOfGiven: OfAccounts = (column) => sql`${column} = given.account_id`
    if (!isDistributedNow) return run(some, isOfGiven)
    const [first = 0, ...others] = new Set(some.map(({ accountId }) => accountId))
    if (others.length === 0) return run(some, (column) => sql`${column} = ${first}::bigint`)
    return run(some, (column) => sql`${isOfGiven(column)} and ${isOneOf(sql, column, [first, ...others])}`)
  })
}

/**
 * Whether an account is one of several of a shard. Citus finds the shard by it. The worker must not look the accounts up
 * by its index, beside the one of each row: it would go through all of them for each row, which took three times the
 * CPU. An "or" keeps it from that.
 */
function isOneOf(sql: Sql, column: ReturnType<Sql>, accountIds: readonly number[]): ReturnType<Sql> {
  return sql`(${column} = any(${accountIds}::bigint[]) or ${column} = ${accountIds[0] ?? 0}::bigint)`
}

/**
 * Runs some work on rows of a distributed table: in a plain database once for all rows, in a distributed one once for
 * each shard, in the order of shards.
 */
export async function eachShard<R extends { accountId: number }, T>(
  sql: Sql,
  rows: readonly R[],
  run: (rows: readonly R[]) => PromiseLike<readonly T[]>
): Promise<T[]> {
  if (rows.length === 0) return []
  if (!isDistributedNow) return (await run(rows)) as T[]
  const shards = await shardsOf(
    sql,
    rows.map(({ accountId }) => accountId)
  )
  const groups = [...Map.groupBy(rows, ({ accountId }) => shards.get(accountId) ?? 0)].toSorted(([a], [b]) => a - b)
  const answers = await Promise.all(groups.map(([, group]) => run(group)))
  return answers.flat()
}

/**
 * The shard of each account that was asked for, which holds all that is distributed of it. It stays the same wherever
 * it is moved. Once an operator splits it, statements may name accounts of two shards until it is asked for again: they
 * do the same, and cost more.
 */
const shardsKnown = new Map<number, number>()
const SHARDS_KNOWN_MAX = 200_000
const SHARDS_KNOWN_MS = 600_000
let shardsKnownSince = 0

async function shardsOf(sql: Sql, accountIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (shardsKnown.size > SHARDS_KNOWN_MAX || performance.now() - shardsKnownSince > SHARDS_KNOWN_MS) {
    shardsKnown.clear()
    shardsKnownSince = performance.now()
  }
  const shards = new Map<number, number>()
  const unknown = new Set<number>()
  for (const id of accountIds) {
    const shard = shardsKnown.get(id)
    if (shard === undefined) unknown.add(id)
    else shards.set(id, shard)
  }
  if (unknown.size === 0) return shards
  const rows = await sql<{ id: number; shard: number }[]>`
    select id, get_shard_id_for_distribution_column('recipients', id) as shard
    from unnest(${[...unknown]}::bigint[]) as given (id)
  `
  for (const { id, shard } of rows) {
    shards.set(id, shard)
    shardsKnown.set(id, shard)
  }
  return shards
}

/** Longer than the second phase of a commit takes while all nodes answer. */
const HALF_COMMIT_AGE = '1 second'

/** Refuses to go on while a transaction on some node of a cluster is prepared, and was left behind. */
export async function refuseHalfCommits(sql: Sql): Promise<void> {
  if (!isDistributedNow) return
  const left = await sql`
    select nodename
    from run_command_on_workers(
      ${`select count(*) from pg_prepared_xacts where database = current_database() and prepared < clock_timestamp() - interval '${HALF_COMMIT_AGE}'`}
    )
    where result <> '0'
  `
  if (left.length > 0) throw halfCommitted()
}

/** The error of a transaction that found a commit on some nodes of a cluster and not on all. It is repeated. */
export function halfCommitted(): Error {
  return failure('40001', 'a commit has not reached all nodes of the cluster yet')
}
