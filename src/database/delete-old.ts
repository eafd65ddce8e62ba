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
  /** Only of these. */
  isOver?: ReturnType<Sql>
}

/**
 * Removes rows that were kept long enough, a little at a time, never in one long delete; tells how many. Of any account: for
 * workers.
 */
export async function deleteOld(
  sql: Sql,
  {
    table,
    column,
    isIndexed = false,
    isOver
  }: Kept & {
    /** Whether its column has an index of its own, along which the oldest are found. */
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
 * The same where an index by `account_id` and a column that grows with time has the oldest of each account first: it goes from
 * one account to the next in it, and on where the first has had its time. So it needs no index of the time.
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
    /** From this value of `order` on, rows of the account `firsts.account_id` stay, however old they are; null keeps none. */
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
