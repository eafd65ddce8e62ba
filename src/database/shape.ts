import { CannotStart } from '../errors.ts'
import type { Sql } from './database.ts'

/**
 * Refuses a database with tables that Citus has distributed or knows: statements over several accounts would ask every node, a
 * transaction could commit by half, and the feed would lose events, all without an error.
 */
export async function refuseDistributed(sql: Sql): Promise<void> {
  const [row] = await sql<[{ isCitus: boolean }]>`select to_regclass('pg_dist_partition') is not null as is_citus`
  if (!row.isCitus) return
  const tables = await sql<{ name: string }[]>`
    select relname as name
    from pg_dist_partition
    join pg_class on pg_class.oid = logicalrelid
    where not relispartition
    order by relname
  `
  if (tables.length === 0) return
  throw new CannotStart(
    `Citus has distributed tables of this database, and this version of Chappe needs all of them in one place. Run \`select undistribute_table(…)\` for each of: ${tables.map(({ name }) => name).join(', ')}.`
  )
}
