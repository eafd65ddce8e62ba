const SECONDS = 10

/** The rate per second over the last ten seconds. Its owner calls `tick` once a second. */
export class RecentRate {
  readonly #counts = new Array<number>(SECONDS).fill(0)
  #at = 0

  count(): void {
    this.#counts[this.#at] = (this.#counts[this.#at] ?? 0) + 1
  }

  tick(): void {
    this.#at = (this.#at + 1) % SECONDS
    this.#counts[this.#at] = 0
  }

  get perSecond(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0) / SECONDS
  }
}
