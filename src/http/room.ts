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

  get isFull(): boolean {
    return this.#used >= this.max
  }

  heldByTopLevel({ topLevelId }: Asker): number {
    return this.#byTopLevel.get(topLevelId) ?? 0
  }

  hasRoom(asker: Asker, amount: number): boolean {
    const left = this.max - this.#used
    const held = this.heldByTopLevel(asker)
    if (held + amount > left) return false
    if (!isSubAccount(asker)) return true
    const share = (left + held) / 2
    return (this.#bySubAccount.get(asker.accountId) ?? 0) + amount <= share - held
  }

  take(asker: Asker, amount: number): void {
    this.#add(asker, amount)
  }

  giveBack(asker: Asker, amount: number): void {
    this.#add(asker, -amount)
  }

  #add(asker: Asker, amount: number): void {
    if (amount === 0) return
    this.#used += amount
    addTo(this.#byTopLevel, asker.topLevelId, amount)
    if (isSubAccount(asker)) addTo(this.#bySubAccount, asker.accountId, amount)
  }
}

function isSubAccount({ accountId, topLevelId }: Asker): boolean {
  return accountId !== topLevelId
}
