import type { Sql } from './database.ts'
import { numberArray } from './number-array.ts'
import { isDistributed } from './shape.ts'

/*
 * For statements that look up a list of keys in a table that is partitioned by ranges of ids. PostgreSQL opens every
 * range for such a statement, which takes about 14 µs for each of them, and several times as long where it plans anew.
 * With the first and the last id as a condition, it opens only the ranges between them, and reads only what lies there.
 */

/** Whether a column is between the first and the last of these ids. */
export function isWithin(sql: Sql, column: ReturnType<Sql>, ids: readonly number[], type = sql`bigint`) {
  const { first, last } = spanOf(ids)
  return sql`${column} between ${first}::${type} and ${last}::${type}`
}

/**
 * Whether a column is one of these ids, beside conditions on the columns before it in an index. PostgreSQL before 17 may
 * use those alone: where most accounts have few rows, it then reads all rows of a large one. With the first and the
 * last id it reads only what lies between them, and looks each up in a hash of the ids, if they are of the column's own type.
 */
export function isAmong(sql: Sql, column: ReturnType<Sql>, ids: readonly number[], type = sql`bigint`) {
  return sql`${isWithin(sql, column, ids, type)} and ${column} = any(${numberArray(ids)}::${type}[])`
}

/** Whether ids are so close together that what lies between them is read as fast as each is looked up by itself. */
export function areClose(ids: readonly number[]): boolean {
  const { first, last } = spanOf(ids)
  return last - first < READ_BETWEEN_MAX * ids.length
}

/** How many rows that are read in vain take about as long as one that is looked up by its key. */
const READ_BETWEEN_MAX = 16

/** The smallest and the largest of these ids. */
function spanOf(ids: readonly number[]): { first: number; last: number } {
  let [first = 0] = ids
  let last = first
  for (const id of ids) {
    if (id < first) first = id
    if (id > last) last = id
  }
  return { first, last }
}

/**
 * The given keys, as a table that PostgreSQL begins with. It expects a condition such as `isWithin` to leave next to no
 * rows, so it might read all rows between these ids and compare each with each key. A limit that it does not know when
 * it plans lets it expect a tenth of the keys.
 *
 * A worker of a cluster plans for the values that it gets. So its limit is the answer to a question, and there are as
 * many limits as leave a single key.
 */
export function fewRows(sql: Sql, rows: ReturnType<Sql>, count: number) {
  if (!isDistributed()) return sql`(select * from ${rows} limit ${count})`
  const limit = sql`limit (select ${count}::bigint)`
  let few = sql`(select * from ${rows} ${limit})`
  for (let expected = count / LEFT_BY_LIMIT; expected > 1; expected /= LEFT_BY_LIMIT) {
    few = sql`(select * from ${few} as given ${limit})`
  }
  return few
}

/** PostgreSQL expects a limit that it does not know to leave one row of so many. */
const LEFT_BY_LIMIT = 10
