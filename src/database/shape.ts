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

/**
 * Runs a statement on rows of a distributed table, and returns its rows. In a plain database one statement does all: its table
 * `given` has the accounts. In a distributed one, each account has a statement of its own, in the order of accounts: a
 * statement that names one account by equality goes to one node, any other one to all.
 *
 *     byAccount(sql, keys, (keys, account) => sql`… where recipients.account_id = ${account} and …`)
 */
export async function byAccount<R extends { accountId: number }, T>(
  sql: Sql,
  rows: readonly R[],
  run: (rows: readonly R[], account: ReturnType<Sql>) => PromiseLike<readonly T[]>
): Promise<T[]> {
  return eachAccount(rows, (some, accountId) =>
    run(some, accountId === undefined ? sql`given.account_id` : sql`${accountId}::bigint`)
  )
}

/**
 * Runs some work on rows of a distributed table: in a plain database once for all rows, in a distributed one once for each account,
 * in the order of accounts.
 */
export async function eachAccount<R extends { accountId: number }, T>(
  rows: readonly R[],
  run: (rows: readonly R[], accountId?: number) => PromiseLike<readonly T[]>
): Promise<T[]> {
  if (rows.length === 0) return []
  if (!isDistributedNow) return (await run(rows)) as T[]
  const groups = [...Map.groupBy(rows, ({ accountId }) => accountId)].toSorted(([a], [b]) => a - b)
  const answers = await Promise.all(groups.map(([accountId, group]) => run(group, accountId)))
  return answers.flat()
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
