import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Part } from '../database/sql.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { MessageTypeId } from './credit.ts'
import { eurosOf, unitPriceOf } from './credit-money.store.ts'

export interface BalanceKey {
  accountId: number
  messageType: MessageTypeId
}

export interface Balance extends BalanceKey {
  available: number
}

/** Locks balances until the transaction ends, in the one order of all transactions. A missing balance is made. */
export async function lockBalances(sql: Sql, keys: readonly BalanceKey[]): Promise<Balance[]> {
  const accountIds = keys.map(({ accountId }) => accountId)
  const messageTypes = keys.map(({ messageType }) => messageType)
  const locked = await lockExistingBalances(sql, keys)
  const isComplete = keys.every((key) => locked.some((balance) => isSame(balance, key)))
  if (isComplete) return locked

  await sql`
    insert into credit_balances (account_id, message_type)
    select account_id, message_type
    from unnest(${accountIds}::bigint[], ${messageTypes}::smallint[]) as wanted (account_id, message_type)
    order by account_id, message_type
    on conflict do nothing
  `
  return lockExistingBalances(sql, keys)
}

/** The same, without making those that are missing. */
export async function lockExistingBalances(sql: Sql, keys: readonly BalanceKey[]): Promise<Balance[]> {
  const accountIds = keys.map(({ accountId }) => accountId)
  const messageTypes = keys.map(({ messageType }) => messageType)
  const [messageType] = messageTypes
  if (messageType !== undefined && messageTypes.every((type) => type === messageType)) {
    // One walk along the index, in the order of all transactions.
    return sql<Balance[]>`
      select account_id, message_type, available
      from credit_balances
      where account_id = any(${accountIds})
        and message_type = ${messageType}
      order by account_id
      for no key update
    `
  }
  return sql<Balance[]>`
    select account_id, message_type, available
    from credit_balances
    where (account_id, message_type) in (
      select account_id, message_type
      from unnest(${accountIds}::bigint[], ${messageTypes}::smallint[]) as wanted (account_id, message_type)
    )
    order by account_id, message_type
    for no key update
  `
}

function isSame(a: BalanceKey, b: BalanceKey): boolean {
  return a.accountId === b.accountId && a.messageType === b.messageType
}

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

/** Credits by the country of their recipients, as its ISO code. */
export type CreditsByCountry = Readonly<Record<string, number>>

/** What the credits of a message are for. Statements tell it. */
export interface CreditUse {
  sender: string
  countries: CreditsByCountry
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
      ) as change (account_id, message_type, available, reserved, spent, entry_count)
      where balance.account_id = change.account_id
        and balance.message_type = change.message_type
      returning balance.account_id, balance.message_type, balance.available - change.available as available_before,
        balance.entry_count - change.entry_count as count_before
    ),
    inserted as (
      ${isOfMessages ? insertOfMessages(sql, placed) : insertAny(sql, placed)}
    )
    select account_id, message_type, available_before
    from moved
  `
}

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
 * The same for such entries, with fewer values for the database to read. `lockFirst` are statements that lock other rows
 * before the balance, one after the other.
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

/** The sum of the entries of one balance. */
interface BalanceChange extends BalanceKey {
  available: number
  reserved: number
  spent: number
  count: number
}

/** An entry, its place among the new entries of its balance, and their available credits up to it. */
type PlacedEntry = NewEntry & { place: number; availableSum: number }

function addToChange(
  changes: Map<string, BalanceChange>,
  entry: NewEntry
): Pick<PlacedEntry, 'place' | 'availableSum'> {
  const { accountId, messageType, available, reserved, spent } = entry
  const name = `${accountId} ${messageType}`
  let change = changes.get(name)
  if (!change) {
    change = { accountId, messageType, available: 0, reserved: 0, spent: 0, count: 0 }
    changes.set(name, change)
  }
  change.available += available
  change.reserved += reserved
  change.spent += spent
  change.count++
  return { place: change.count, availableSum: change.available }
}

/** Entries that reserve, spend or settle. They name no part, no other account and no place outside. */
function insertOfMessages(sql: Sql, entries: readonly PlacedEntry[]) {
  return sql`
    insert into credit_entries (
      account_id, message_type, position, reason, reference, available, reserved, spent, available_after, spender_id
    )
    select account_id, message_type, count_before + place, reason, reference, available, reserved, spent,
      available_before + available_sum, spender_id
    from unnest(${entryColumns(sql, entries)}) as given (
      account_id, message_type, place, available_sum, reason, reference, available, reserved, spent, spender_id
    )
    left join moved using (account_id, message_type)
  `
}

function insertAny(sql: Sql, entries: readonly PlacedEntry[]) {
  return sql`
    insert into credit_entries (
      account_id, message_type, position, reason, reference, available, reserved, spent, available_after, spender_id, part,
      elsewhere, transfer_id, counterparty_id, note, made_by, countries
    )
    select account_id, message_type, count_before + place, reason, reference, available, reserved, spent,
      available_before + available_sum, spender_id, part, elsewhere, transfer_id, counterparty_id, note, made_by,
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
      account_id, message_type, place, available_sum, reason, reference, available, reserved, spent, spender_id, part,
      elsewhere, transfer_id, counterparty_id, note, made_by, countries
    )
    left join moved using (account_id, message_type)
  `
}

function toJson(countries: CreditsByCountry | null | undefined): string | null {
  return countries ? JSON.stringify(countries) : null
}

function entryColumns(sql: Sql, entries: readonly PlacedEntry[]) {
  const numbers = (name: 'accountId' | 'messageType' | 'place' | 'availableSum' | 'available' | 'reserved' | 'spent') =>
    numberArray(entries.map((entry) => entry[name]))
  return sql`
    ${numbers('accountId')}::bigint[], ${numbers('messageType')}::smallint[], ${numbers('place')}::integer[],
    ${numbers('availableSum')}::bigint[], ${entries.map((entry) => entry.reason)}::text[],
    ${entries.map((entry) => entry.reference)}::text[], ${numbers('available')}::bigint[],
    ${numbers('reserved')}::bigint[], ${numbers('spent')}::bigint[],
    ${entries.map((entry) => entry.spenderId)}::bigint[]
  `
}

/** The payer of each account now: itself, or its parent. */
export async function listPayers(
  sql: Sql,
  accountIds: readonly number[]
): Promise<{ accountId: number; payerId: number }[]> {
  return sql`
    select id as account_id, case credits_mode when 'parent' then parent_id else id end as payer_id
    from accounts
    where id = any(${accountIds as number[]})
  `
}

/** The balance that pays for an account, and its owner. */
export interface PayerBalance extends Balance {
  spenderId: number
}

/**
 * The balances that pay for these accounts. If wanted, they are locked until the transaction ends, in the one order of
 * all transactions. A balance that was never used does not exist yet, and is left out.
 */
export async function listPayerBalances(
  sql: Sql,
  {
    spenderIds,
    messageType,
    isLocked
  }: { spenderIds: readonly number[]; messageType: MessageTypeId; isLocked: boolean }
): Promise<PayerBalance[]> {
  if (isLocked) return lockPayerBalances(sql, spenderIds, messageType)
  // Each balance by its key, whatever the planner knows: a young table looks as if all of it could be read as well.
  return sql<PayerBalance[]>`
    select accounts.id as spender_id, balance.account_id, message_type, available
    from accounts
    cross join lateral (
      select account_id, message_type, available
      from credit_balances
      where account_id = case credits_mode when 'parent' then parent_id else accounts.id end
        and message_type = ${messageType}
      offset 0
    ) as balance
    where accounts.id = any(${spenderIds as number[]})
  `
}

async function lockPayerBalances(
  sql: Sql,
  spenderIds: readonly number[],
  messageType: MessageTypeId
): Promise<PayerBalance[]> {
  return sql<PayerBalance[]>`
    select accounts.id as spender_id, credit_balances.account_id, message_type, available
    from accounts
    join credit_balances
      on credit_balances.account_id = case credits_mode when 'parent' then parent_id else accounts.id end
      and message_type = ${messageType}
    where accounts.id = any(${spenderIds as number[]})
    order by credit_balances.account_id
    for no key update of credit_balances
  `
}

/** A balance as it is expected at the end of a transaction. */
export interface Forecast {
  payerId: number
  available: number
}

/**
 * A query for a part of another statement: by how much each balance is above its forecast. Null for a balance that does
 * not exist.
 */
export function forecastDifferences(sql: Sql, forecasts: readonly Forecast[], messageType: MessageTypeId): Part {
  return sql`
    select position, credit_balances.available - forecast as difference
    from unnest(
      ${numberArray(forecasts.map(({ payerId }) => payerId))}::bigint[],
      ${numberArray(forecasts.map(({ available }) => available))}::bigint[]
    ) with ordinality as given (payer_id, forecast, position)
    left join credit_balances on account_id = payer_id and message_type = ${messageType}
  `
}

export interface ReservationKey extends BalanceKey {
  reference: string
}

export interface Reservation extends ReservationKey {
  payerId: number
  amount: number
  refunded: number
  isSettled: boolean
  hasManyCountries: boolean
}

/** Locks a reservation until the transaction ends. */
export async function lockReservation(sql: Sql, key: ReservationKey): Promise<Reservation | undefined> {
  const [row] = await sql<Reservation[]>`
    select account_id, message_type, reference, payer_id, amount, refunded, settled_at is not null as is_settled,
      countries is not null as has_many_countries
    from credit_reservations
    where account_id = ${key.accountId}
      and message_type = ${key.messageType}
      and reference = ${key.reference}
    for no key update
  `
  return row
}

interface NewReservation extends ReservationKey {
  payerId: number
  amount: number
  isSpent: boolean
  use: CreditUse | undefined
}

/** Nearly all messages are for one country. */
function onlyCountry(use: CreditUse | undefined): string | null {
  if (!use) return null
  let only: string | null = null
  for (const country in use.countries) {
    if (only !== null) return null
    only = country
  }
  return only
}

/** The credits of each country, if there are several. */
function manyCountries(use: CreditUse | undefined): string | null {
  return use && onlyCountry(use) === null ? toJson(use.countries) : null
}

const toSender = ({ use }: { use: CreditUse | undefined }) => use?.sender ?? null
const toOnlyCountry = ({ use }: { use: CreditUse | undefined }) => onlyCountry(use)
const toManyCountries = ({ use }: { use: CreditUse | undefined }) => manyCountries(use)

function isLike(a: NewReservation, b: NewReservation): boolean {
  return (
    a.accountId === b.accountId && a.messageType === b.messageType && a.payerId === b.payerId && a.isSpent === b.isSpent
  )
}

/** Stores reservations of new messages, some of which are spent at once. */
export async function insertNewReservations(sql: Sql, reservations: readonly NewReservation[]): Promise<void> {
  const [first] = reservations
  if (first && reservations.every((reservation) => isLike(reservation, first))) {
    const { accountId, messageType, payerId, isSpent } = first
    await sql`
      insert into credit_reservations (
        account_id, message_type, payer_id, settled_at, reference, amount, sender, country, countries
      )
      select ${accountId}::bigint, ${messageType}::smallint, ${payerId}::bigint, ${isSpent ? sql`now()` : sql`null`},
        reference, amount, sender, country, countries::jsonb
      from unnest(
        ${reservations.map(({ reference }) => reference)}::text[],
        ${numberArray(reservations.map(({ amount }) => amount))}::bigint[],
        ${reservations.map(toSender)}::text[],
        ${reservations.map(toOnlyCountry)}::text[],
        ${reservations.map(toManyCountries)}::text[]
      ) as given (reference, amount, sender, country, countries)
    `
    return
  }
  await sql`
    insert into credit_reservations (
      account_id, message_type, reference, payer_id, amount, settled_at, sender, country, countries
    )
    select account_id, message_type, reference, payer_id, amount, case when is_spent then now() end, sender, country,
      countries::jsonb
    from unnest(
      ${numberArray(reservations.map((reservation) => reservation.accountId))}::bigint[],
      ${numberArray(reservations.map((reservation) => reservation.messageType))}::smallint[],
      ${reservations.map((reservation) => reservation.reference)}::text[],
      ${numberArray(reservations.map((reservation) => reservation.payerId))}::bigint[],
      ${numberArray(reservations.map((reservation) => reservation.amount))}::bigint[],
      ${reservations.map((reservation) => reservation.isSpent)}::boolean[],
      ${reservations.map(toSender)}::text[],
      ${reservations.map(toOnlyCountry)}::text[],
      ${reservations.map(toManyCountries)}::text[]
    ) as given (account_id, message_type, reference, payer_id, amount, is_spent, sender, country, countries)
  `
}

/** Makes the missing reservations, and returns those that it made. */
export async function insertReservations(
  sql: Sql,
  reservations: readonly (ReservationKey & { payerId: number; amount: number; use: CreditUse | undefined })[]
): Promise<ReservationKey[]> {
  return sql<ReservationKey[]>`
    insert into credit_reservations (
      account_id, message_type, reference, payer_id, amount, sender, country, countries
    )
    select account_id, message_type, reference, payer_id, amount, sender, country, countries::jsonb
    from unnest(
      ${reservations.map((reservation) => reservation.accountId)}::bigint[],
      ${reservations.map((reservation) => reservation.messageType)}::smallint[],
      ${reservations.map((reservation) => reservation.reference)}::text[],
      ${reservations.map((reservation) => reservation.payerId)}::bigint[],
      ${reservations.map((reservation) => reservation.amount)}::bigint[],
      ${reservations.map(toSender)}::text[],
      ${reservations.map(toOnlyCountry)}::text[],
      ${reservations.map(toManyCountries)}::text[]
    ) as given (account_id, message_type, reference, payer_id, amount, sender, country, countries)
    on conflict do nothing
    returning account_id, message_type, reference
  `
}

/** Takes back reservations that this transaction made. */
export async function deleteReservations(sql: Sql, keys: readonly ReservationKey[]): Promise<void> {
  await sql`
    delete from credit_reservations
    using ${unnestKeys(sql, keys)}
    where credit_reservations.account_id = given.account_id
      and credit_reservations.message_type = given.message_type
      and credit_reservations.reference = given.reference
  `
}

/** Adds a refund; does nothing when that would be more than was reserved. */
export async function updateRefunded(sql: Sql, key: ReservationKey, amount: number): Promise<boolean> {
  const { count } = await sql`
    update credit_reservations
    set refunded = refunded + ${amount}
    where account_id = ${key.accountId}
      and message_type = ${key.messageType}
      and reference = ${key.reference}
      and refunded + ${amount} <= amount
  `
  return count === 1
}

/** The payers of these reservations. */
export async function listReservationPayers(
  sql: Sql,
  keys: readonly ReservationKey[]
): Promise<(ReservationKey & { payerId: number })[]> {
  return sql`
    select account_id, message_type, reference, payer_id
    from credit_reservations
    join ${unnestKeys(sql, keys)} using (account_id, message_type, reference)
  `
}

/** The sender of each of these reservations, where it is known. */
export async function listReservationSenders(
  sql: Sql,
  keys: readonly ReservationKey[]
): Promise<(ReservationKey & { sender: string | null })[]> {
  return sql`
    select account_id, message_type, reference, sender
    from credit_reservations
    join ${unnestKeys(sql, keys)} using (account_id, message_type, reference)
  `
}

/**
 * Adds refunds, and settles reservations that are over. Returns the payer and the rest of each, and whether it was
 * settled before. The caller holds a lock on each message, or on its reservation.
 */
export async function updateReservations(
  sql: Sql,
  changes: readonly (ReservationKey & { refunded: number; isLast: boolean })[]
): Promise<(ReservationKey & { payerId: number; wasSettled: boolean; left: number; hasManyCountries: boolean })[]> {
  return sql`
    with before as (
      select account_id, message_type, reference, settled_at is not null as was_settled, given.refunded, is_last
      from credit_reservations
      join unnest(
        ${changes.map((change) => change.accountId)}::bigint[],
        ${changes.map((change) => change.messageType)}::smallint[],
        ${changes.map((change) => change.reference)}::text[],
        ${changes.map((change) => change.refunded)}::bigint[],
        ${changes.map((change) => Number(change.isLast))}::smallint[]
      ) as given (account_id, message_type, reference, refunded, is_last) using (account_id, message_type, reference)
    )
    update credit_reservations
    set refunded = credit_reservations.refunded + before.refunded,
        settled_at = case when is_last = 1 then coalesce(settled_at, now()) else settled_at end
    from before
    where credit_reservations.account_id = before.account_id
      and credit_reservations.message_type = before.message_type
      and credit_reservations.reference = before.reference
    returning before.account_id, before.message_type, before.reference, payer_id, was_settled,
      amount - credit_reservations.refunded as left, credit_reservations.countries is not null as has_many_countries
  `
}

function unnestKeys(sql: Sql, keys: readonly ReservationKey[]) {
  return sql`
    unnest(
      ${keys.map((key) => key.accountId)}::bigint[],
      ${keys.map((key) => key.messageType)}::smallint[],
      ${keys.map((key) => key.reference)}::text[]
    ) as given (account_id, message_type, reference)
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

export interface CreditsRow {
  accountId: number
  messageType: MessageTypeId
  label: string
  price: string
  /** Those that are set for the account; null without any. */
  unitPrice: string | null
  currency: string | null
  available: number
}

/** The credits that each account can spend, per message type: its parent's in the mode `parent`. */
export async function listSpendableCredits(sql: Sql, accountIds: readonly number[]): Promise<CreditsRow[]> {
  return sql<CreditsRow[]>`
    select accounts.id as account_id, message_types.id as message_type, label,
      ${eurosOf(sql, sql`accounts.id`)} as price, unit_price, currency, coalesce(available, 0) as available
    from accounts
    cross join message_types
    ${unitPriceOf(sql, sql`accounts.id`)}
    left join credit_balances
      on credit_balances.account_id = case credits_mode when 'parent' then parent_id else accounts.id end
      and credit_balances.message_type = message_types.id
    where accounts.id = any(${accountIds as number[]})
    order by message_types.id
  `
}

/** The credits that an account can spend on messages of a type now. */
export async function findSpendable(sql: Sql, { accountId, messageType }: BalanceKey): Promise<number> {
  const rows = await listSpendableCredits(sql, [accountId])
  return rows.find((row) => row.messageType === messageType)?.available ?? 0
}

/** An account's own credits, per message type, whatever its mode. */
export async function listOwnCredits(sql: Sql, accountId: number): Promise<CreditsRow[]> {
  return sql<CreditsRow[]>`
    select ${accountId}::bigint as account_id, id as message_type, label,
      ${eurosOf(sql, sql`${accountId}::bigint`)} as price, unit_price, currency, coalesce(available, 0) as available
    from message_types
    ${unitPriceOf(sql, sql`${accountId}::bigint`)}
    left join credit_balances
      on credit_balances.account_id = ${accountId}
      and credit_balances.message_type = message_types.id
    order by id
  `
}

export interface EntryRow {
  messageType: MessageTypeId
  position: number
  reason: Reason
  reference: string | null
  available: number
  reserved: number
  spent: number
  availableAfter: number
  counterpartyId: number | null
  spenderId: number | null
  note: string | null
  madeBy: string | null
  createdAt: Date
}

export interface EntryCount {
  messageType: MessageTypeId
  entryCount: number
}

/** The number of entries of each message type, or of the given one. */
export async function listEntryCounts(
  sql: Sql,
  { accountId, messageType }: { accountId: number; messageType: MessageTypeId | undefined }
): Promise<EntryCount[]> {
  return sql<EntryCount[]>`
    select message_type, entry_count
    from credit_balances
    where account_id = ${accountId}
      ${messageType === undefined ? sql`` : sql`and message_type = ${messageType}`}
  `
}

/**
 * The time of an entry is the beginning of its transaction. Among transactions that run at once, a later position may have an
 * earlier time.
 */
const OUT_OF_ORDER_MAX = 1_000

/**
 * Newest first. Positions have no gaps, so that a page of one message type is a range of positions. Entries of several types are
 * ordered by time, and a page reads the entries between it and the nearer end.
 */
export async function listEntriesOfPage(
  sql: Sql,
  { accountId, counts, window }: { accountId: number; counts: readonly EntryCount[]; window: PageWindow }
): Promise<EntryRow[]> {
  const { isFromEnd, offset, limit } = window
  const isMixed = counts.length > 1
  const [skipped, reach] = isMixed ? [0, offset + limit + OUT_OF_ORDER_MAX] : [offset, offset + limit]
  const direction = isFromEnd ? sql`asc` : sql`desc`
  const rows = await sql<EntryRow[]>`
    select message_type, position, reason, reference, available, reserved, spent, available_after, counterparty_id, spender_id,
      note, made_by, created_at
    from unnest(
      ${counts.map(({ messageType }) => messageType)}::smallint[],
      ${counts.map(({ entryCount }) => (isFromEnd ? skipped : entryCount - reach))}::bigint[],
      ${counts.map(({ entryCount }) => (isFromEnd ? reach : entryCount - skipped))}::bigint[]
    ) as given (type, after, until)
    join credit_entries on account_id = ${accountId}
      and message_type = type
      and position > after
      and position <= until
    order by ${isMixed ? sql`created_at ${direction}, message_type ${direction},` : sql``} position ${direction}
    offset ${offset - skipped}
    limit ${limit}
  `
  return newestFirst(rows, window)
}

/** The reserved credits of all accounts, by type. */
export async function listReserved(sql: Sql): Promise<{ messageType: number; reserved: number }[]> {
  return sql`
    select message_type, sum(reserved)::double precision as reserved
    from credit_balances
    group by message_type
  `
}
