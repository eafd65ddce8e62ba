import type { Asker } from './caller.ts'
import { addTo } from './counts.ts'

/**
 * An amount that accounts share: places, or bytes. No top-level account may hold more than is left for all others, and
 * no sub-account more than is left in the share of its top-level account.
 */
export class Room {
  max: number
  #used = 0
  readonly #byTopLevel = new Map<Asker['topLevelId'], number>()
  /** Sub-accounts only: top-level accounts are counted above. */
  readonly #bySubAccount = new Map<Asker['accountId'], number>()

  constructor(max: number) {
    this.max = max
  }

  heldByTopLevel({ topLevelId }: Asker): number {
    return this.#byTopLevel.get(topLevelId) ?? 0
  }

  hasRoom(whose: Asker, amount: number): boolean {
    const left = this.max - this.#used
    const held = this.heldByTopLevel(whose)
    if (held + amount > left) return false
    if (!isSubAccount(whose)) return true
    const share = (left + held) / 2
    return (this.#bySubAccount.get(whose.accountId) ?? 0) + amount <= share - held
  }

  take(whose: Asker, amount: number): void {
    this.#add(whose, amount)
  }

  giveBack(whose: Asker, amount: number): void {
    this.#add(whose, -amount)
  }

  #add(whose: Asker, amount: number): void {
    if (amount === 0) return
    this.#used += amount
    addTo(this.#byTopLevel, whose.topLevelId, amount)
    if (isSubAccount(whose)) addTo(this.#bySubAccount, whose.accountId, amount)
  }
}

function isSubAccount({ accountId, topLevelId }: Asker): boolean {
  return accountId !== topLevelId
}
