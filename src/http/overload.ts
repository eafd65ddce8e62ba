import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'

export interface LoadLimits {
  /** Requests that are being answered. Past it, waiting would only make all of them late. */
  requestsInProgressMax: number
  /** Bytes of the bodies that are being received, as announced. */
  bodyBytesMax: number
  /** Bytes of the files that are on disk for requests that are not over, as announced. */
  fileBytesMax: number
  /** How late the event loop may run, over the last sample, before new requests are turned away. */
  loopDelayMaxMs: number
  /** How long the work may take. The database gives up on a statement sooner; this is for one that does not even say so. */
  workMaxMs: number
  /** How long it may take for an operation that is known to be long: a million rows are read, checked and stored. */
  longWorkMaxMs: number
}

export const LOAD_LIMITS: LoadLimits = {
  requestsInProgressMax: 1_000,
  bodyBytesMax: 512 * 1024 * 1024,
  fileBytesMax: 2 * 1024 * 1024 * 1024,
  loopDelayMaxMs: 1_000,
  workMaxMs: 60_000,
  longWorkMaxMs: 600_000
}

export interface LoadEvents {
  /** The work takes too long. */
  onOverdue(reply: FastifyReply, refusal: Refusal): void
  /** The client has gone before its answer was whole. */
  onAborted(reply: FastifyReply): void
}

const SAMPLE_MS = 500
const RETRY_AFTER_SECONDS = 1

/**
 * Turns requests away, quickly and with a time to come back, when there is more than can be done. A request takes a place
 * when its body is there and its work begins: one that trickles in holds nothing but its own socket.
 */
export function startLoadShedding(limits: LoadLimits, { onOverdue, onAborted }: LoadEvents) {
  const requests = new RequestList()
  let bodyBytes = 0
  let fileBytes = 0
  let isLoopLate = false
  let isClosing = false

  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const timer = setInterval(() => {
    // The histogram counts in nanoseconds. The mean, because one long garbage collection is no overload.
    isLoopLate = delay.mean / 1e6 > limits.loopDelayMaxMs
    delay.reset()
    // One look at all requests now and then costs far less than a timer for each.
    for (const { reply, startedAt } of requests.startedBefore(performance.now() - limits.workMaxMs)) {
      const isLongWork = reply.request.routeOptions.config.isLongWork === true
      if (isLongWork && startedAt > performance.now() - limits.longWorkMaxMs) continue
      if (reply.sent) continue
      shareOf(reply).isOverdue = true
      onOverdue(reply, unavailable('This took too long; ask again.'))
    }
  }, SAMPLE_MS).unref()

  /** The refusal for a request that arrives now, if it can't be taken. */
  function refusalNow(): Refusal | undefined {
    if (isClosing) return unavailable('This process is stopping; ask again.')
    if (isLoopLate || requests.size >= limits.requestsInProgressMax) {
      return unavailable('The service is overloaded; ask again.')
    }
    return undefined
  }

  /** One listener for all a request holds: when the last byte has left, and also when the client goes away before that. */
  function shareOf(reply: FastifyReply): Share {
    if (reply.load) return reply.load
    const share: Share = { bodyBytes: 0, fileBytes: 0, place: undefined, isOverdue: false }
    reply.load = share
    reply.raw.once('close', () => {
      bodyBytes -= share.bodyBytes
      fileBytes -= share.fileBytes
      if (share.place) requests.remove(share.place)
      if (!reply.raw.writableFinished && !share.isOverdue) onAborted(reply)
    })
    return share
  }

  return {
    get inProgress() {
      return requests.size
    },
    refusalNow,
    /** Makes room for a body of so many bytes, until `begin` or until the client goes away. */
    receive(reply: FastifyReply, bytes: number): Refusal | undefined {
      if (bodyBytes + bytes > limits.bodyBytesMax) return unavailable('The service is overloaded; ask again.')
      bodyBytes += bytes
      shareOf(reply).bodyBytes = bytes
      return undefined
    },
    /** The same for a file, which goes to disk and stays there until the request is over. */
    receiveFile(reply: FastifyReply, bytes: number): Refusal | undefined {
      if (fileBytes + bytes > limits.fileBytesMax) return unavailable('Too many files are being received; ask again.')
      fileBytes += bytes
      shareOf(reply).fileBytes = bytes
      return undefined
    },
    /** Gives the request a place among those in progress, until the last of its answer has left. */
    begin(reply: FastifyReply): Refusal | undefined {
      const share = shareOf(reply)
      bodyBytes -= share.bodyBytes
      share.bodyBytes = 0
      const refusal = refusalNow()
      if (!refusal) share.place = requests.add(reply)
      return refusal
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

declare module 'fastify' {
  interface FastifyReply {
    /** What its request takes of the limits. */
    load: Share | null
  }
}

/** What a request holds, to be given back when it is over. */
interface Share {
  bodyBytes: number
  fileBytes: number
  place: Place | undefined
  isOverdue: boolean
}

/**
 * The requests in progress, oldest first, as a linked list: a Set that as much comes and goes through makes the garbage
 * collector work four times as hard.
 */
class RequestList {
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

interface Place {
  /** Undefined at the two ends, which are one and the same place. */
  reply: FastifyReply | undefined
  startedAt: number
  previous: Place
  next: Place
}

function unavailable(sentence: string): Refusal {
  return new Refusal(503, 'unavailable', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
