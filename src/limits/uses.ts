import type { Sql } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { LimitedAccount } from '../http/limit.ts'
import { addDayUses, addNumberUses, type DayKey, listDayUses, listNumberUses, type NumberKey } from './uses.store.ts'

/*
 * How far the sends of a transaction use the limits of their accounts. Sends of one transaction count for each other. What is
 * read without a lock may be used up by others before the end: the database then refuses the write (`USED_UP_MEANWHILE`), and
 * the sends are repeated with locks. A send counts for its own account and, of a sub-account, for the parent too.
 */

interface Day extends DayKey {
  used: number
  secondsLeft: number
  counted: number
}

interface NumberCount extends NumberKey {
  /** Stored uses and those of sends before it in the transaction. */
  used: number
  counted: number
}

export class Uses {
  readonly #isLocked: boolean
  readonly #areNumbersLocked: boolean
  readonly #days = new Map<number, Day>()
  readonly #numbers = new Map<string, NumberCount>()

  /** `areNumbersLocked`: whether the transaction holds the locks of its numbers already. */
  constructor({ isLocked, areNumbersLocked = false }: { isLocked: boolean; areNumbersLocked?: boolean }) {
    this.#isLocked = isLocked
    this.#areNumbersLocked = areNumbersLocked
  }

  /** Reads what is known of these sends. Without limits there is nothing to read. */
  async load(
    sql: Sql,
    sends: readonly { limits: readonly LimitedAccount[]; phones: readonly string[] }[]
  ): Promise<void> {
    const days: Day[] = []
    const numbers: NumberCount[] = []
    for (const { limits, phones } of sends) {
      for (const { accountId, timeZone, creditsPerDay, messagesPerNumber: allowed } of limits) {
        if (creditsPerDay !== null && !this.#days.has(accountId)) {
          const day = { accountId, timeZone, allowed: creditsPerDay, used: 0, secondsLeft: 0, counted: 0 }
          this.#days.set(accountId, day)
          days.push(day)
        }
        for (const phone of allowed === null ? [] : phones) {
          const key = keyOf(accountId, phone)
          if (this.#numbers.has(key)) continue
          const number = { accountId, phone, allowed: allowed as number, used: 0, counted: 0 }
          this.#numbers.set(key, number)
          numbers.push(number)
        }
      }
    }
    // In this order, which is also that of the writes: numbers before days, and both before balances.
    const [numberUses, dayUses] = await Promise.all([
      listNumberUses(sql, numbers, this.#isLocked && !this.#areNumbersLocked),
      listDayUses(sql, days, this.#isLocked)
    ])
    for (const { accountId, phone, used } of numberUses) this.#numberOf(accountId, phone).used = used
    for (const { accountId, used, secondsLeft } of dayUses) {
      Object.assign(this.#days.get(accountId) as Day, { used, secondsLeft })
    }
  }

  /** The phones that have had as many messages as they may within this hour. The others have one more from now on. */
  fullAmong(limits: readonly LimitedAccount[], phones: readonly string[]): ReadonlySet<string> {
    const limiting = limits.filter(({ messagesPerNumber }) => messagesPerNumber !== null)
    if (limiting.length === 0) return NO_PHONES
    const full = new Set<string>()
    for (const phone of phones) {
      const numbers = limiting.map(({ accountId }) => this.#numberOf(accountId, phone))
      if (numbers.some(({ used, allowed }) => used >= allowed)) full.add(phone)
      else for (const number of numbers) number.used++
    }
    return full
  }

  /** Why a send of so many credits goes beyond a day's limit, if it does. */
  refusalOf(limits: readonly LimitedAccount[], credits: number): Refusal | undefined {
    for (const { accountId } of limits) {
      const day = this.#days.get(accountId)
      if (day && day.used + credits > day.allowed) return tooManyToday(day, credits)
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
      if (messagesPerNumber !== null) for (const phone of phones) this.#numberOf(accountId, phone).counted++
    }
  }

  /** Stores what was counted. */
  async write(sql: Sql): Promise<void> {
    const numbers = [...this.#numbers.values()].filter(({ counted }) => counted > 0)
    const days = [...this.#days.values()].filter(({ counted }) => counted > 0)
    await Promise.all([
      addNumberUses(
        sql,
        numbers.map(({ counted, ...key }) => ({ ...key, used: counted }))
      ),
      addDayUses(
        sql,
        days.map(({ counted, ...key }) => ({ ...key, used: counted }))
      )
    ])
    for (const use of [...numbers, ...days]) use.counted = 0
  }

  /** Forgets numbers that were written: a send of many recipients comes in parts, and each number is in one. */
  forgetNumbers(): void {
    this.#numbers.clear()
  }

  #numberOf(accountId: number, phone: string): NumberCount {
    return this.#numbers.get(keyOf(accountId, phone)) as NumberCount
  }
}

const NO_PHONES: ReadonlySet<string> = new Set()

const keyOf = (accountId: number, phone: string) => `${accountId} ${phone}`

function tooManyToday({ allowed, used, secondsLeft }: Day, credits: number): Refusal {
  const sentence = `This account may spend ${allowed} credits a day; ${used} are spent, and this takes ${credits}.`
  return new Refusal(429, 'limit_reached', sentence, { retryAfterSeconds: Math.max(1, secondsLeft) })
}
