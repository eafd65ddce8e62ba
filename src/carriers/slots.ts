import { Fifo } from './fifo.ts'

/** So many at once; the others wait for one to end, in their order. */
export class Slots {
  readonly #waiting = new Fifo<() => void>()
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
