import type { Sql } from '../database/database.ts'
import { fewRows, isWithin } from '../database/id-span.ts'
import { type MessageKey, unnestMessageKeys } from '../messages/messages.store.ts'
import type { PositionRange } from './recipients.store.ts'

/**
 * Removes recipients and their timelines. By ranges, so a slice does not walk over rows that earlier slices removed.
 */
export async function deletePositions(sql: Sql, ranges: readonly PositionRange[]): Promise<void> {
  if (ranges.length === 0) return
  const messageIds = ranges.map(({ id }) => id)
  const given = sql`
    unnest(
      ${ranges.map(({ accountId }) => accountId)}::bigint[],
      ${messageIds}::bigint[],
      ${ranges.map(({ after }) => after)}::integer[],
      ${ranges.map(({ to }) => to)}::integer[]
    ) as given (account_id, message_id, after_position, to_position)
  `
  for (const table of ['recipients', 'timeline_steps']) {
    await sql`
      delete from ${sql(table)} as removed
      using ${fewRows(sql, given, ranges.length)} as given
      where removed.account_id = given.account_id
        and removed.message_id = given.message_id
        and removed.position > after_position
        and removed.position <= to_position
        and ${isWithin(sql, sql`removed.message_id`, messageIds)}
    `
  }
}

/** Removes the remaining timeline steps of messages. */
export async function deleteSteps(sql: Sql, keys: readonly MessageKey[]): Promise<void> {
  if (keys.length === 0) return
  const given = unnestMessageKeys(
    sql,
    keys.map(({ accountId, id }) => ({ accountId, messageId: id }))
  )
  const messageIds = keys.map(({ id }) => id)
  await sql`
    delete from timeline_steps
    using ${fewRows(sql, given, keys.length)} as given
    where timeline_steps.account_id = given.account_id
      and timeline_steps.message_id = given.message_id
      and ${isWithin(sql, sql`timeline_steps.message_id`, messageIds)}
  `
}
