import { SMALL_MAX } from '../queue/batch.ts'
import type { ClaimedBatch } from '../queue/claims.store.ts'

/** Another process takes over the batches of a dead process after this time. Its binds are free by then too. */
export const LEASE_SECONDS = 10

/** A recipient that goes back into the queue, and its delay there. */
export interface ReturnedPosition {
  position: number
  delaySeconds: number
  /** Whether the carrier was asked, and did not accept it. */
  isTried: boolean
  /** Whether its message was paused when it was to leave. */
  isPaused?: true
}

/** A batch that this process holds. Each position is waiting, under way, returned or settled. */
export class HeldBatch {
  readonly batch: ClaimedBatch
  /** Not yet prepared. */
  #waiting: number[]
  /** Being prepared, or handed to the carrier and not settled. */
  readonly underWay = new Set<number>()
  /** Goes back into the queue when the batch is done. */
  readonly returned: ReturnedPosition[] = []

  /** A batch whose recipients have a seat (queue/seat.ts): all of them are under way from the beginning. */
  static seated(batch: ClaimedBatch, { isPaid }: { isPaid: boolean }): HeldBatch {
    const held = new HeldBatch(batch, { isPaid })
    held.take(batch.positions.length)
    return held
  }

  /** One-time codes and the like. They are prepared and settled apart from campaigns, whose transactions take longer. */
  readonly isSmall: boolean

  /** Whether the credits of its message are spent already. */
  readonly isPaid: boolean

  constructor(batch: ClaimedBatch, { isPaid = false } = {}) {
    this.batch = batch
    this.isPaid = isPaid
    this.#waiting = batch.positions
    this.isSmall = batch.positions.length <= SMALL_MAX
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Whether no position is waiting or under way. */
  get isDone(): boolean {
    return this.#waiting.length === 0 && this.underWay.size === 0
  }

  /** Moves the next positions from waiting to under way, and returns them. */
  take(count: number): number[] {
    const taken = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    for (const position of taken) this.underWay.add(position)
    return taken
  }

  /** Puts positions that could not be prepared back to waiting. */
  putBack(positions: readonly number[]): void {
    for (const position of positions) this.underWay.delete(position)
    this.#waiting = [...positions, ...this.#waiting]
  }

  /** Returns all waiting positions to the queue. */
  releaseWaiting(): void {
    for (const position of this.#waiting) this.returned.push({ position, delaySeconds: 0, isTried: false })
    this.#waiting = []
  }
}

/** Some positions of a batch. One transaction prepares the slices of several batches. */
export interface Slice {
  held: HeldBatch
  positions: number[]
}
