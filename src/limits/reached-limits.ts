/**
 * The accounts that reached one of their limits lately, as far as this process has seen. Only their uses are read before a send
 * is planned: all others are far from their limits, and the database checks what is written. So an account that reaches a limit
 * undoes one shared transaction an hour, and not one for each of its sends.
 */
export class ReachedLimits {
  readonly #nowMs: () => number
  readonly #reachedAtMs = new Map<number, number>()

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  add(accountId: number): void {
    this.#reachedAtMs.set(accountId, this.#nowMs())
  }

  has(accountId: number): boolean {
    const reachedAtMs = this.#reachedAtMs.get(accountId)
    if (reachedAtMs === undefined) return false
    if (this.#nowMs() - reachedAtMs < REMEMBERED_MS) return true
    this.#reachedAtMs.delete(accountId)
    return false
  }
}

const REMEMBERED_MS = 3_600_000
