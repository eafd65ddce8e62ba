import { Fifo } from '../src/carriers/fifo.ts'

/** Runs functions later, in the order of their calls. There is one timer for each delay: a timer per message is too slow. */
export class Delays {
  readonly #lines = new Map<number, Line>()

  /** Runs at once without a delay. */
  run(delayMs: number, action: () => void): void {
    if (delayMs <= 0) {
      action()
      return
    }
    let line = this.#lines.get(delayMs)
    if (!line) {
      line = new Line(delayMs, () => this.#lines.delete(delayMs))
      this.#lines.set(delayMs, line)
    }
    line.add(action)
  }

  get waitingCount(): number {
    let count = 0
    for (const line of this.#lines.values()) count += line.waitingCount
    return count
  }

  /** Drops the waiting functions. */
  stop(): void {
    for (const line of this.#lines.values()) line.stop()
    this.#lines.clear()
  }
}

class Line {
  readonly #delayMs: number
  readonly #onEmpty: () => void
  readonly #waiting = new Fifo<{ at: number; action: () => void }>()
  #timer: NodeJS.Timeout | undefined

  constructor(delayMs: number, onEmpty: () => void) {
    this.#delayMs = delayMs
    this.#onEmpty = onEmpty
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  add(action: () => void): void {
    this.#waiting.push({ at: Date.now() + this.#delayMs, action })
    this.#timer ??= setTimeout(() => this.#runDue(), this.#delayMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting.drain()
  }

  #runDue(): void {
    const now = Date.now()
    for (let next = this.#waiting.first; next && next.at <= now; next = this.#waiting.first) {
      this.#waiting.shift()
      next.action()
    }
    const { first } = this.#waiting
    if (first) this.#timer = setTimeout(() => this.#runDue(), Math.max(1, first.at - now))
    else this.#onEmpty()
  }
}
