import type { Sql } from '../database/database.ts'
import { fewRows, isAmong, isWithin } from '../database/id-span.ts'
import { beginOfRange, endOfRange } from '../database/known-ranges.ts'
import { isDistributed, type OfAccounts } from '../database/shape.ts'
import type { RecipientKey } from './move.ts'

/* What statements on recipients have in common: the keys that they are given, and their conditions. */

/** These recipients as a table `given`, to join with. `more` is what else is known of each: arrays in their order, and the names of their columns. */
export function unnestRecipientKeys(
  sql: Sql,
  keys: readonly RecipientKey[],
  more?: { arrays: ReturnType<Sql>; names: ReturnType<Sql> }
) {
  const rows = sql`
    unnest(
      ${keys.map(({ accountId }) => accountId)}::bigint[],
      ${keys.map(({ messageId }) => messageId)}::bigint[],
      ${keys.map(({ position }) => position)}::integer[]${more ? sql`, ${more.arrays}` : sql``}
    ) as given (account_id, message_id, position${more ? sql`, ${more.names}` : sql``})
  `
  return sql`${fewRows(sql, rows, keys.length)} as given`
}

/**
 * Whether a recipient is the one in `given`; see `byShard`. The span of the ids of messages spares the other ranges.
 */
export function isGiven(
  sql: Sql,
  ofAccounts: OfAccounts,
  keys: readonly Pick<RecipientKey, 'messageId'>[]
): ReturnType<Sql> {
  return sql`
    ${ofAccounts(sql`recipients.account_id`)}
    and recipients.message_id = given.message_id
    and recipients.position = given.position
    and ${isInSpanOf(
      sql,
      sql`recipients.message_id`,
      keys.map(({ messageId }) => messageId)
    )}
  `
}

/**
 * Whether a row may be of one of these messages, by the column with their ids: the condition that spares the other ranges.
 *
 * On a cluster the worker plans for these very ids, without statistics (`dropStatistics`). Between two ids it would expect
 * next to no rows, read all, and compare each with each key. So it gets the ends of ranges, which say nothing of how
 * many there are. Two bounds would still be a narrow stretch to it. The second bound has an "or" beside it, which lets
 * no row more in, and keeps the worker from taking the two together.
 */
export function isInSpanOf(sql: Sql, column: ReturnType<Sql>, messageIds: readonly number[]): ReturnType<Sql> {
  if (!isDistributed()) return isWithin(sql, column, messageIds)
  const begin = beginOfRange(Math.min(...messageIds))
  const end = endOfRange(Math.max(...messageIds))
  const isFromBegin = sql`${column} >= ${begin}::bigint`
  if (end === undefined) return isFromBegin
  return sql`${isFromBegin} and (${column} < ${end}::bigint or ${column} = ${begin}::bigint)`
}

/** Whether a recipient of one message has one of these positions. Those that are not `areClose` are better found by key. */
export function isAtPositions(sql: Sql, positions: readonly number[]) {
  return isAmong(sql, sql`recipients.position`, positions, sql`integer`)
}

/** Whether a fallback SMS replaced a recipient's RCS. */
export function hasFallenBack(sql: Sql) {
  return sql`recipients.channel is not null`
}

/** Whether a recipient is reached by the channel of its message. */
export function hasNotFallenBack(sql: Sql) {
  return sql`recipients.channel is null`
}
