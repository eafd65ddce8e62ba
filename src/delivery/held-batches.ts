import type { ClaimedBatch } from '../queue/claims.store.ts'
import { HeldBatch } from './held-batch.ts'

/** An account that has so many at hand gets no more before they have left. */
const HELD_PER_ACCOUNT = 500

/** The batches that a dispatcher holds, and who of them is next. */
export class HeldBatches {
  readonly #held = new Set<HeldBatch>()

  has(held: HeldBatch): boolean {
    return this.#held.has(held)
  }

  [Symbol.iterator](): Iterator<HeldBatch> {
    return this.#held.values()
  }

  /**
   * In the place of one with the same id, which was lost without our noticing: what waits of it is in the new one, what is on
   * its way settles by itself.
   */
  add(batch: ClaimedBatch): HeldBatch {
    for (const held of this.#held) if (held.batch.id === batch.id) this.#held.delete(held)
    const held = new HeldBatch(batch)
    this.#held.add(held)
    return held
  }

  delete(held: HeldBatch): boolean {
    return this.#held.delete(held)
  }

  /** How many recipients of a lane wait. */
  waitingCount(lane: number): number {
    return this.#waitingIn(lane).reduce((sum, held) => sum + held.waitingCount, 0)
  }

  /** The accounts that need no more batches of a lane now. */
  wellSupplied(lane: number): number[] {
    const counts = new Map<number, number>()
    for (const held of this.#waitingIn(lane)) {
      counts.set(held.batch.accountId, (counts.get(held.batch.accountId) ?? 0) + held.waitingCount)
    }
    return [...counts].filter(([, count]) => count >= HELD_PER_ACCOUNT).map(([accountId]) => accountId)
  }

  /** Takes who is next in a lane, the same number of each account; adds them to `chosen` and tells how many they are. */
  choose(
    lane: number,
    room: number,
    { chosen, isWanted }: { chosen: Map<HeldBatch, number[]>; isWanted: (held: HeldBatch) => boolean }
  ): number {
    let left = room
    while (left > 0) {
      const accounts = Map.groupBy(this.#waitingIn(lane).filter(isWanted), ({ batch }) => batch.accountId)
      if (accounts.size === 0) break
      const share = Math.max(1, Math.floor(left / accounts.size))
      for (const batches of accounts.values()) {
        let ofAccount = Math.min(share, left)
        for (const held of batches) {
          if (ofAccount === 0) break
          const taken = held.take(ofAccount)
          chosen.set(held, [...(chosen.get(held) ?? []), ...taken])
          ofAccount -= taken.length
          left -= taken.length
        }
      }
    }
    return room - left
  }

  #waitingIn(lane: number): HeldBatch[] {
    return [...this.#held].filter((held) => held.batch.lane === lane && held.hasWaiting)
  }
}
