import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'

export interface LoadLimits {
  /** Requests that are being answered. Past it, waiting would only make all of them late. */
  requestsInProgressMax: number
  /** How late the event loop may run, over the last sample, before new requests are turned away. */
  loopDelayMaxMs: number
  /** How long a request may take. The database gives up on a statement sooner; this is for one that does not even say so. */
  requestMaxMs: number
}

export const LOAD_LIMITS: LoadLimits = { requestsInProgressMax: 1_000, loopDelayMaxMs: 1_000, requestMaxMs: 60_000 }

const SAMPLE_MS = 500
const RETRY_AFTER_SECONDS = 1

/** Turns requests away, quickly and with a time to come back, when there is more than can be done. */
export function startLoadShedding(limits: LoadLimits, onOverdue: (reply: FastifyReply, refusal: Refusal) => void) {
  const requests = new RequestList()
  let isLoopLate = false
  let isClosing = false

  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const timer = setInterval(() => {
    // The histogram counts in nanoseconds. The mean, because one long garbage collection is no overload.
    isLoopLate = delay.mean / 1e6 > limits.loopDelayMaxMs
    delay.reset()
    // One look at all requests now and then costs far less than a timer for each.
    for (const reply of requests.olderThan(limits.requestMaxMs)) {
      if (!reply.sent) onOverdue(reply, unavailable('This took too long; ask again.'))
    }
  }, SAMPLE_MS).unref()

  return {
    get inProgress() {
      return requests.size
    },
    /** The refusal for a request that arrives now, if it can't be taken. */
    enter(reply: FastifyReply): Refusal | undefined {
      if (isClosing) return unavailable('This process is stopping; ask again.')
      if (isLoopLate || requests.size >= limits.requestsInProgressMax) {
        return unavailable('The service is overloaded; ask again.')
      }
      const place = requests.add(reply)
      // When the last byte has left, and also when the client goes away before that.
      reply.raw.once('close', () => requests.remove(place))
      return undefined
    },
    /** From now on nothing new is taken: the process is about to stop. */
    close() {
      isClosing = true
    },
    stop() {
      clearInterval(timer)
      delay.disable()
    }
  }
}

/**
 * The requests in progress, oldest first, as a linked list: a Set that as much comes and goes through makes the garbage
 * collector work four times as hard.
 */
class RequestList {
  size = 0
  readonly #ends: Place

  constructor() {
    const ends = { reply: undefined } as unknown as Place
    ends.previous = ends
    ends.next = ends
    this.#ends = ends
  }

  add(reply: FastifyReply): Place {
    const { previous } = this.#ends
    const place = { reply, previous, next: this.#ends }
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

  *olderThan(ageMs: number): Iterable<FastifyReply> {
    for (
      let place = this.#ends.next;
      place.reply !== undefined && place.reply.elapsedTime > ageMs;
      place = place.next
    ) {
      yield place.reply
    }
  }
}

interface Place {
  /** Undefined at the two ends, which are one and the same place. */
  reply: FastifyReply | undefined
  previous: Place
  next: Place
}

function unavailable(sentence: string): Refusal {
  return new Refusal(503, 'unavailable', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
