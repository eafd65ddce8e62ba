import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { BalanceKey } from './balance.ts'
import { type CreditUse, manyCountries, onlyCountry } from './credit-use.ts'

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
    where ${isReservationOf(sql, sql`given`)}
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
    select given.account_id, given.message_type, given.reference, payer_id
    from credit_reservations
    join ${unnestKeys(sql, keys)} on ${isReservationOf(sql, sql`given`)}
  `
}

/** The sender of each of these reservations, where it is known. */
export async function listReservationSenders(
  sql: Sql,
  keys: readonly ReservationKey[]
): Promise<(ReservationKey & { sender: string | null })[]> {
  return sql`
    select given.account_id, given.message_type, given.reference, sender
    from credit_reservations
    join ${unnestKeys(sql, keys)} on ${isReservationOf(sql, sql`given`)}
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
      select given.account_id, given.message_type, given.reference, settled_at is not null as was_settled,
        given.refunded, is_last
      from credit_reservations
      join unnest(
        ${changes.map((change) => change.accountId)}::bigint[],
        ${changes.map((change) => change.messageType)}::smallint[],
        ${changes.map((change) => change.reference)}::text[],
        ${changes.map((change) => change.refunded)}::bigint[],
        ${changes.map((change) => Number(change.isLast))}::smallint[]
      ) as given (account_id, message_type, reference, refunded, is_last) on ${isReservationOf(sql, sql`given`)}
    )
    update credit_reservations
    set refunded = credit_reservations.refunded + before.refunded,
        settled_at = case when is_last = 1 then coalesce(settled_at, now()) else settled_at end
    from before
    where ${isReservationOf(sql, sql`before`)}
    returning before.account_id, before.message_type, before.reference, payer_id, was_settled,
      amount - credit_reservations.refunded as left, credit_reservations.countries is not null as has_many_countries
  `
}

const toSender = ({ use }: { use: CreditUse | undefined }) => use?.sender ?? null
const toOnlyCountry = ({ use }: { use: CreditUse | undefined }) => onlyCountry(use)
const toManyCountries = ({ use }: { use: CreditUse | undefined }) => manyCountries(use)

function isLike(a: NewReservation, b: NewReservation): boolean {
  return (
    a.accountId === b.accountId && a.messageType === b.messageType && a.payerId === b.payerId && a.isSpent === b.isSpent
  )
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

/** Whether a reservation is the one whose key a row of `table` has: looked up by it, see docs/design/database.md. */
function isReservationOf(sql: Sql, table: ReturnType<Sql>) {
  return sql`
    credit_reservations.account_id = any(array[${table}.account_id])
    and credit_reservations.message_type = ${table}.message_type
    and credit_reservations.reference = ${table}.reference
  `
}
