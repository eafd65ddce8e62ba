import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Part } from '../database/sql.ts'
import type { BalanceKey } from './balance.ts'
import type { NewEntry } from './entries.store.ts'

/** Whether entries spend credits of one balance for one account, as single messages that arrive together do. */
export function areSpendsOfOne(entries: readonly NewEntry[]): boolean {
  const [first] = entries
  if (!first) return false
  return entries.every(
    ({ accountId, messageType, spenderId, reason }) =>
      reason === 'spend' &&
      accountId === first.accountId &&
      messageType === first.messageType &&
      spenderId === first.spenderId
  )
}

/**
 * Does for such entries what `insertEntries` does, with fewer values for the database to read. `lockFirst` are statements
 * that lock other rows before the balance, one after the other.
 */
export async function insertSpends(
  sql: Sql,
  entries: readonly NewEntry[],
  lockFirst: readonly Part[] = []
): Promise<(BalanceKey & { availableBefore: number })[]> {
  const { accountId, messageType, spenderId } = entries[0] as NewEntry
  let total = 0
  const sums = entries.map(({ spent }) => {
    total += spent
    return total
  })
  // The database runs such a statement when its rows are counted, and a `case` counts one after the other.
  let locking: Part = sql``
  let isLocked: Part = sql`true`
  for (const [place, statement] of [...lockFirst.entries()].reverse()) {
    const name = sql(`locked_${place}`)
    locking = sql`${name} as (${statement} returning 1), ${locking}`
    isLocked = sql`case when (select count(*) from ${name}) >= 0 then ${isLocked} end`
  }
  const rows = await sql<{ availableBefore: number }[]>`
    with ${locking}
    moved as (
      update credit_balances
      set available = available - ${total}::bigint,
          spent = spent + ${total}::bigint,
          entry_count = entry_count + ${entries.length}::integer
      where account_id = ${accountId}
        and message_type = ${messageType}
        and ${isLocked}
      returning available + ${total}::bigint as available_before, entry_count - ${entries.length}::integer as count_before
    ),
    inserted as (
      insert into credit_entries (
        account_id, message_type, position, reason, reference, available, reserved, spent, available_after, spender_id
      )
      select ${accountId}::bigint, ${messageType}::smallint, count_before + place, 'spend', reference, -amount, 0, amount,
        available_before - amount_sum, ${spenderId}::bigint
      from unnest(
        ${entries.map(({ reference }) => reference)}::text[],
        ${numberArray(entries.map(({ spent }) => spent))}::bigint[],
        ${numberArray(sums)}::bigint[]
      ) with ordinality as given (reference, amount, amount_sum, place)
      left join moved on true
    )
    select available_before
    from moved
  `
  return rows.map(({ availableBefore }) => ({ accountId, messageType, availableBefore }))
}
