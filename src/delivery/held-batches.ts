import type { HeldBatch } from './held-batch.ts'

/** An account with this many waiting recipients in a lane gets no more batches. */
const HELD_PER_ACCOUNT = 500

/** The batches that a dispatcher holds, and the choice of the next recipients. */
export class HeldBatches {
  readonly #held = new Map<number, HeldBatch>()
  /** By lane: batches that may have waiting recipients. Most batches have none: they are under way as a whole. */
  readonly #waiting = new Map<number, Set<HeldBatch>>()

  has(held: HeldBatch): boolean {
    return this.#held.get(held.batch.id) === held
  }

  [Symbol.iterator](): Iterator<HeldBatch> {
    return this.#held.values()
  }

  /**
   * Replaces a held batch with the same id, whose lease was lost unnoticed. Its waiting recipients are in the new one; its
   * submits under way settle by themselves.
   */
  add(held: HeldBatch): void {
    this.#held.set(held.batch.id, held)
    this.#note(held)
  }

  delete(held: HeldBatch): boolean {
    return this.has(held) && this.#held.delete(held.batch.id)
  }

  /** Puts positions that could not be prepared back to waiting. */
  putBack(held: HeldBatch, positions: readonly number[]): void {
    held.putBack(positions)
    this.#note(held)
  }

  /** The number of waiting recipients in a lane. */
  waitingCount(lane: number): number {
    return this.#waitingIn(lane).reduce((sum, held) => sum + held.waitingCount, 0)
  }

  /** Whether recipients of small batches wait in a lane. */
  isSmallWaiting(lane: number): boolean {
    return this.#waitingIn(lane).some(({ isSmall }) => isSmall)
  }

  /** The accounts that have enough waiting recipients in a lane; with `isSmall`, enough of small batches. */
  wellSupplied(lane: number, { isSmall = false } = {}): number[] {
    const counts = new Map<number, number>()
    for (const held of this.#waitingIn(lane)) {
      if (isSmall && !held.isSmall) continue
      counts.set(held.batch.accountId, (counts.get(held.batch.accountId) ?? 0) + held.waitingCount)
    }
    return [...counts].filter(([, count]) => count >= HELD_PER_ACCOUNT).map(([accountId]) => accountId)
  }

  /** Takes the next recipients of a lane, the same number for each account, into `chosen`. Returns their number. */
  choose(
    lane: number,
    room: number,
    { chosen, hasRoomFor }: { chosen: Map<HeldBatch, number[]>; hasRoomFor: (held: HeldBatch) => boolean }
  ): number {
    let left = room
    while (left > 0) {
      const accounts = Map.groupBy(this.#waitingIn(lane).filter(hasRoomFor), ({ batch }) => batch.accountId)
      if (accounts.size === 0) break
      const share = Math.max(1, Math.floor(left / accounts.size))
      for (const batches of accounts.values()) {
        let ofAccount = Math.min(share, left)
        for (const held of inOrder(batches)) {
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

  #note(held: HeldBatch): void {
    if (!held.hasWaiting) return
    const ofLane = this.#waiting.get(held.batch.lane)
    if (ofLane) ofLane.add(held)
    else this.#waiting.set(held.batch.lane, new Set([held]))
  }

  #waitingIn(lane: number): HeldBatch[] {
    const ofLane = this.#waiting.get(lane)
    if (!ofLane) return []
    for (const held of ofLane) if (!held.hasWaiting || !this.has(held)) ofLane.delete(held)
    return [...ofLane]
  }
}

/** As they were claimed, which is mostly right. A batch with a head start may have been claimed after others. */
function inOrder(batches: readonly HeldBatch[]): readonly HeldBatch[] {
  if (batches.every(({ batch }) => batch.headStartSeconds === null)) return batches
  return batches.toSorted((a, b) => a.batch.dueAt.getTime() - b.batch.dueAt.getTime())
}
