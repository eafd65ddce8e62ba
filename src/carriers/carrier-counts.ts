import type { CarrierMetrics } from './carrier-metrics.ts'

type Figure = 'submits' | 'silences' | 'lateAnswers' | 'receipts' | 'replies'

/** Counts what a carrier does, and tells it when its owner asks for it: once a second. */
export class CarrierCounts<Status> {
  readonly #carrier: string
  readonly #metrics: CarrierMetrics
  readonly #nameOf: (status: Status) => string
  readonly #counts: Record<Figure, number> = { submits: 0, silences: 0, lateAnswers: 0, receipts: 0, replies: 0 }
  readonly #answers = new Map<Status, number>()

  constructor(carrier: string, metrics: CarrierMetrics, nameOf: (status: Status) => string) {
    this.#carrier = carrier
    this.#metrics = metrics
    this.#nameOf = nameOf
  }

  count(figure: Figure): void {
    this.#counts[figure]++
  }

  countAnswer(status: Status): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1)
  }

  tell(): void {
    for (const figure of Object.keys(this.#counts) as Figure[]) {
      const count = this.#counts[figure]
      this.#counts[figure] = 0
      if (count > 0) this.#metrics[figure](this.#carrier, count)
    }
    for (const [status, count] of this.#answers) this.#metrics.answers(this.#carrier, this.#nameOf(status), count)
    this.#answers.clear()
  }
}
