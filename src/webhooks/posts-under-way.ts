import type { DueDelivery } from './dispatch.store.ts'
import type { PostResult } from './post.ts'

export interface Posted {
  delivery: DueDelivery
  result: PostResult
}

/** A post that takes longer is slow: the next posts do not wait for its end. */
const SLOW_MS = 250

/** The posts to one receiver in a turn, and the outcomes that are not stored yet. */
export class PostsUnderWay {
  readonly #connectionsMax: number
  /** When each began, by delivery. */
  readonly #startedAtMs = new Map<number, number>()
  #ended: Posted[] = []
  #broken: unknown
  #waiting: (() => void)[] = []

  constructor({ connectionsMax }: { connectionsMax: number }) {
    this.#connectionsMax = connectionsMax
  }

  get count(): number {
    return this.#startedAtMs.size
  }

  /** Outcomes that wait to be stored, in the order in which they came. */
  get ended(): readonly Posted[] {
    return this.#ended
  }

  /** While this is so, the database shows a delivery as due, and it must not be posted again. */
  has({ id }: { id: number }): boolean {
    return this.#startedAtMs.has(id) || this.#ended.some(({ delivery }) => delivery.id === id)
  }

  begin(delivery: DueDelivery, post: (delivery: DueDelivery) => Promise<PostResult>): void {
    this.#startedAtMs.set(delivery.id, performance.now())
    post(delivery)
      .then(
        (result) => this.#ended.push({ delivery, result }),
        (error) => {
          this.#broken ??= error
        }
      )
      .finally(() => {
        this.#startedAtMs.delete(delivery.id)
        for (const resume of this.#waiting.splice(0)) resume()
      })
  }

  /** The outcomes to store now. A post that threw is a bug, and ends the turn. */
  takeEnded(): Posted[] {
    if (this.#broken !== undefined) throw this.#broken
    const ended = this.#ended
    this.#ended = []
    return ended
  }

  /** Waits until a post ends, or for this time. */
  async oneEnds({ withinMs }: { withinMs?: number } = {}): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = withinMs === undefined ? undefined : setTimeout(resolve, withinMs)
    this.#waiting.push(resolve)
    await promise
    clearTimeout(timer)
  }

  async connectionIsFree(): Promise<void> {
    while (this.count >= this.#connectionsMax) await this.oneEnds()
  }

  /** Waits for all but the slow ones. */
  async quickOnesEnd(): Promise<void> {
    for (;;) {
      const slowAtMs = Math.max(...this.#startedAtMs.values()) + SLOW_MS
      const withinMs = slowAtMs - performance.now()
      if (withinMs <= 0) return
      await this.oneEnds({ withinMs: Math.ceil(withinMs) })
    }
  }

  async allEnd(): Promise<void> {
    while (this.count > 0) await this.oneEnds()
  }
}
