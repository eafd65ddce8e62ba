/**
 * Limits a rate per second. The bucket holds the tokens of one second. It fills evenly, or by the second: all at once whenever
 * a second of the clock begins. Without a rate there is no limit.
 */
export class TokenBucket {
  #rate = 0
  #tokens = 0
  #filledAt = 0
  #isByTheSecond = false

  /** Sets the rate and fills the bucket. 0 is no limit. */
  setRate(perSecond: number, { isByTheSecond = false }: { isByTheSecond?: boolean } = {}): void {
    this.#rate = perSecond
    this.#isByTheSecond = isByTheSecond
    this.#tokens = perSecond
    this.#filledAt = this.#now()
  }

  take(): boolean {
    if (this.#rate === 0) return true
    const now = this.#now()
    this.#tokens = Math.min(this.#rate, this.#tokens + ((now - this.#filledAt) * this.#rate) / 1_000)
    this.#filledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** By the second, this clock moves in steps of one second. */
  #now(): number {
    const now = performance.now()
    return this.#isByTheSecond ? Math.floor(now / 1_000) * 1_000 : now
  }
}
