import { statusName } from '../../smpp/commands.ts'
import type { CarrierMetrics } from '../carrier-metrics.ts'

type Figure = 'submits' | 'silences' | 'lateAnswers' | 'receipts' | 'replies'

export class SmppCounts {
  readonly #carrier: string
  readonly #metrics: CarrierMetrics
  readonly #counts: Record<Figure, number> = { submits: 0, silences: 0, lateAnswers: 0, receipts: 0, replies: 0 }
  readonly #answers = new Map<number, number>()

  constructor(carrier: string, metrics: CarrierMetrics) {
    this.#carrier = carrier
    this.#metrics = metrics
  }

  count(figure: Figure): void {
    this.#counts[figure]++
  }

  countAnswer(status: number): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1)
  }

  tell(): void {
    for (const figure of Object.keys(this.#counts) as Figure[]) {
      const count = this.#counts[figure]
      this.#counts[figure] = 0
      if (count > 0) this.#metrics[figure](this.#carrier, count)
    }
    for (const [status, count] of this.#answers) this.#metrics.answers(this.#carrier, statusName(status), count)
    this.#answers.clear()
  }
}
