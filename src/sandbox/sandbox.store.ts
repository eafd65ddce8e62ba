import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'

/** Which messages of an account a carrier knows by these ids. */
export async function listMessagesByCarrierId(
  sql: Sql,
  { accountId, carrier, ids }: { accountId: number; carrier: string; ids: readonly string[] }
): Promise<Map<string, number>> {
  const rows = await sql<{ carrierMessageId: string; messageId: number }[]>`
    select carrier_message_id, message_id
    from submissions
    where carrier = ${carrier}
      and carrier_message_id = any(${ids as string[]}::text[])
      and account_id = ${accountId}
    order by submitted_at
  `
  return new Map(rows.map(({ carrierMessageId, messageId }) => [carrierMessageId, messageId]))
}

/** Which of these messages are the account's. */
export async function listOwnMessages(
  sql: Sql,
  { accountId, ids }: { accountId: number; ids: readonly number[] }
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: number }[]>`
    select id
    from messages
    where account_id = ${accountId}
      and id = any(${numberArray(ids)}::bigint[])
  `
  return new Set(rows.map(({ id }) => id))
}
