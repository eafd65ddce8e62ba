import { statusName } from './commands.ts'

/** Figures for the operator. Told once a second, as counts: a call for each message would cost more than the message. */
export interface SmppMetrics {
  /** submit_sm PDUs handed to the socket. */
  submits(carrier: string, count: number): void
  /** By the specification's name of their status. */
  answers(carrier: string, status: string, count: number): void
  /** Submits that got none in time. */
  silences(carrier: string, count: number): void
  /** Answers that came after all. */
  lateAnswers(carrier: string, count: number): void
  receipts(carrier: string, count: number): void
  replies(carrier: string, count: number): void
}

type Figure = 'submits' | 'silences' | 'lateAnswers' | 'receipts' | 'replies'

export class SmppCounts {
  readonly #carrier: string
  readonly #metrics: SmppMetrics
  readonly #counts: Record<Figure, number> = { submits: 0, silences: 0, lateAnswers: 0, receipts: 0, replies: 0 }
  readonly #answers = new Map<number, number>()

  constructor(carrier: string, metrics: SmppMetrics) {
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
