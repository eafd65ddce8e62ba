import type { Sql } from '../database/database.ts'
import { fewRows } from '../database/id-span.ts'
import { numberArray } from '../database/number-array.ts'
import { byShard } from '../database/shape.ts'
import { isGiven } from './conditions.store.ts'

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
  return byShard(
    sql,
    clicks.map((click, index) => ({ ...click, index })),
    (clicks, ofAccounts) => sql<{ index: number; phone: string }[]>`
      update recipients
      set clicked_at = given.at
      from ${fewRows(
        sql,
        sql`unnest(
        ${numberArray(clicks.map(({ accountId }) => accountId))}::bigint[],
        ${numberArray(clicks.map(({ messageId }) => messageId))}::bigint[],
        ${numberArray(clicks.map(({ position }) => position))}::integer[],
        ${clicks.map(({ at }) => new Date(at))}::timestamptz[],
        ${clicks.map(({ at }) => new Date(at - soonMs))}::timestamptz[],
        ${numberArray(clicks.map(({ countsSoon }) => Number(countsSoon)))}::smallint[],
        ${numberArray(clicks.map(({ index }) => index))}::integer[]
) as given (account_id, message_id, position, at, soon_before, counts_soon, index)`,
        clicks.length
      )} as given
      where ${isGiven(sql, ofAccounts, clicks)}
        and clicked_at is null
        and (
          counts_soon = 1
          -- Before it is known to have left is soon too: who has the link then got it from the carrier, on the way.
          or sent_at <= soon_before
            and (delivered_at is null or given.at < delivered_at or soon_before > delivered_at)
        )
      returning index, phone
    `
  )
}

/** The indexes of the clicks whose recipients have not clicked yet. */
export async function listUnclicked(sql: Sql, clicks: readonly RecipientClick[]): Promise<number[]> {
  const rows = await byShard(
    sql,
    clicks.map((click, index) => ({ ...click, index })),
    (clicks, ofAccounts) => sql<{ index: number }[]>`
      select index
      from ${fewRows(
        sql,
        sql`unnest(
        ${numberArray(clicks.map(({ accountId }) => accountId))}::bigint[],
        ${numberArray(clicks.map(({ messageId }) => messageId))}::bigint[],
        ${numberArray(clicks.map(({ position }) => position))}::integer[],
        ${numberArray(clicks.map(({ index }) => index))}::integer[]
) as given (account_id, message_id, position, index)`,
        clicks.length
      )} as given
      join recipients on ${isGiven(sql, ofAccounts, clicks)}
      where clicked_at is null
    `
  )
  return rows.map(({ index }) => index)
}
