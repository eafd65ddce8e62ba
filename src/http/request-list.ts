import type { FastifyReply } from 'fastify'

/** Requests, oldest first, as a linked list: with a Set, the garbage collector works four times as hard. */
export class RequestList {
  size = 0
  readonly #ends: Place

  constructor() {
    const ends = { reply: undefined, startedAt: 0 } as unknown as Place
    ends.previous = ends
    ends.next = ends
    this.#ends = ends
  }

  add(reply: FastifyReply): Place {
    const { previous } = this.#ends
    const place = { reply, startedAt: performance.now(), previous, next: this.#ends }
    previous.next = place
    this.#ends.previous = place
    this.size++
    return place
  }

  remove({ previous, next }: Place): void {
    previous.next = next
    next.previous = previous
    this.size--
  }

  *startedBefore(time: number): Iterable<{ reply: FastifyReply; startedAt: number }> {
    for (let place = this.#ends.next; place.reply !== undefined && place.startedAt < time; place = place.next) {
      yield { reply: place.reply, startedAt: place.startedAt }
    }
  }
}

export interface Place {
  /** Undefined only in the place that is both ends of the list. */
  reply: FastifyReply | undefined
  startedAt: number
  previous: Place
  next: Place
}
