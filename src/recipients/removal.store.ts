import type { Sql } from '../database/database.ts'
import { fewRows } from '../database/id-span.ts'
import { byShard } from '../database/shape.ts'
import { type MessageKey, unnestMessageKeys } from '../messages/messages.store.ts'
import { isInSpanOf } from './conditions.store.ts'
import type { PositionRange } from './positions.store.ts'

/**
 * Removes recipients and their timelines. By ranges, so a slice does not walk over rows that earlier slices removed.
 */
export async function deletePositions(sql: Sql, ranges: readonly PositionRange[]): Promise<void> {
  if (ranges.length === 0) return
  for (const table of ['recipients', 'timeline_steps']) {
    await byShard(
      sql,
      ranges,
      (ranges, ofAccounts) => sql`
      delete from ${sql(table)} as removed
      using ${fewRows(sql, unnestRanges(sql, ranges), ranges.length)} as given
      where ${ofAccounts(sql`removed.account_id`)}
        and ${isInSpanOf(
          sql,
          sql`removed.message_id`,
          ranges.map(({ id }) => id)
        )}
        and removed.message_id = given.message_id
        and removed.position > after_position
        and removed.position <= to_position
    `
    )
  }
}

/** Removes the remaining timeline steps of messages. */
export async function deleteSteps(sql: Sql, keys: readonly MessageKey[]): Promise<void> {
  await byShard(
    sql,
    keys,
    (keys, ofAccounts) => sql`
    delete from timeline_steps
    using ${fewRows(sql, unnestKeys(sql, keys), keys.length)} as given
    where ${ofAccounts(sql`timeline_steps.account_id`)}
      and timeline_steps.message_id = given.message_id
      and ${isInSpanOf(
        sql,
        sql`timeline_steps.message_id`,
        keys.map(({ id }) => id)
      )}
  `
  )
}

function unnestRanges(sql: Sql, ranges: readonly PositionRange[]) {
  return sql`
    unnest(
      ${ranges.map(({ accountId }) => accountId)}::bigint[],
      ${ranges.map(({ id }) => id)}::bigint[],
      ${ranges.map(({ after }) => after)}::integer[],
      ${ranges.map(({ to }) => to)}::integer[]
    ) as given (account_id, message_id, after_position, to_position)
  `
}

function unnestKeys(sql: Sql, keys: readonly MessageKey[]) {
  return unnestMessageKeys(
    sql,
    keys.map(({ accountId, id }) => ({ accountId, messageId: id }))
  )
}
