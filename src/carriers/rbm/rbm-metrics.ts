import type { RbmCall } from './rbm-client.ts'

/** Figures for the operator, counted and passed on once a second: a call for each message would cost more. */
export interface RbmMetrics {
  /** By the status of the answer; `failed` when there was none. */
  answers(carrier: string, call: RbmCall, status: string, count: number): void
}

export class RbmCounts {
  readonly #carrier: string
  readonly #metrics: RbmMetrics | undefined
  readonly #counts = new Map<RbmCall, Map<string, number>>()

  constructor(carrier: string, metrics: RbmMetrics | undefined) {
    this.#carrier = carrier
    this.#metrics = metrics
  }

  count(call: RbmCall, status: string): void {
    const counts = this.#counts.get(call) ?? new Map<string, number>()
    this.#counts.set(call, counts.set(status, (counts.get(status) ?? 0) + 1))
  }

  tell(): void {
    for (const [call, counts] of this.#counts) {
      for (const [status, count] of counts) this.#metrics?.answers(this.#carrier, call, status, count)
    }
    this.#counts.clear()
  }
}
