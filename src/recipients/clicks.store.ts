import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'

/** A click on the link of one recipient. */
export interface RecipientClick {
  accountId: number
  messageId: number
  position: number
  /** Milliseconds. */
  at: number
  /** Whether it counts however soon after the message it came. */
  countsSoon: boolean
}

/**
 * Writes down when recipients clicked first, unless it was too soon for a person. Tells for which of these clicks it did, by
 * their index, and whose they were; of several processes, one gets to do it. In the order of their keys, as all who change
 * several recipients at once should.
 */
export async function updateClicked(
  sql: Sql,
  clicks: readonly RecipientClick[],
  { soonMs }: { soonMs: number }
): Promise<{ index: number; phone: string }[]> {
  const soon = sql`make_interval(secs => ${soonMs / 1000})`
  const at = sql`to_timestamp(given.at / 1000.0)`
  return sql`
    update recipients
    set clicked_at = ${at}
    from unnest(
      ${numberArray(clicks.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(clicks.map(({ messageId }) => messageId))}::bigint[],
      ${numberArray(clicks.map(({ position }) => position))}::integer[],
      ${numberArray(clicks.map(({ at }) => at))}::bigint[],
      ${numberArray(clicks.map(({ countsSoon }) => Number(countsSoon)))}::smallint[]
    ) with ordinality as given (account_id, message_id, position, at, counts_soon, ordinal)
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and clicked_at is null
      and (
        counts_soon = 1
        -- Before it is known to have left is soon too: who has the link then got it from the carrier, on the way.
        or sent_at + ${soon} <= ${at} and (delivered_at is null or ${at} not between delivered_at and delivered_at + ${soon})
      )
    returning (ordinal - 1)::integer as index, phone
  `
}

/** Those of these clicks, by their index, whose recipients have not clicked yet. */
export async function listUnclicked(sql: Sql, clicks: readonly RecipientClick[]): Promise<number[]> {
  const rows = await sql<{ index: number }[]>`
    select (ordinal - 1)::integer as index
    from unnest(
      ${numberArray(clicks.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(clicks.map(({ messageId }) => messageId))}::bigint[],
      ${numberArray(clicks.map(({ position }) => position))}::integer[]
    ) with ordinality as given (account_id, message_id, position, ordinal)
    join recipients on recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
    where clicked_at is null
  `
  return rows.map(({ index }) => index)
}
