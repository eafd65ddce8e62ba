import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../database/database.ts'
import { MESSAGE_TYPES, type MessageTypeId } from './credit.ts'
import {
  type Balance,
  type BalanceKey,
  deleteReservations,
  type Entry,
  findRefund,
  findReservation,
  insertEntries,
  insertReservations,
  listPayers,
  listReservationPayers,
  lockBalances,
  lockPayerBalances,
  type ReservationKey,
  updateRefunded,
  updateReservations
} from './credits.store.ts'

/*
 * The ledger. Credits of an account are in one of three places: available, reserved for a message, or spent; or they are
 * elsewhere. An entry moves credits between these places and sums to zero, which the database checks. The credits of a message
 * are reserved when it is accepted, refunded in parts, and settled once. Each of these happens once per reference, however often
 * it is asked for.
 *
 * Every function runs inside the caller's transaction and first locks the balances that it changes, in one order. So movements
 * on one balance happen one after the other, and cannot deadlock.
 */

/** Too few credits: a value, because the caller may be one of many that share a transaction. */
export interface Shortage {
  kind: 'insufficient'
  required: number
  remaining: number
}

export type Movement = { kind: 'done'; remaining: number } | Shortage

/** Brings credits in from outside the service. */
export async function issueCredits(
  sql: Sql,
  { accountId, messageType, amount, reason }: BalanceKey & { amount: number; reason: 'opening' | 'issue' }
): Promise<void> {
  assertAmount(amount)
  const balances = await lockBalances(sql, [{ accountId, messageType }])
  await post(sql, balances, [{ accountId, messageType, reason, available: amount, elsewhere: -amount }])
}

/** Takes credits out of the service. */
export async function withdrawCredits(
  sql: Sql,
  { accountId, messageType, amount }: BalanceKey & { amount: number }
): Promise<Movement> {
  assertAmount(amount)
  const balances = await lockBalances(sql, [{ accountId, messageType }])
  const { available } = balanceOf(balances, { accountId, messageType })
  if (available < amount) return { kind: 'insufficient', required: amount, remaining: available }
  await post(sql, balances, [{ accountId, messageType, reason: 'withdrawal', available: -amount, elsewhere: amount }])
  return { kind: 'done', remaining: available - amount }
}

/** Moves credits from one account to another. */
export async function transferCredits(
  sql: Sql,
  { fromId, toId, messageType, amount }: { fromId: number; toId: number; messageType: MessageTypeId; amount: number }
): Promise<Movement> {
  assertAmount(amount)
  const balances = await lockBalances(sql, [
    { accountId: fromId, messageType },
    { accountId: toId, messageType }
  ])
  const { available } = balanceOf(balances, { accountId: fromId, messageType })
  if (available < amount) return { kind: 'insufficient', required: amount, remaining: available }
  const transfer = { messageType, reason: 'transfer', transferId: randomUUID() } as const
  await post(sql, balances, [
    { ...transfer, accountId: fromId, counterpartyId: toId, available: -amount, elsewhere: amount },
    { ...transfer, accountId: toId, counterpartyId: fromId, available: amount, elsewhere: -amount }
  ])
  return { kind: 'done', remaining: available - amount }
}

export interface Reserve extends ReservationKey {
  amount: number
}

/**
 * Reserves credits for messages, in the order given. A request with too few credits is refused and does not touch the others.
 * A repeat for a reference that has a reservation reserves nothing more.
 */
export async function reserveCredits(sql: Sql, requests: readonly Reserve[]): Promise<Movement[]> {
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
    requests.map((request) => ({ ...request, payerId: payerOf(request).accountId }))
  )
  const isNew = new Set(made.map(nameOf))

  const remaining = new Map(balances.map((balance) => [keyOf(balance), balance.available]))
  const granted: Reserve[] = []
  const short: Reserve[] = []
  const movements = requests.map((request): Movement => {
    const key = keyOf(payerOf(request))
    const available = remaining.get(key) ?? 0
    if (!isNew.has(nameOf(request))) return { kind: 'done', remaining: available }
    if (available < request.amount) {
      short.push(request)
      return { kind: 'insufficient', required: request.amount, remaining: available }
    }
    isNew.delete(nameOf(request))
    granted.push(request)
    remaining.set(key, available - request.amount)
    return { kind: 'done', remaining: available - request.amount }
  })
  if (short.length > 0) await deleteReservations(sql, short)
  if (granted.length === 0) return movements

  await post(
    sql,
    balances,
    granted.map((request) => toReserveDraft(request, payerOf(request).accountId))
  )
  return movements
}

/** Reserves and settles at once, once per reference: for a charge that nothing settles later. */
export async function spendCredits(sql: Sql, requests: readonly Reserve[]): Promise<Movement[]> {
  if (requests.length === 0) return []
  const movements = await reserveCredits(sql, requests)
  const granted = uniqueReservations(requests.filter((_, index) => movements[index]?.kind === 'done'))
  await closeReservations(
    sql,
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
  const distinct = uniqueReservations(reservations)
  const payers = await listPayers(sql, unique(distinct.map(({ accountId }) => accountId)))
  const before = await listReservationPayers(sql, distinct)
  const accountIds = unique([...payers, ...before].map(({ payerId }) => payerId))
  const types = Object.values(MESSAGE_TYPES)
  await lockBalances(
    sql,
    accountIds.flatMap((accountId) => types.map((messageType) => ({ accountId, messageType })))
  )
}

/** The locked balances that pay for some accounts, and the credits that are left in them. */
export interface Purse {
  /** Reserves credits. The reference must be new: made from an id that this transaction drew. */
  reserve(request: Omit<Reserve, 'messageType'>): Movement
  /** Writes the reservations. Its statements leave at once, so that others can follow without waiting for the answers. */
  write(sql: Sql): Promise<unknown>
}

/**
 * The quick way to reserve for new messages: one statement locks the balances, and can travel with others. The rest is
 * arithmetic until all reservations are written at once. A repeated reference is an error here: the database refuses it, and
 * the transaction fails.
 */
export async function lockPurse(
  sql: Sql,
  { spenderIds, messageType }: { spenderIds: readonly number[]; messageType: MessageTypeId }
): Promise<Purse> {
  const balances = await lockPayerBalances(sql, { spenderIds: unique(spenderIds), messageType })
  const bySpender = new Map(balances.map(({ spenderId, ...balance }) => [spenderId, balance]))
  // Sub-accounts that spend their parent's credits share one balance.
  const available = new Map(balances.map((balance) => [balance.accountId, balance.available]))
  const granted: (Reserve & { payerId: number })[] = []

  return {
    reserve({ accountId, reference, amount }) {
      assertAmount(amount)
      const payerId = bySpender.get(accountId)?.accountId
      const remaining = payerId === undefined ? 0 : (available.get(payerId) ?? 0)
      if (payerId === undefined || remaining < amount) return { kind: 'insufficient', required: amount, remaining }
      available.set(payerId, remaining - amount)
      granted.push({ accountId, messageType, reference, amount, payerId })
      return { kind: 'done', remaining: remaining - amount }
    },
    async write(sql) {
      if (granted.length === 0) return
      const drafts = granted.map((request) => toReserveDraft(request, request.payerId))
      await Promise.all([insertReservations(sql, granted), post(sql, [...bySpender.values()], drafts)])
    }
  }
}

function toReserveDraft({ accountId, messageType, reference, amount }: Reserve, payerId: number): Draft {
  return {
    accountId: payerId,
    messageType,
    reason: 'reserve',
    reference,
    available: -amount,
    reserved: amount,
    spenderId: accountId
  }
}

/** Refunds part of a reservation to its payer. `part` names it within the reservation; each part is refunded once. */
export async function refundCredits(
  sql: Sql,
  { part, amount, ...key }: ReservationKey & { part: string; amount: number }
): Promise<void> {
  assertAmount(amount)
  const { payer, balances } = await lockPayer(sql, key)
  const before = await findRefund(sql, { ...key, payerId: payer.accountId, part })
  assert(
    before === undefined || before === amount,
    `${key.reference}: ${part} was refunded with ${before}, not ${amount}`
  )
  if (before !== undefined) return
  const isRefundable = await updateRefunded(sql, key, amount)
  assert(isRefundable, `${key.reference}: ${amount} credits are more than is left of the reservation`)
  const { reference, accountId: spenderId } = key
  await post(sql, balances, [
    { ...payer, reason: 'refund', reference, part, available: amount, reserved: -amount, spenderId }
  ])
}

/** Counts the rest of a reservation as spent and closes it. A second call does nothing. */
export async function settleCredits(sql: Sql, key: ReservationKey): Promise<void> {
  await closeReservations(sql, [{ ...key, isLast: true }])
}

export interface Closing extends ReservationKey {
  /** Goes back to the payer, also when the reservation was settled before; `part` must be new to the reservation. */
  refund?: { part: string; amount: number }
  /** The rest is then spent. */
  isLast: boolean
}

/** Refunds and settles many messages at once, each of them once. */
export async function closeReservations(sql: Sql, closings: readonly Closing[]): Promise<void> {
  if (closings.length === 0) return
  const payers = new Map((await listReservationPayers(sql, closings)).map((row) => [nameOf(row), row.payerId]))
  const payerOf = (closing: Closing): BalanceKey => {
    const payerId = payers.get(nameOf(closing))
    assert(payerId !== undefined, `${closing.reference} has no reservation`)
    return { accountId: payerId, messageType: closing.messageType }
  }
  const balances = await lockBalances(sql, uniqueKeys(closings.map(payerOf)))
  const closed = new Map(
    (
      await updateReservations(
        sql,
        closings.map((closing) => ({ ...closing, refunded: closing.refund?.amount ?? 0 }))
      )
    ).map((row) => [nameOf(row), row])
  )
  await post(
    sql,
    balances,
    closings.flatMap((closing): Draft[] => {
      const { wasSettled, left } = closed.get(nameOf(closing)) ?? { wasSettled: true, left: 0 }
      const draft = { ...payerOf(closing), reference: closing.reference, spenderId: closing.accountId }
      const drafts: Draft[] = []
      if (closing.refund) {
        const { part, amount } = closing.refund
        assertAmount(amount)
        const taken = wasSettled ? { spent: -amount } : { reserved: -amount }
        drafts.push({ ...draft, reason: 'refund', part, available: amount, ...taken })
      }
      if (closing.isLast && !wasSettled && left > 0) {
        drafts.push({ ...draft, reason: 'settle', available: 0, reserved: -left, spent: left })
      }
      return drafts
    })
  )
}

async function lockPayer(sql: Sql, key: ReservationKey): Promise<{ payer: BalanceKey; balances: Balance[] }> {
  const reservation = await findReservation(sql, key)
  assert(reservation, `${key.reference} has no reservation`)
  const payer = { accountId: reservation.payerId, messageType: key.messageType }
  return { payer, balances: await lockBalances(sql, [payer]) }
}

type Draft = BalanceKey & Pick<Entry, 'reason' | 'available'> & Partial<Entry>

/** Numbers the entries under the locks the caller holds, and writes them. */
async function post(sql: Sql, balances: readonly Balance[], drafts: readonly Draft[]): Promise<void> {
  if (drafts.length === 0) return
  const state = new Map(balances.map((balance) => [keyOf(balance), { ...balance }]))
  const entries = drafts.map((draft): Entry => {
    const balance = state.get(keyOf(draft))
    assert(balance, 'a balance is moved that was not locked')
    balance.entryCount += 1
    balance.available += draft.available
    return { ...EMPTY, ...draft, position: balance.entryCount, availableAfter: balance.available }
  })
  await insertEntries(sql, entries)
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
