import type { Sql } from './database.ts'

/** How long something is kept, and how much is removed at a time. */
export interface Retention {
  days: number
  limit: number
}

interface Kept {
  table: string
  /** When a row began to be kept. */
  column: string
  /** Whether that has an index of its own, along which the oldest are found. */
  isIndexed?: boolean
  /** Only of these. */
  isOver?: ReturnType<Sql>
}

/**
 * Removes rows that were kept long enough, a little at a time, never in one long delete; tells how many. Of any account: for
 * workers.
 */
export async function deleteOld(
  sql: Sql,
  { table, column, isIndexed = false, isOver }: Kept,
  { days, limit }: Retention
): Promise<number> {
  const { count } = await sql`
    delete from ${sql(table)}
    where ctid = any(array(
      select ctid
      from ${sql(table)}
      where ${sql(column)} < now() - make_interval(days => ${days})
        ${isOver ? sql`and ${isOver}` : sql``}
      ${isIndexed ? sql`order by ${sql(column)}` : sql``}
      limit ${limit}
    ))
  `
  return count
}
