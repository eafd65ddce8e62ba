import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { BalanceKey } from './balance.ts'
import type { CreditsByCountry } from './credit-use.ts'
import type { ReservationKey } from './reservations.store.ts'

export type Reason = 'opening' | 'issue' | 'withdrawal' | 'transfer' | 'reserve' | 'spend' | 'refund' | 'settle'

/** One change of one balance: credits that leave one place arrive in another. */
export interface NewEntry extends BalanceKey {
  reason: Reason
  reference: string | null
  part: string | null
  available: number
  reserved: number
  spent: number
  elsewhere: number
  transferId: string | null
  counterpartyId: number | null
  spenderId: number | null
  /** What was written about a movement of credits, and the name of the person or key that made it. */
  note?: string | null
  madeBy?: string | null
  /** Of a refund of a reservation for several countries: the credits of each. */
  countries?: CreditsByCountry | null
}

/**
 * Writes entries in their order and moves the balances by as much, in one statement. The balances are locked from here
 * to the commit; the caller has locked them in their order if there are several. Returns the credits that each balance
 * had before. A missing balance is an error: an entry must say what is left after it.
 *
 * Every send of an account waits for this statement. So each entry comes with its place among those of its balance, and
 * with the sum of the credits up to it: the database neither sorts nor groups.
 */
export async function insertEntries(
  sql: Sql,
  entries: readonly NewEntry[]
): Promise<(BalanceKey & { availableBefore: number })[]> {
  const changes = new Map<string, BalanceChange>()
  const placed = entries.map((entry) => ({ ...entry, ...addToChange(changes, entry) }))
  const balances = [...changes.values()]
  const numbers = (name: 'accountId' | 'messageType' | 'available' | 'reserved' | 'spent' | 'count') =>
    numberArray(balances.map((balance) => balance[name]))
  const isOfMessages = entries.every(({ part, transferId, elsewhere }) => {
    return part === null && transferId === null && elsewhere === 0
  })
  // Each entry finds its balance by a number: a join would compare each of them with every balance. Should a balance be
  // missing, no number counts, and no entry can be written.
  return sql`
    with moved as (
      update credit_balances as balance
      set available = balance.available + change.available,
          reserved = balance.reserved + change.reserved,
          spent = balance.spent + change.spent,
          entry_count = balance.entry_count + change.entry_count
      from unnest(
        ${numbers('accountId')}::bigint[], ${numbers('messageType')}::smallint[], ${numbers('available')}::bigint[],
        ${numbers('reserved')}::bigint[], ${numbers('spent')}::bigint[], ${numbers('count')}::bigint[]
      ) with ordinality as change (account_id, message_type, available, reserved, spent, entry_count, number)
      where balance.account_id = any(array[change.account_id])
        and balance.message_type = change.message_type
      returning number, balance.account_id, balance.message_type,
        balance.available - change.available as available_before, balance.entry_count - change.entry_count as count_before
    ),
    before as (
      select array_agg(available_before order by number) as available_of,
        array_agg(count_before order by number) as count_of
      from moved
      having count(*) = ${balances.length}
    ),
    inserted as (
      ${isOfMessages ? insertOfMessages(sql, placed) : insertAny(sql, placed)}
    )
    select account_id, message_type, available_before
    from moved
  `
}

/** The refund of this part of a reservation, if there was one. */
export async function findRefund(
  sql: Sql,
  { payerId, accountId, messageType, reference, part }: ReservationKey & { payerId: number; part: string }
): Promise<number | undefined> {
  const [row] = await sql<{ available: number }[]>`
    select available
    from credit_entries
    where account_id = ${payerId}
      and message_type = ${messageType}
      and spender_id = ${accountId}
      and reference = ${reference}
      and part = ${part}
      and reason = 'refund'
  `
  return row?.available
}

/** The sum of the entries of one balance. */
interface BalanceChange extends BalanceKey {
  /** Its place among the changed balances, from 1. */
  number: number
  available: number
  reserved: number
  spent: number
  count: number
}

/** An entry, its balance, its place among the new entries of that, and their available credits up to it. */
type PlacedEntry = NewEntry & { balance: number; place: number; availableSum: number }

function addToChange(
  changes: Map<string, BalanceChange>,
  entry: NewEntry
): Pick<PlacedEntry, 'balance' | 'place' | 'availableSum'> {
  const { accountId, messageType, available, reserved, spent } = entry
  const name = `${accountId} ${messageType}`
  let change = changes.get(name)
  if (!change) {
    change = { number: changes.size + 1, accountId, messageType, available: 0, reserved: 0, spent: 0, count: 0 }
    changes.set(name, change)
  }
  change.available += available
  change.reserved += reserved
  change.spent += spent
  change.count++
  return { balance: change.number, place: change.count, availableSum: change.available }
}

/** Entries that reserve, spend or settle. They name no part, no other account and no place outside. */
function insertOfMessages(sql: Sql, entries: readonly PlacedEntry[]) {
  return sql`
    insert into credit_entries (
      account_id, message_type, position, reason, reference, available, reserved, spent, available_after, spender_id
    )
    select account_id, message_type, count_of[balance] + place, reason, reference, available, reserved, spent,
      available_of[balance] + available_sum, spender_id
    from unnest(${entryColumns(sql, entries)}) as given (
      balance, account_id, message_type, place, available_sum, reason, reference, available, reserved, spent, spender_id
    )
    left join before on true
  `
}

function insertAny(sql: Sql, entries: readonly PlacedEntry[]) {
  return sql`
    insert into credit_entries (
      account_id, message_type, position, reason, reference, available, reserved, spent, available_after, spender_id, part,
      elsewhere, transfer_id, counterparty_id, note, made_by, countries
    )
    select account_id, message_type, count_of[balance] + place, reason, reference, available, reserved, spent,
      available_of[balance] + available_sum, spender_id, part, elsewhere, transfer_id, counterparty_id, note, made_by,
      countries::jsonb
    from unnest(
      ${entryColumns(sql, entries)},
      ${entries.map((entry) => entry.part)}::text[],
      ${numberArray(entries.map((entry) => entry.elsewhere))}::bigint[],
      ${entries.map((entry) => entry.transferId)}::uuid[],
      ${entries.map((entry) => entry.counterpartyId)}::bigint[],
      ${entries.map((entry) => entry.note ?? null)}::text[],
      ${entries.map((entry) => entry.madeBy ?? null)}::text[],
      ${entries.map((entry) => toJson(entry.countries))}::text[]
    ) as given (
      balance, account_id, message_type, place, available_sum, reason, reference, available, reserved, spent, spender_id, part,
      elsewhere, transfer_id, counterparty_id, note, made_by, countries
    )
    left join before on true
  `
}

function toJson(countries: CreditsByCountry | null | undefined): string | null {
  return countries ? JSON.stringify(countries) : null
}

function entryColumns(sql: Sql, entries: readonly PlacedEntry[]) {
  const numbers = (
    name: 'balance' | 'accountId' | 'messageType' | 'place' | 'availableSum' | 'available' | 'reserved' | 'spent'
  ) => numberArray(entries.map((entry) => entry[name]))
  return sql`
    ${numbers('balance')}::integer[], ${numbers('accountId')}::bigint[], ${numbers('messageType')}::smallint[],
    ${numbers('place')}::integer[], ${numbers('availableSum')}::bigint[], ${entries.map((entry) => entry.reason)}::text[],
    ${entries.map((entry) => entry.reference)}::text[], ${numbers('available')}::bigint[],
    ${numbers('reserved')}::bigint[], ${numbers('spent')}::bigint[],
    ${entries.map((entry) => entry.spenderId)}::bigint[]
  `
}
