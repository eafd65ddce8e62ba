import type { Sql } from './database.ts'

/** How long rows are kept, and how many are removed at a time. */
export interface Retention {
  days: number
  limit: number
}

interface Kept {
  table: string
  /** When a row began to be kept. */
  column: string
  /** A condition on the rows that may be removed. */
  isOver?: ReturnType<Sql>
}

/**
 * Removes some of the rows that were kept long enough, of all accounts, and returns how many. A worker calls it again
 * and again: one long delete would hold its locks for as long.
 */
export async function deleteOld(
  sql: Sql,
  {
    table,
    column,
    isIndexed = false,
    isOver
  }: Kept & {
    /** Whether the column has an index of its own, which leads to the oldest rows. */
    isIndexed?: boolean
  },
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

/**
 * The same without an index of the time. An index by `account_id` and a column that grows with time has the oldest row
 * of each account first: the search goes from account to account, and stays only where that row is old enough.
 */
export async function deleteOldest(
  sql: Sql,
  {
    table,
    column,
    order,
    isOver,
    keptFrom
  }: Kept & {
    order: string
    /**
     * From this value of `order` on, rows of the account `firsts.account_id` stay, however old they are; null keeps
     * none.
     */
    keptFrom?: ReturnType<Sql>
  },
  { days, limit }: Retention
): Promise<number> {
  const cutoff = sql`now() - make_interval(days => ${days})`
  const inOrder = sql`order by account_id, ${sql(order)}`
  const { count } = await sql`
    with recursive firsts as (
      (select account_id, ${sql(column)} as kept_at from ${sql(table)} ${inOrder} limit 1)
      union all
      select next.account_id, next.kept_at
      from firsts
      cross join lateral (
        select account_id, ${sql(column)} as kept_at
        from ${sql(table)}
        where account_id > firsts.account_id
        ${inOrder}
        limit 1
      ) as next
    )
    delete from ${sql(table)}
    where ctid = any(array(
      select old.row_id
      from firsts
      -- With an offset it is asked once for each account, and not once for each row.
      cross join lateral (select (${keptFrom ?? sql`null::bigint`}) as kept_from offset 0) as needed
      cross join lateral (
        select ctid as row_id, ${sql(column)} as kept_at
        from ${sql(table)}
        where account_id = firsts.account_id
          and (needed.kept_from is null or ${sql(order)} < needed.kept_from)
          ${isOver ? sql`and ${isOver}` : sql``}
        ${inOrder}
        limit ${limit}
      ) as old
      where firsts.kept_at < ${cutoff}
        and old.kept_at < ${cutoff}
      limit ${limit}
    ))
  `
  return count
}
