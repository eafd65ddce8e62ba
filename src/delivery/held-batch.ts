import type { ClaimedBatch } from '../queue/claims.store.ts'

/** A recipient that stays in the queue, and how long it has to wait there. */
export interface Left {
  position: number
  delaySeconds: number
  /** It was handed to the carrier, which did not take it. */
  isTried: boolean
}

const SMALL_MAX = 10

/** A batch that this process holds: each of its positions is in one of these places, or settled. */
export class HeldBatch {
  readonly batch: ClaimedBatch
  /** Not yet looked at. */
  #waiting: number[]
  /** Being prepared, or handed to the carrier and not settled. */
  readonly underWay = new Set<number>()
  /** Goes back into the queue. */
  readonly left: Left[] = []

  /** Codes and the like: they are prepared and settled apart from campaigns, whose transactions take longer. */
  readonly isSmall: boolean

  constructor(batch: ClaimedBatch) {
    this.batch = batch
    this.#waiting = batch.positions
    this.isSmall = batch.positions.length <= SMALL_MAX
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Whether nothing of it is on its way and nothing is to be begun. */
  get isDone(): boolean {
    return this.#waiting.length === 0 && this.underWay.size === 0
  }

  /** Takes the next positions to be prepared. */
  take(count: number): number[] {
    const taken = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    for (const position of taken) this.underWay.add(position)
    return taken
  }

  /** Puts back what could not be prepared. */
  putBack(positions: readonly number[]): void {
    for (const position of positions) this.underWay.delete(position)
    this.#waiting = [...positions, ...this.#waiting]
  }

  /** Lets go of what is not yet on its way: all of it goes back into the queue. */
  releaseWaiting(): void {
    for (const position of this.#waiting) this.left.push({ position, delaySeconds: 0, isTried: false })
    this.#waiting = []
  }
}

/** Some positions of a batch that are prepared together with those of others. */
export interface Slice {
  held: HeldBatch
  positions: number[]
}
