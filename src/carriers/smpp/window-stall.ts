/*
 * A window that is full while no answer comes: the carrier takes every submit and answers none. Each submit gives its
 * slot back when its time is over, so that nothing hangs for ever. But all of them end in doubt: an operator has to
 * look.
 */
export class WindowStall {
  /** Since when, by the clock of people; null while answers come. */
  since: Date | null = null
  readonly #stallMs: number
  /** By the monotonic clock: full at that moment, and no answer after it. */
  #fullAtMs: number | undefined

  constructor({ stallMs }: { stallMs: number }) {
    this.#stallMs = stallMs
  }

  /** Once a second. True once for each stall, when it has lasted long enough to be one. */
  tick({ used, window, nowMs }: { used: number; window: number; nowMs: number }): boolean {
    // Nothing is on its way: there is nothing to be answered.
    if (used === 0) this.#fullAtMs = undefined
    else if (used >= window) this.#fullAtMs ??= nowMs
    if (this.since || this.#fullAtMs === undefined || nowMs - this.#fullAtMs < this.#stallMs) return false
    this.since = new Date(Date.now() - (nowMs - this.#fullAtMs))
    return true
  }

  /** An answer came, or the link is another. True when that ended a stall. */
  end(): boolean {
    const wasStalled = this.since !== null
    this.#fullAtMs = undefined
    this.since = null
    return wasStalled
  }
}
