import type { Sql } from '../database/database.ts'
import type { Query } from '../database/sql.ts'
import { Refusal } from '../errors.ts'
import type { LimitedAccount } from '../http/limit.ts'
import type { ReachedLimits } from './reached-limits.ts'
import {
  addDayUses,
  addNumberUses,
  type DayKey,
  type DayUse,
  dayUsesStatement,
  listDayUses,
  listNumberUses,
  type NumberKey,
  numberUsesStatement
} from './uses.store.ts'

/*
 * How far the sends of a transaction use the limits of their accounts. Sends of one transaction count for each other. What is
 * not read, or read without a lock, may be used up at the end: the database then refuses the write (`USED_UP_MEANWHILE`), and
 * the sends are repeated with locks. A send counts for its own account and, of a sub-account, for the parent too.
 */

export interface UsesOptions {
  isLocked: boolean
  /** With it, and without locks, only the uses of these accounts are read. */
  reached?: ReachedLimits
}

interface Day extends DayKey {
  isRead: boolean
  used: number
  secondsLeft: number
  counted: number
}

interface NumberCount extends NumberKey {
  /** Stored uses, if they were read. */
  used: number
  /** Sends of this transaction, which may still be refused. */
  taken: number
  counted: number
}

export class Uses {
  readonly #isLocked: boolean
  readonly #reached: ReachedLimits | undefined
  readonly #days = new Map<number, Day>()
  /** By account, then by phone. */
  readonly #numbers = new Map<number, Map<string, NumberCount>>()

  constructor({ isLocked, reached }: UsesOptions) {
    this.#isLocked = isLocked
    this.#reached = reached
  }

  /** Reads what must be known of these sends. */
  async load(
    sql: Sql,
    sends: readonly { limits: readonly LimitedAccount[]; phones: readonly string[] }[]
  ): Promise<void> {
    const days: Day[] = []
    const numbers = new Set<NumberCount>()
    for (const { limits, phones } of sends) {
      for (const limit of limits) {
        const { accountId, timeZone, creditsPerDay, messagesPerNumber } = limit
        const isRead = this.#isLocked || !this.#reached || this.#reached.has(accountId)
        if (creditsPerDay !== null && !this.#days.has(accountId)) {
          const day = { accountId, timeZone, allowed: creditsPerDay, isRead, used: 0, secondsLeft: 0, counted: 0 }
          this.#days.set(accountId, day)
          if (isRead) days.push(day)
        }
        if (isRead && messagesPerNumber !== null) {
          for (const phone of phones) numbers.add(this.#numberOf(accountId, phone, messagesPerNumber))
        }
      }
    }
    // In this order, which is also that of the writes: numbers before days, and both before balances.
    const [numberUses, dayUses] = await Promise.all([
      listNumberUses(sql, [...numbers], this.#isLocked),
      listDayUses(sql, days, this.#isLocked)
    ])
    for (const { accountId, phone, used } of numberUses) {
      const number = this.#numbers.get(accountId)?.get(phone)
      if (number) number.used = used
    }
    this.#setDays(dayUses)
  }

  /** Reads the days of the loaded sends again, and locks them: a campaign does so at its end, not before its first recipient. */
  async lockDays(sql: Sql): Promise<void> {
    this.#setDays(await listDayUses(sql, [...this.#days.values()], true))
  }

  #setDays(dayUses: readonly DayUse[]): void {
    for (const { accountId, used, secondsLeft } of dayUses) {
      Object.assign(this.#days.get(accountId) as Day, { used, secondsLeft })
    }
  }

  /**
   * Whether an earlier send of the transaction takes the last message that one of the phones may get. It may still be refused,
   * so this send waits for it.
   */
  isContested(limits: readonly LimitedAccount[], phones: readonly string[]): boolean {
    return limits.some(({ accountId, messagesPerNumber: allowed }) => {
      if (allowed === null) return false
      const isContested = phones.some((phone) => {
        const { used, taken } = this.#numberOf(accountId, phone, allowed)
        return used < allowed && used + taken >= allowed
      })
      if (isContested) this.#reached?.add(accountId)
      return isContested
    })
  }

  /** The phones that have had as many messages as they may within this hour. The others have one more from now on. */
  fullAmong(limits: readonly LimitedAccount[], phones: readonly string[]): ReadonlySet<string> {
    let full: Set<string> | undefined
    for (const phone of phones) {
      if (limits.some((limit) => this.#isFull(limit, phone))) {
        full ??= new Set()
        full.add(phone)
        continue
      }
      for (const { accountId, messagesPerNumber } of limits) {
        if (messagesPerNumber !== null) this.#numberOf(accountId, phone, messagesPerNumber).taken++
      }
    }
    return full ?? NO_PHONES
  }

  /** Why a send of so many credits goes beyond a day's limit, if it does. */
  refusalOf(limits: readonly LimitedAccount[], credits: number): Refusal | undefined {
    for (const { accountId } of limits) {
      const day = this.#days.get(accountId)
      if (!day || day.used + credits <= day.allowed) continue
      if (!day.isRead) return UNREAD_DAY
      this.#reached?.add(accountId)
      return tooManyToday(day, credits)
    }
    return undefined
  }

  /** Counts a send that is stored. */
  count(limits: readonly LimitedAccount[], { phones, credits }: { phones: readonly string[]; credits: number }): void {
    for (const { accountId, messagesPerNumber } of limits) {
      const day = this.#days.get(accountId)
      if (day) {
        day.used += credits
        day.counted += credits
      }
      if (messagesPerNumber === null) continue
      for (const phone of phones) this.#numberOf(accountId, phone, messagesPerNumber).counted++
    }
  }

  /** Stores what was counted. */
  async write(sql: Sql): Promise<void> {
    await Promise.all([this.#writeNumbers(sql), this.#writeDays(sql)])
  }

  async #writeNumbers(sql: Sql): Promise<void> {
    const numbers = this.#countedNumbers()
    await addNumberUses(sql, numbers)
    for (const number of numbers) number.counted = 0
  }

  async #writeDays(sql: Sql): Promise<void> {
    const days = this.#countedDays()
    await addDayUses(sql, days)
    for (const day of days) day.counted = 0
  }

  /**
   * The statements that store what was counted, once, in the order of all transactions. Every send of an account waits for
   * its day until the commit.
   */
  statements(sql: Sql): Query<unknown>[] {
    const [numbers, days] = [this.#countedNumbers(), this.#countedDays()]
    return [
      ...(numbers.length === 0 ? [] : [numberUsesStatement(sql, numbers)]),
      ...(days.length === 0 ? [] : [dayUsesStatement(sql, days)])
    ]
  }

  #countedNumbers(): NumberCount[] {
    const numbers: NumberCount[] = []
    for (const ofAccount of this.#numbers.values()) {
      for (const number of ofAccount.values()) if (number.counted > 0) numbers.push(number)
    }
    return numbers
  }

  #countedDays(): Day[] {
    return [...this.#days.values()].filter(({ counted }) => counted > 0)
  }

  /** Forgets numbers that were written: a send of many recipients comes in parts, and each number is in one. */
  forgetNumbers(): void {
    this.#numbers.clear()
  }

  #isFull({ accountId, messagesPerNumber }: LimitedAccount, phone: string): boolean {
    if (messagesPerNumber === null) return false
    const isFull = this.#numberOf(accountId, phone, messagesPerNumber).used >= messagesPerNumber
    if (isFull) this.#reached?.add(accountId)
    return isFull
  }

  #numberOf(accountId: number, phone: string, allowed: number): NumberCount {
    let ofAccount = this.#numbers.get(accountId)
    if (!ofAccount) {
      ofAccount = new Map()
      this.#numbers.set(accountId, ofAccount)
    }
    let number = ofAccount.get(phone)
    if (!number) {
      number = { accountId, phone, allowed, used: 0, taken: 0, counted: 0 }
      ofAccount.set(phone, number)
    }
    return number
  }
}

/** The outcome of a send that may go beyond a day that was not read. No client sees it: the send is repeated with locks. */
export const UNREAD_DAY = new Refusal(503, 'unavailable', 'The credits of the day are being counted; ask again.', {
  retryAfterSeconds: 1
})

const NO_PHONES: ReadonlySet<string> = new Set()

function tooManyToday({ allowed, used, secondsLeft }: Day, credits: number): Refusal {
  const sentence = `This account may spend ${allowed} credits a day; ${used} are spent, and this takes ${credits}.`
  return new Refusal(429, 'limit_reached', sentence, { retryAfterSeconds: Math.max(1, secondsLeft) })
}
