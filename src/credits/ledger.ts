import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { Database, Sql } from '../database/database.ts'
import type { Query } from '../database/sql.ts'
import type { Balance, BalanceKey } from './balance.ts'
import { type Forecast, listPayerBalances, listPayers, lockBalances, lockExistingBalances } from './balances.store.ts'
import { MESSAGE_TYPES, type MessageTypeId } from './credit.ts'
import type { CreditsByCountry, CreditUse } from './credit-use.ts'
import { findRefund, insertEntries, type NewEntry } from './entries.store.ts'
import {
  deleteReservations,
  insertNewReservations,
  insertReservations,
  listReservationPayers,
  lockReservation,
  type ReservationKey,
  updateRefunded,
  updateReservations
} from './reservations.store.ts'
import { areSpendsOfOne, insertSpends } from './spends.store.ts'

/*
 * The ledger. Credits of an account are in one of three places: available, reserved for a message, or spent; or they are
 * elsewhere. An entry moves credits between these places and sums to zero, which the database checks. The credits of a message
 * are reserved when it is accepted, refunded in parts, and settled once. Those of a message that leaves at once are spent when
 * it is accepted. Each of these happens once per reference, however often it is asked for.
 *
 * Every function runs inside the caller's transaction. Movements on one balance happen one after the other, and every message
 * of an account moves the same balance. So a transaction touches balances last, in the same breath as its commit, wherever the
 * movement does not depend on what is left. Several balances are locked in one order, so that transactions cannot deadlock.
 */

/** Too few credits: a value, because the caller may be one of many that share a transaction. */
export interface Shortage {
  kind: 'insufficient'
  required: number
  remaining: number
}

export type Movement = { kind: 'done'; remaining: number } | Shortage

/** What is kept of a movement that a person or a key asked for. */
export interface MovementNote {
  note?: string | undefined
  /** The name of the person or key. */
  madeBy?: string | undefined
}

/** Brings credits in from outside the service. */
export async function issueCredits(
  sql: Sql,
  {
    accountId,
    messageType,
    amount,
    reason,
    ...noted
  }: BalanceKey & MovementNote & { amount: number; reason: 'opening' | 'issue' }
): Promise<void> {
  assertAmount(amount)
  await lockBalances(sql, [{ accountId, messageType }])
  await post(sql, [{ accountId, messageType, reason, available: amount, elsewhere: -amount, ...toNoted(noted) }])
}

/** Takes credits out of the service. */
export async function withdrawCredits(
  sql: Sql,
  { accountId, messageType, amount, ...noted }: BalanceKey & MovementNote & { amount: number }
): Promise<Movement> {
  assertAmount(amount)
  const balances = await lockBalances(sql, [{ accountId, messageType }])
  const { available } = balanceOf(balances, { accountId, messageType })
  if (available < amount) return { kind: 'insufficient', required: amount, remaining: available }
  const withdrawal = { accountId, messageType, reason: 'withdrawal', ...toNoted(noted) } as const
  await post(sql, [{ ...withdrawal, available: -amount, elsewhere: amount }])
  return { kind: 'done', remaining: available - amount }
}

/** Moves credits from one account to another. */
export async function transferCredits(
  sql: Sql,
  {
    fromId,
    toId,
    messageType,
    amount,
    ...noted
  }: MovementNote & { fromId: number; toId: number; messageType: MessageTypeId; amount: number }
): Promise<Movement> {
  assertAmount(amount)
  const balances = await lockBalances(sql, [
    { accountId: fromId, messageType },
    { accountId: toId, messageType }
  ])
  const { available } = balanceOf(balances, { accountId: fromId, messageType })
  if (available < amount) return { kind: 'insufficient', required: amount, remaining: available }
  const transfer = { messageType, reason: 'transfer', transferId: randomUUID(), ...toNoted(noted) } as const
  await post(sql, [
    { ...transfer, accountId: fromId, counterpartyId: toId, available: -amount, elsewhere: amount },
    { ...transfer, accountId: toId, counterpartyId: fromId, available: amount, elsewhere: -amount }
  ])
  return { kind: 'done', remaining: available - amount }
}

function toNoted({ note, madeBy }: MovementNote): Pick<NewEntry, 'note' | 'madeBy'> {
  return { note: note === undefined || note.trim() === '' ? null : note.trim(), madeBy: madeBy ?? null }
}

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

/** The balances that pay for some accounts, and the credits that are left in them. */
export interface Purse {
  /** The account that pays for another; undefined for one without a balance. */
  payerOf(accountId: number): number | undefined
  /** Reserves credits. The reference must be new: no other transaction can have used it. */
  reserve(request: Omit<Reserve, 'messageType'>): Movement
  /**
   * Writes the reservations, some of which are spent at once. Its statements leave at once, so that others can follow without
   * waiting for the answers. The result tells by how much more, or less, each account had left than was known to `reserve`.
   * `lockFirst` are statements that lock other rows of the accounts, in the one order of all transactions. They leave just
   * before the statements that lock balances, or as a part of them: until the commit, other sends of the accounts wait for these
   * rows as well.
   */
  write(
    sql: Sql,
    isSpent: (reference: string) => boolean,
    lockFirst?: readonly Query<unknown>[]
  ): Promise<(accountId: number) => number>
  /** The payer of an account, and what is left to it after all reservations, as far as `reserve` knows. */
  forecast(accountId: number): Forecast
}

/** The database refuses a reservation beyond the balance by this constraint. */
export const BALANCE_TOO_SMALL = 'credit_balances_available_not_negative'

/**
 * The quick way to reserve for new messages. One statement reads the balances, and can travel with others. The rest is
 * arithmetic until all reservations are written at once. A repeated reference is an error here: the database refuses it, and
 * the transaction fails.
 *
 * Unless the balances are locked, another transaction may spend them meanwhile. Then the database refuses to write
 * (`BALANCE_TOO_SMALL`), and the caller tries again with locks. A refusal for lack of credits is right in either case: it
 * goes by a balance that was there.
 */
export async function openPurse(
  sql: Sql,
  {
    spenderIds,
    messageType,
    isLocked
  }: { spenderIds: readonly number[]; messageType: MessageTypeId; isLocked: boolean }
): Promise<Purse> {
  const balances = await listPayerBalances(sql, { spenderIds: unique(spenderIds), messageType, isLocked })
  const payers = new Map(balances.map(({ spenderId, accountId }) => [spenderId, accountId]))
  const before = new Map(balances.map(({ accountId, available }) => [accountId, available]))
  // Sub-accounts that spend their parent's credits share one balance.
  const left = new Map(before)
  const granted: (Reserve & { payerId: number })[] = []

  return {
    payerOf: (accountId) => payers.get(accountId),
    reserve({ accountId, reference, amount, use }) {
      assertAmount(amount)
      const payerId = payers.get(accountId)
      const remaining = payerId === undefined ? 0 : (left.get(payerId) ?? 0)
      if (payerId === undefined || remaining < amount) return { kind: 'insufficient', required: amount, remaining }
      left.set(payerId, remaining - amount)
      granted.push({ accountId, messageType, reference, amount, payerId, use })
      return { kind: 'done', remaining: remaining - amount }
    },
    async write(sql, isSpent, lockFirst) {
      if (granted.length === 0) return () => 0
      const reservations = granted.map((request) => {
        return { ...request, use: request.use, isSpent: isSpent(request.reference) }
      })
      const drafts = reservations.map((request) => toReserveDraft(request, request.payerId, request.isSpent))
      const [, moved] = await Promise.all([insertNewReservations(sql, reservations), post(sql, drafts, lockFirst)])
      const found = new Map(moved.map(({ accountId, availableBefore }) => [accountId, availableBefore]))
      return (accountId) => {
        const payerId = payers.get(accountId) ?? 0
        return (found.get(payerId) ?? 0) - (before.get(payerId) ?? 0)
      }
    },
    forecast(accountId) {
      const payerId = payers.get(accountId)
      assert(payerId !== undefined)
      return { payerId, available: left.get(payerId) ?? 0 }
    }
  }
}

function toReserveDraft(
  { accountId, messageType, reference, amount }: Reserve,
  payerId: number,
  isSpent = false
): Draft {
  const taken = isSpent
    ? ({ reason: 'spend', spent: amount } as const)
    : ({ reason: 'reserve', reserved: amount } as const)
  return { accountId: payerId, messageType, reference, available: -amount, spenderId: accountId, ...taken }
}

/** A part of a reservation that comes back. */
export interface RefundedPart {
  /** Its name within the reservation. */
  part: string
  amount: number
  /** Whose credits they are; kept if the reservation is for several countries. */
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
    closings.flatMap((closing): Draft[] => {
      const reservation = closed.get(nameOf(closing))
      assert(reservation, `${closing.reference} has no reservation`)
      const { payerId, wasSettled, left, hasManyCountries } = reservation
      const { messageType, reference, accountId: spenderId } = closing
      const draft = { accountId: payerId, messageType, reference, spenderId }
      const drafts: Draft[] = []
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

/** The entries that a transaction writes at its end. */
const atEnd = new WeakMap<Database, Draft[]>()

/**
 * Posts at the end of the transaction: these movements never fail for lack of credits. All of a transaction are posted
 * together, so that it locks their balances in one order.
 */
async function postAtEnd(database: Database, drafts: readonly Draft[]): Promise<void> {
  if (drafts.length === 0) return
  assert(database.isTransaction)
  const before = atEnd.get(database)
  if (before) {
    before.push(...drafts)
    return
  }
  const all = [...drafts]
  atEnd.set(database, all)
  await database.atEnd((sql) => post(sql, all))
}

/**
 * Posts now what waits for the end of the transaction: a movement that follows depends on what is left. From here on the
 * transaction holds these balances.
 */
export async function postQueued(database: Database): Promise<void> {
  const queued = atEnd.get(database)
  if (queued) await post(database, queued.splice(0))
}

type Draft = BalanceKey & Pick<NewEntry, 'reason' | 'available'> & Partial<NewEntry>

/** Writes entries in their order and moves their balances. Returns the credits that each balance had before. */
async function post(
  sql: Sql,
  drafts: readonly Draft[],
  lockFirst: readonly Query<unknown>[] = []
): Promise<(BalanceKey & { availableBefore: number })[]> {
  if (drafts.length === 0) return []
  const entries = drafts.map((draft) => ({ ...EMPTY, ...draft }))
  if (areSpendsOfOne(entries)) return insertSpends(sql, entries, lockFirst)
  const keys = uniqueKeys(drafts)
  const [, , before] = await Promise.all([
    Promise.all(lockFirst.map((statement) => statement.execute())),
    keys.length > 1 ? lockExistingBalances(sql, keys) : undefined,
    insertEntries(sql, entries)
  ])
  return before
}

const EMPTY = {
  reference: null,
  part: null,
  reserved: 0,
  spent: 0,
  elsewhere: 0,
  transferId: null,
  counterpartyId: null,
  spenderId: null
}

function balanceOf(balances: readonly Balance[], key: BalanceKey): Balance {
  const balance = balances.find((candidate) => keyOf(candidate) === keyOf(key))
  assert(balance)
  return balance
}

function assertAmount(amount: number): void {
  assert(Number.isSafeInteger(amount) && amount > 0, `${amount} is not a positive whole number of credits`)
}

function keyOf({ accountId, messageType }: BalanceKey): string {
  return `${accountId} ${messageType}`
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

function uniqueKeys(keys: readonly BalanceKey[]): BalanceKey[] {
  return [...new Map(keys.map((key) => [keyOf(key), key])).values()]
}
