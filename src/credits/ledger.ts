import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { Database, Sql } from '../database/database.ts'
import type { Query } from '../database/sql.ts'
import { type BalanceKey, balanceOf, uniqueKeys } from './balance.ts'
import { lockBalances, lockExistingBalances } from './balances.store.ts'
import type { MessageTypeId } from './credit.ts'
import { insertEntries, type NewEntry } from './entries.store.ts'
import { areSpendsOfOne, insertSpends } from './spends.store.ts'

/*
 * The ledger. Credits of an account are in one of three places: available, reserved for a message, or spent; or they are
 * elsewhere. An entry moves credits between these places and sums to zero, which the database checks. Here are the movements
 * that people ask for, and the one way to post entries; reservations.ts has the credits of messages.
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

/** The entries that a transaction writes at its end. */
const atEnd = new WeakMap<Database, EntryDraft[]>()

/**
 * Posts at the end of the transaction: these movements never fail for lack of credits. All of a transaction are posted
 * together, so that it locks their balances in one order.
 */
export async function postAtEnd(database: Database, drafts: readonly EntryDraft[]): Promise<void> {
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

export type EntryDraft = BalanceKey & Pick<NewEntry, 'reason' | 'available'> & Partial<NewEntry>

/** Writes entries in their order and moves their balances. Returns the credits that each balance had before. */
export async function post(
  sql: Sql,
  drafts: readonly EntryDraft[],
  lockFirst: readonly Query<unknown>[] = []
): Promise<(BalanceKey & { availableBefore: number })[]> {
  if (drafts.length === 0) return []
  const entries = drafts.map(toEntry)
  if (areSpendsOfOne(entries)) return insertSpends(sql, entries, lockFirst)
  const keys = uniqueKeys(drafts)
  const [, , before] = await Promise.all([
    Promise.all(lockFirst.map((statement) => statement.execute())),
    keys.length > 1 ? lockExistingBalances(sql, keys) : undefined,
    insertEntries(sql, entries)
  ])
  return before
}

function toEntry(draft: EntryDraft): NewEntry {
  return {
    accountId: draft.accountId,
    messageType: draft.messageType,
    reason: draft.reason,
    reference: draft.reference ?? null,
    part: draft.part ?? null,
    available: draft.available,
    reserved: draft.reserved ?? 0,
    spent: draft.spent ?? 0,
    elsewhere: draft.elsewhere ?? 0,
    transferId: draft.transferId ?? null,
    counterpartyId: draft.counterpartyId ?? null,
    spenderId: draft.spenderId ?? null,
    note: draft.note ?? null,
    madeBy: draft.madeBy ?? null,
    countries: draft.countries ?? null
  }
}

export function assertAmount(amount: number): void {
  assert(Number.isSafeInteger(amount) && amount > 0, `${amount} is not a positive whole number of credits`)
}
