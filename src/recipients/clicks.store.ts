import type { Sql } from '../database/database.ts'
import { fewRows } from '../database/id-span.ts'
import { numberArray } from '../database/number-array.ts'
import { isInSpanOf } from './recipients.store.ts'

/** A click on the link of one recipient. */
export interface RecipientClick {
  accountId: number
  messageId: number
  position: number
  /** Milliseconds. */
  at: number
  /** Whether the click counts however soon after the message it came. */
  countsSoon: boolean
}

/**
 * Stores the first click of recipients, unless it came too soon for a person. Returns the clicks that were stored: the
 * index of each, and its phone. Of several processes, one stores a click. In the order of the keys, as in every
 * transaction that changes several recipients.
 */
export async function updateClicked(
  sql: Sql,
  clicks: readonly RecipientClick[],
  { soonMs }: { soonMs: number }
): Promise<{ index: number; phone: string }[]> {
  const soon = sql`make_interval(secs => ${soonMs / 1000})`
  const at = sql`to_timestamp(given.at / 1000.0)`
  const given = sql`
    unnest(
      ${numberArray(clicks.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(clicks.map(({ messageId }) => messageId))}::bigint[],
      ${numberArray(clicks.map(({ position }) => position))}::integer[],
      ${numberArray(clicks.map(({ at }) => at))}::bigint[],
      ${numberArray(clicks.map(({ countsSoon }) => Number(countsSoon)))}::smallint[]
    ) with ordinality as given (account_id, message_id, position, at, counts_soon, ordinal)
  `
  return sql`
    update recipients
    set clicked_at = ${at}
    from ${fewRows(sql, given, clicks.length)} as given
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and ${isInSpanOf(sql, clicks)}
      and clicked_at is null
      and (
        counts_soon = 1
        -- Before it is known to have left is soon too: who has the link then got it from the carrier, on the way.
        or sent_at + ${soon} <= ${at} and (delivered_at is null or ${at} not between delivered_at and delivered_at + ${soon})
      )
    returning (ordinal - 1)::integer as index, phone
  `
}

/** The indexes of the clicks whose recipients have not clicked yet. */
export async function listUnclicked(sql: Sql, clicks: readonly RecipientClick[]): Promise<number[]> {
  const given = sql`
    unnest(
      ${numberArray(clicks.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(clicks.map(({ messageId }) => messageId))}::bigint[],
      ${numberArray(clicks.map(({ position }) => position))}::integer[]
    ) with ordinality as given (account_id, message_id, position, ordinal)
  `
  const rows = await sql<{ index: number }[]>`
    select (ordinal - 1)::integer as index
    from ${fewRows(sql, given, clicks.length)} as given
    join recipients on recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
    where clicked_at is null
      and ${isInSpanOf(sql, clicks)}
  `
  return rows.map(({ index }) => index)
}
