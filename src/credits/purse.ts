import { strict as assert } from 'node:assert'
import type { Sql } from '../database/database.ts'
import type { Query } from '../database/sql.ts'
import { type Forecast, listPayerBalances } from './balances.store.ts'
import type { MessageTypeId } from './credit.ts'
import { assertAmount, type Movement, post } from './ledger.ts'
import { insertNewReservations } from './reservations.store.ts'
import { type Reserve, toReserveDraft } from './reservations.ts'

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
  const balances = await listPayerBalances(sql, { spenderIds: [...new Set(spenderIds)], messageType, isLocked })
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
      const reservations = granted.map(({ accountId, reference, amount, payerId, use }) => {
        return { accountId, messageType, reference, amount, payerId, use, isSpent: isSpent(reference) }
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
