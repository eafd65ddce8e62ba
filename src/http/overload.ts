import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'
import type { Asker } from './caller.ts'
import { addTo } from './counts.ts'

export interface LoadLimits {
  /** Requests that are being answered. Past it, waiting would only make all of them late. */
  requestsInProgressMax: number
  /** How long most of them may take. While they take longer, fewer are let in. */
  ageMaxMs: number
  /** Connections that are open, whatever they are used for. Each costs some memory. */
  connectionsMax: number
  /** Sockets on our address, over which new connections come in; `listeners.ts` says why. */
  listeners: number
  /** Bytes of the bodies that are being received, as announced. */
  bodyBytesMax: number
  /** Bytes of the files that are on disk for requests that are not over, as announced. */
  fileBytesMax: number
  /** Bytes that have come of bodies whose senders are not proven: log-ins, and events of carriers. */
  strangerBytesMax: number
  /** How long such a body may take to come. */
  strangerBodyMaxMs: number
  /** How late the event loop may run, over the last sample, before new requests are turned away. */
  loopDelayMaxMs: number
  /** How long the work may take. The database gives up on a statement sooner; this is for one that does not even say so. */
  workMaxMs: number
  /** How long it may take for an operation that is known to be long: a million rows are read, checked and stored. */
  longWorkMaxMs: number
}

export const LOAD_LIMITS: LoadLimits = {
  requestsInProgressMax: 1_000,
  ageMaxMs: 500,
  connectionsMax: 10_000,
  // Measured: to take 3,000 connections while as many requests are refused took 8 s with 32, in turns of 80 ms.
  listeners: 128,
  bodyBytesMax: 512 * 1024 * 1024,
  fileBytesMax: 2 * 1024 * 1024 * 1024,
  // Some 30,000 events of carriers at a time.
  strangerBytesMax: 64 * 1024 * 1024,
  strangerBodyMaxMs: 10_000,
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
const ADAPT_MS = 100
/** However slow all is, so many may be in progress: with fewer, transactions have fewer sends to share, and nobody is faster. */
const PLACES_MIN = 200
/** However many places others hold, a top-level account and its sub-accounts may hold so many together. */
const PLACES_OWN = 5
/** The places halve in 0.7 s and double in 1.4 s: requests that were let in take about as long to leave. */
const PLACES_CHANGE = { down: 0.9, up: 1.05 }
/** So large a share of the places taken by requests that are too old means that there are too many. */
const OLD_SHARE_MAX = 1 / 8
const RETRY_AFTER_SECONDS = 1

export type LoadShedding = ReturnType<typeof startLoadShedding>

/**
 * Turns requests away, quickly and with a time to come back, when there is more than can be done. A request takes a place
 * when its body is there and its work begins: one that trickles in holds nothing but its own socket.
 *
 * How many places there are follows from how long requests take: a thousand that are done in half a second are fine; when only a
 * hundred are done in that time, the others would wait for nothing but their turn to be late. Work that is known to be long,
 * answers that are on their way to a slow reader, and requests that wait for events are no sign of that, and have no part in it.
 *
 * No account may hold more than is left for all others, of places as of bytes: one that floods gets half, two get a third
 * each. A top-level account counts together with its sub-accounts, and of its share no sub-account may hold more than is
 * left for the others in it. Whoever asks for little always finds room, also when the event loop is late: that is how those
 * that flood are told from the others.
 */
export function startLoadShedding(limits: LoadLimits, { onOverdue, onAborted }: LoadEvents) {
  const requests = new RequestList()
  const bodies = new Room(limits.bodyBytesMax)
  const files = new Room(limits.fileBytesMax)
  const working = new Room(limits.requestsInProgressMax)
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
      const share = shareOf(reply)
      if (share.isLeft) giveBack(share)
      if (reply.sent || share.isLeft) continue
      share.isOverdue = true
      onOverdue(reply, unavailable('This took too long; ask again.'))
    }
  }, SAMPLE_MS).unref()
  const adapting = setInterval(adapt, ADAPT_MS).unref()

  function adapt(): void {
    let old = 0
    for (const { reply } of requests.startedBefore(performance.now() - limits.ageMaxMs)) {
      const share = shareOf(reply)
      if (share.isWaiting || reply.raw.headersSent) stopWorking(share)
      else if (share.isWorking) old++
    }
    const least = Math.min(PLACES_MIN, limits.requestsInProgressMax)
    working.max =
      old > working.max * OLD_SHARE_MAX
        ? Math.max(least, working.max * PLACES_CHANGE.down)
        : Math.min(limits.requestsInProgressMax, working.max * PLACES_CHANGE.up)
  }

  /** The refusal for a request of this account, or of anybody, that arrives now, if it can't be taken. */
  function refusalNow(whose?: Asker): Refusal | undefined {
    if (isClosing) return STOPPING
    if (requests.size >= limits.requestsInProgressMax) return OVERLOADED
    if (whose !== undefined && working.heldByTopLevel(whose) < PLACES_OWN) return undefined
    if (isLoopLate) return OVERLOADED
    return whose === undefined || working.hasRoom(whose, 1) ? undefined : OVERLOADED
  }

  function stopWorking(share: Share): void {
    if (share.isWorking) working.giveBack(share.whose, 1)
    share.isWorking = false
  }

  function giveBack(share: Share): void {
    stopWorking(share)
    if (share.place) requests.remove(share.place)
    share.place = undefined
  }

  /** One listener for all a request holds: when the last byte has left, and also when the client goes away before that. */
  function shareOf(reply: FastifyReply): Share {
    if (reply.load) return reply.load
    const share: Share = {
      whose: whoAsks(reply),
      bodyBytes: 0,
      fileBytes: 0,
      place: undefined,
      isWorking: false,
      isRunning: false,
      isWaiting: false,
      isOverdue: false,
      isLeft: false
    }
    reply.load = share
    reply.raw.once('close', () => {
      bodies.giveBack(share.whose, share.bodyBytes)
      files.giveBack(share.whose, share.fileBytes)
      // Its work goes on, whether or not somebody waits for it: clients that ask and leave at once would fill queues without end.
      share.isLeft = share.isRunning
      if (!share.isLeft) giveBack(share)
      if (!reply.raw.writableFinished && !share.isOverdue) onAborted(reply)
    })
    return share
  }

  return {
    get inProgress() {
      return requests.size
    },
    /** How many may be at the moment. */
    get inProgressMax() {
      return Math.floor(working.max)
    },
    /** Whether all run so late that only those are let in who are known to ask for little. */
    get isLate() {
      return isLoopLate
    },
    refusalNow,
    /** Makes room for a body of so many bytes, until `begin` or until the client goes away. */
    receive(reply: FastifyReply, bytes: number): Refusal | undefined {
      const share = shareOf(reply)
      if (!bodies.hasRoom(share.whose, bytes)) return OVERLOADED
      bodies.take(share.whose, bytes)
      share.bodyBytes = bytes
      return undefined
    },
    /** The same for a file, which goes to disk and stays there until the request is over. */
    receiveFile(reply: FastifyReply, bytes: number): Refusal | undefined {
      const share = shareOf(reply)
      if (!files.hasRoom(share.whose, bytes)) return TOO_MANY_FILES
      files.take(share.whose, bytes)
      share.fileBytes = bytes
      return undefined
    },
    /** Gives the request a place among those in progress, until the last of its answer has left. */
    begin(reply: FastifyReply): Refusal | undefined {
      const share = shareOf(reply)
      bodies.giveBack(share.whose, share.bodyBytes)
      share.bodyBytes = 0
      const isLongWork = reply.request.routeOptions.config.isLongWork === true
      const refusal = isLongWork && isLoopLate ? OVERLOADED : refusalNow(share.whose)
      if (refusal) return refusal
      share.place = requests.add(reply)
      if (isLongWork) return undefined
      working.take(share.whose, 1)
      share.isWorking = true
      return undefined
    },
    /** Does its work, which keeps the place even when the client goes away before it is done. */
    async run<T>(reply: FastifyReply, work: () => Promise<T>): Promise<T> {
      const share = shareOf(reply)
      share.isRunning = true
      try {
        return await work()
      } finally {
        share.isRunning = false
        if (share.isLeft) giveBack(share)
      }
    },
    /** From now on nothing new is taken: the process is about to stop. */
    close() {
      isClosing = true
    },
    stop() {
      clearInterval(timer)
      clearInterval(adapting)
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
  /** The account that asks, or nobody. */
  whose: Asker
  bodyBytes: number
  fileBytes: number
  place: Place | undefined
  /** Whether its work counts for how many may be in progress. */
  isWorking: boolean
  /** Whether its work has begun and is not over. */
  isRunning: boolean
  /** Whether it does not work, but waits for something to happen. */
  isWaiting: boolean
  isOverdue: boolean
  /** Whether the client has gone while it was running. */
  isLeft: boolean
}

/** All who show no credentials, together, and carriers, who show others. */
export const NOBODY = { accountId: 0, topLevelId: 0 }
const CARRIERS: Asker = { accountId: -1, topLevelId: -1 }

function whoAsks({ request }: FastifyReply): Asker {
  if (request.caller) return request.caller
  return request.routeOptions.config.isCallback ? CARRIERS : NOBODY
}

/**
 * So much of something, of which no top-level account may hold more than is left for all others, and no sub-account more than
 * is left of the share of its top-level account.
 */
export class Room {
  max: number
  #used = 0
  readonly #byTopLevel = new Map<Asker['topLevelId'], number>()
  /** Of sub-accounts alone: the others are counted above. */
  readonly #bySubAccount = new Map<Asker['accountId'], number>()

  constructor(max: number) {
    this.max = max
  }

  heldByTopLevel({ topLevelId }: Asker): number {
    return this.#byTopLevel.get(topLevelId) ?? 0
  }

  hasRoom(whose: Asker, amount: number): boolean {
    const left = this.max - this.#used
    const held = this.heldByTopLevel(whose)
    if (held + amount > left) return false
    if (!isSubAccount(whose)) return true
    const share = (left + held) / 2
    return (this.#bySubAccount.get(whose.accountId) ?? 0) + amount <= share - held
  }

  take(whose: Asker, amount: number): void {
    this.#add(whose, amount)
  }

  giveBack(whose: Asker, amount: number): void {
    this.#add(whose, -amount)
  }

  #add(whose: Asker, amount: number): void {
    if (amount === 0) return
    this.#used += amount
    addTo(this.#byTopLevel, whose.topLevelId, amount)
    if (isSubAccount(whose)) addTo(this.#bySubAccount, whose.accountId, amount)
  }
}

function isSubAccount({ accountId, topLevelId }: Asker): boolean {
  return accountId !== topLevelId
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

// Made once: to note where an error was made takes longer than all else that a refusal does.
const OVERLOADED = unavailable('The service is overloaded; ask again.')
const TOO_MANY_FILES = unavailable('Too many files are being received; ask again.')
const STOPPING = unavailable('This process is stopping; ask again.')
