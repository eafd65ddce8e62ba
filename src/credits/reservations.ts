import { strict as assert } from 'node:assert'
import type { Database, Sql } from '../database/database.ts'
import { type BalanceKey, keyOf, uniqueKeys } from './balance.ts'
import { listPayers, lockBalances } from './balances.store.ts'
import { MESSAGE_TYPES } from './credit.ts'
import type { CreditsByCountry, CreditUse } from './credit-use.ts'
import { findRefund } from './entries.store.ts'
import { assertAmount, type EntryDraft, type Movement, post, postAtEnd } from './ledger.ts'
import {
  deleteReservations,
  insertReservations,
  listReservationPayers,
  lockReservation,
  type ReservationKey,
  updateRefunded,
  updateReservations
} from './reservations.store.ts'

/*
 * The credits of a message are reserved when it is accepted, refunded in parts, and settled once. Those of a message that
 * leaves at once are spent when it is accepted (purse.ts). Each of these happens once per reference, however often it is asked
 * for.
 */

export interface Reserve extends ReservationKey {
  amount: number
  /** What it is for; statements count credits without it for no country and no sender. */
  use?: CreditUse | undefined
}

/**
 * Reserves credits for messages, in the order given. A request with too few credits is refused and does not touch the others.
 * A repeat for a reference that has a reservation reserves nothing more.
 */
export async function reserveCredits(
  sql: Sql,
  requests: readonly Reserve[]
): Promise<(Movement & { payerId: number })[]> {
  for (const { amount } of requests) assertAmount(amount)
  const payers = new Map((await listPayers(sql, unique(requests.map(({ accountId }) => accountId)))).map(toPair))
  const payerOf = ({ accountId, messageType }: BalanceKey): BalanceKey => {
    const payerId = payers.get(accountId)
    assert(payerId !== undefined, `account ${accountId} does not exist`)
    return { accountId: payerId, messageType }
  }
  const balances = await lockBalances(sql, uniqueKeys(requests.map(payerOf)))
  // Inserted under the locks: an earlier transaction with the same reference has committed by now, and its row is there.
  const made = await insertReservations(
    sql,
    requests.map((request) => ({ ...request, payerId: payerOf(request).accountId, use: request.use }))
  )
  const isNew = new Set(made.map(nameOf))

  const remaining = new Map(balances.map((balance) => [keyOf(balance), balance.available]))
  const granted: Reserve[] = []
  const short: Reserve[] = []
  const movements = requests.map((request): Movement & { payerId: number } => {
    const { accountId: payerId, messageType } = payerOf(request)
    const key = keyOf({ accountId: payerId, messageType })
    const available = remaining.get(key) ?? 0
    if (!isNew.has(nameOf(request))) return { kind: 'done', remaining: available, payerId }
    if (available < request.amount) {
      short.push(request)
      return { kind: 'insufficient', required: request.amount, remaining: available, payerId }
    }
    isNew.delete(nameOf(request))
    granted.push(request)
    remaining.set(key, available - request.amount)
    return { kind: 'done', remaining: available - request.amount, payerId }
  })
  if (short.length > 0) await deleteReservations(sql, short)
  if (granted.length === 0) return movements

  await post(
    sql,
    granted.map((request) => toReserveDraft(request, payerOf(request).accountId))
  )
  return movements
}

/** Reserves and settles at once, once per reference: for a charge that nothing settles later. */
export async function spendCredits(database: Database, requests: readonly Reserve[]): Promise<Movement[]> {
  if (requests.length === 0) return []
  const movements = await reserveCredits(database, requests)
  const granted = uniqueReservations(requests.filter((_, index) => movements[index]?.kind === 'done'))
  await closeReservations(
    database,
    granted.map((key) => ({ ...key, isLast: true }))
  )
  return movements
}

/**
 * Locks all balances that a change of a message from one type to another may touch: the present payers of the accounts, of every
 * type, and the payers of the reservations. Taken before several movements in a row, which could deadlock otherwise.
 */
export async function lockBalancesOf(sql: Sql, reservations: readonly ReservationKey[]): Promise<void> {
  if (reservations.length === 0) return
  await lockBalances(sql, await listBalancesOf(sql, reservations))
}

/** The balances that `lockBalancesOf` locks, for a caller that locks them together with other rows. */
export async function listBalancesOf(sql: Sql, reservations: readonly ReservationKey[]): Promise<BalanceKey[]> {
  const distinct = uniqueReservations(reservations)
  const [payers, before] = await Promise.all([
    listPayers(sql, unique(distinct.map(({ accountId }) => accountId))),
    listReservationPayers(sql, distinct)
  ])
  const accountIds = unique([...payers, ...before].map(({ payerId }) => payerId))
  const types = Object.values(MESSAGE_TYPES)
  return accountIds.flatMap((accountId) => types.map((messageType) => ({ accountId, messageType })))
}

/** Whether the account that pays now has paid for a reservation: then a refund of it can be spent again. */
export async function isPaidByPayer(sql: Sql, key: ReservationKey): Promise<boolean> {
  const [[before], [now]] = await Promise.all([listReservationPayers(sql, [key]), listPayers(sql, [key.accountId])])
  return before !== undefined && before.payerId === now?.payerId
}

/** A part of a reservation that comes back. */
export interface RefundedPart {
  /** Its name within the reservation. */
  part: string
  amount: number
  /** The countries that the refunded credits were for; kept if the reservation is for several countries. */
  countries?: CreditsByCountry | undefined
}

/** Refunds part of a reservation to its payer. `part` names it within the reservation; each part is refunded once. */
export async function refundCredits(
  database: Database,
  { part, amount, countries, ...key }: ReservationKey & RefundedPart
): Promise<void> {
  assertAmount(amount)
  const reservation = await lockReservation(database, key)
  assert(reservation, `${key.reference} has no reservation`)
  const { payerId } = reservation
  const before = await findRefund(database, { ...key, payerId, part })
  assert(
    before === undefined || before === amount,
    `${key.reference}: ${part} was refunded with ${before}, not ${amount}`
  )
  if (before !== undefined) return
  const isRefundable = await updateRefunded(database, key, amount)
  assert(isRefundable, `${key.reference}: ${amount} credits are more than is left of the reservation`)
  const { reference, accountId: spenderId, messageType } = key
  const taken = reservation.isSettled ? { spent: -amount } : { reserved: -amount }
  const refund = { reason: 'refund', reference, part, available: amount, ...taken, spenderId } as const
  const shares = reservation.hasManyCountries ? (countries ?? null) : null
  await postAtEnd(database, [{ accountId: payerId, messageType, ...refund, countries: shares }])
}

/** Counts the rest of a reservation as spent and closes it. A second call does nothing. */
export async function settleCredits(database: Database, key: ReservationKey): Promise<void> {
  await lockReservation(database, key)
  await closeReservations(database, [{ ...key, isLast: true }])
}

export interface Closing extends ReservationKey {
  /** Goes back to the payer, also when the reservation was settled before; `part` must be new to the reservation. */
  refund?: RefundedPart
  /** The rest is then spent. */
  isLast: boolean
}

/** Refunds and settles many messages at once, each of them once. The caller holds a lock on each message. */
export async function closeReservations(database: Database, closings: readonly Closing[]): Promise<void> {
  if (closings.length === 0) return
  const closed = new Map(
    (
      await updateReservations(
        database,
        closings.map((closing) => ({ ...closing, refunded: closing.refund?.amount ?? 0 }))
      )
    ).map((row) => [nameOf(row), row])
  )
  await postAtEnd(
    database,
    closings.flatMap((closing): EntryDraft[] => {
      const reservation = closed.get(nameOf(closing))
      assert(reservation, `${closing.reference} has no reservation`)
      const { payerId, wasSettled, left, hasManyCountries } = reservation
      const { messageType, reference, accountId: spenderId } = closing
      const draft = { accountId: payerId, messageType, reference, spenderId }
      const drafts: EntryDraft[] = []
      if (closing.refund) {
        const { part, amount } = closing.refund
        const countries = hasManyCountries ? (closing.refund.countries ?? null) : null
        assertAmount(amount)
        const taken = wasSettled ? { spent: -amount } : { reserved: -amount }
        drafts.push({ ...draft, reason: 'refund', part, available: amount, ...taken, countries })
      }
      if (closing.isLast && !wasSettled && left > 0) {
        drafts.push({ ...draft, reason: 'settle', available: 0, reserved: -left, spent: left })
      }
      return drafts
    })
  )
}

export function toReserveDraft(
  { accountId, messageType, reference, amount }: Reserve,
  payerId: number,
  isSpent = false
): EntryDraft {
  const taken = isSpent
    ? ({ reason: 'spend', spent: amount } as const)
    : ({ reason: 'reserve', reserved: amount } as const)
  return { accountId: payerId, messageType, reference, available: -amount, spenderId: accountId, ...taken }
}

function nameOf(key: ReservationKey): string {
  return `${keyOf(key)} ${key.reference}`
}

function toPair({ accountId, payerId }: { accountId: number; payerId: number }): [number, number] {
  return [accountId, payerId]
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

function uniqueReservations<Key extends ReservationKey>(keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((key) => [nameOf(key), key])).values()]
}
