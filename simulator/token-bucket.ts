/** So many a second and no more; it holds those of one second. Without a rate there is no limit. */
export class TokenBucket {
  #rate = 0
  #tokens = 0
  #filledAt = 0

  /** Full from now on. 0 is no limit. */
  setRate(perSecond: number): void {
    this.#rate = perSecond
    this.#tokens = perSecond
    this.#filledAt = performance.now()
  }

  take(): boolean {
    if (this.#rate === 0) return true
    const now = performance.now()
    this.#tokens = Math.min(this.#rate, this.#tokens + ((now - this.#filledAt) * this.#rate) / 1_000)
    this.#filledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
