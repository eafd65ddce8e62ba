const PERIOD_MS = 1_000

/**
 * The calls of one caller that have no answer yet. Whoever calls often has a limit to them: a loop calls once at a time, a
 * carrier sends as many receipts as its window holds. When that many wait again, no more will come before they are answered.
 */
export class Unanswered {
  #waiting = 0
  #running = 0
  /** The most at once in this period, and in the one before. */
  #most = 0
  #mostBefore = 0
  #sinceMs = 0

  add(): void {
    this.#waiting++
    this.#most = Math.max(this.#most, this.#waiting + this.#running)
  }

  /** Some of the waiting calls are run. */
  run(count: number): void {
    this.#waiting -= count
    this.#running += count
  }

  answer(count: number): void {
    this.#running -= count
  }

  /** Whether no call runs, and as many wait as were without an answer at once lately. */
  get areAllWaiting(): boolean {
    return this.#running === 0 && this.#waiting > 0 && this.#waiting >= Math.max(this.#most, this.#mostBefore)
  }

  /** Forgets what was before the last period. */
  letPass(nowMs: number): void {
    const periods = Math.floor((nowMs - this.#sinceMs) / PERIOD_MS)
    if (periods < 1) return
    this.#mostBefore = periods === 1 ? this.#most : 0
    this.#most = this.#waiting + this.#running
    this.#sinceMs = nowMs
  }
}
