import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'
import { type Asker, NO_ACCOUNT } from './caller.ts'
import { networkOf } from './networks.ts'
import { type Place, RequestList } from './request-list.ts'
import { Room } from './room.ts'

export interface LoadLimits {
  /** Requests that are being answered. Past it, waiting would only make all of them late. */
  requestsInProgressMax: number
  /** How long most requests may take. While they take longer, fewer are let in. */
  ageMaxMs: number
  /** Connections that are open, whatever they are used for. Each costs some memory. */
  connectionsMax: number
  /** Listening sockets on our address; `listeners.ts` says why there are several. */
  listeners: number
  /** Bytes of the bodies that are being received, as announced. */
  bodyBytesMax: number
  /** Bytes of the files that are on disk for requests that are not over, as announced. */
  fileBytesMax: number
  /** Characters of large answers that have not left: their readers may be slow, and a page of contacts may have 17 MB. */
  answerCharactersMax: number
  /** Received bytes of bodies without credentials: log-ins, and events of carriers. */
  strangerBytesMax: number
  /** How long a body without credentials may take to come. */
  strangerBodyMaxMs: number
  /** How late the event loop may run, over the last sample, before new requests are turned away. */
  loopDelayMaxMs: number
  /** How long the work may take. The database ends a statement sooner; this is for a database that is silent. */
  workMaxMs: number
  /** How long the work of a long operation may take: a million rows are read, checked and stored. */
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
  answerCharactersMax: 256 * 1024 * 1024,
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
/** So many may always be in progress: with fewer, transactions have fewer sends to share, and no request is faster. */
const PLACES_MIN = 200
/** A top-level account and its sub-accounts may always hold so many together, however many others hold. */
const PLACES_OWN = 5
/** The places halve in 0.7 s and double in 1.4 s: requests that were let in take about as long to leave. */
const PLACES_CHANGE = { down: 0.9, up: 1.05 }
/** When old requests hold a larger share of the places, there are too many places. */
const OLD_SHARE_MAX = 1 / 8
const RETRY_AFTER_SECONDS = 1
/** Smaller answers are not counted: there are no more of them than places. */
const LARGE_ANSWER = 64 * 1024
/** So much of the room an answer counts for at most: one that is larger must find room, too. */
const ANSWER_SHARE_MAX = 1 / 4

/**
 * Turns requests away, quickly and with a time to come back, when there is more than can be done. A request takes a
 * place when its body is there and its work begins: one that trickles in holds nothing but its own socket.
 *
 * The number of places follows from the time that requests take. A thousand requests that are done in half a second are
 * fine; when only a hundred are done in that time, the other 900 would only wait, and be late. Three kinds do not
 * count for that, because they say nothing about load: long work, answers on their way to a slow reader, and requests
 * that wait for events. The first two still hold one of the thousand places: a client could ask for them without end.
 * The third have a limit of their own (`waits.ts`).
 *
 * No account may hold more than is left for all others, of places as of bytes and of answers that have not left: one that
 * floods gets half, two get a third each. A top-level account counts together with its sub-accounts, and of its share no
 * sub-account may hold more than is left for the others in it. An account that asks for little always finds room, also when
 * the event loop is late: that is how accounts that flood are told from the others. Requests without credentials count as an
 * account, and the networks that they come from as its sub-accounts.
 */
export class LoadShedding {
  readonly #limits: LoadLimits
  readonly #events: LoadEvents
  readonly #requests = new RequestList()
  readonly #bodies: Room
  readonly #files: Room
  readonly #answers: Room
  /** The places of all requests but those that wait for events. */
  readonly #places: Room
  /** Those of the requests whose time says how much can be done. */
  readonly #working: Room
  readonly #loopDelay = monitorEventLoopDelay({ resolution: 20 })
  readonly #timers: NodeJS.Timeout[]
  #isLoopLate = false
  #isClosing = false

  constructor(limits: LoadLimits, events: LoadEvents) {
    this.#limits = limits
    this.#events = events
    this.#bodies = new Room(limits.bodyBytesMax)
    this.#files = new Room(limits.fileBytesMax)
    this.#answers = new Room(limits.answerCharactersMax)
    this.#places = new Room(limits.requestsInProgressMax)
    this.#working = new Room(limits.requestsInProgressMax)
    this.#loopDelay.enable()
    this.#timers = [
      setInterval(() => this.#sample(), SAMPLE_MS).unref(),
      setInterval(() => this.#adapt(), ADAPT_MS).unref()
    ]
  }

  get inProgress(): number {
    return this.#requests.size
  }

  /** How many requests may be in progress at the moment. */
  get inProgressMax(): number {
    return Math.floor(this.#working.max)
  }

  /** Whether the event loop is so late that only accounts are let in that are known to ask for little. */
  get isLate(): boolean {
    return this.#isLoopLate
  }

  /** The refusal for a request that arrives now, of this account or of anybody; undefined if there is room. */
  refusalNow(asker?: Asker): Refusal | undefined {
    if (this.#isClosing) return STOPPING
    if (this.#places.isFull) return OVERLOADED
    if (asker === undefined) return this.#isLoopLate ? OVERLOADED : undefined
    if (this.#places.heldByTopLevel(asker) >= PLACES_OWN && !this.#places.hasRoom(asker, 1)) return OVERLOADED
    if (this.#working.heldByTopLevel(asker) < PLACES_OWN) return undefined
    return this.#isLoopLate || !this.#working.hasRoom(asker, 1) ? OVERLOADED : undefined
  }

  /** Makes room for a body of so many bytes, until `begin` or until the client goes away. */
  receive(reply: FastifyReply, bytes: number): Refusal | undefined {
    const share = this.#shareOf(reply)
    if (!this.#bodies.hasRoom(share.asker, bytes)) return OVERLOADED
    this.#bodies.take(share.asker, bytes)
    share.bodyBytes = bytes
    return undefined
  }

  /** Makes room for a file, which goes to disk and stays there until the request is over. */
  receiveFile(reply: FastifyReply, bytes: number): Refusal | undefined {
    const share = this.#shareOf(reply)
    if (!this.#files.hasRoom(share.asker, bytes)) return TOO_MANY_FILES
    this.#files.take(share.asker, bytes)
    share.fileBytes = bytes
    return undefined
  }

  /** Gives the request a place among those in progress, until the last of its answer has left. */
  begin(reply: FastifyReply): Refusal | undefined {
    const share = this.#shareOf(reply)
    this.#bodies.giveBack(share.asker, share.bodyBytes)
    share.bodyBytes = 0
    const isLongWork = hasLongWork(reply)
    const refusal = isLongWork && this.#isLoopLate ? OVERLOADED : this.refusalNow(share.asker)
    if (refusal) return refusal
    share.place = this.#requests.add(reply)
    this.#places.take(share.asker, 1)
    share.isCounted = true
    if (isLongWork) return undefined
    this.#working.take(share.asker, 1)
    share.isWorking = true
    return undefined
  }

  /**
   * Makes room for an answer, or for a piece of a streamed one, until the last of it has left. Of a stream the largest piece
   * counts.
   */
  holdAnswer(reply: FastifyReply, characters: number): Refusal | undefined {
    const share = this.#shareOf(reply)
    const held = Math.min(characters, this.#limits.answerCharactersMax * ANSWER_SHARE_MAX)
    const more = held - share.answerCharacters
    // Nobody gives back the room of a client that has gone already.
    if (characters < LARGE_ANSWER || more <= 0 || reply.raw.destroyed) return undefined
    if (!this.#answers.hasRoom(share.asker, more)) return TOO_MANY_ANSWERS
    this.#answers.take(share.asker, more)
    share.answerCharacters = held
    return undefined
  }

  /** Does the work of a request. The work keeps its place even when the client goes away before it is done. */
  async run<T>(reply: FastifyReply, work: () => Promise<T>): Promise<T> {
    const share = this.#shareOf(reply)
    share.isRunning = true
    try {
      return await work()
    } finally {
      share.isRunning = false
      if (share.isAbandoned) this.#giveBack(share)
    }
  }

  /** From now on nothing new is taken: the process is about to stop. */
  close(): void {
    this.#isClosing = true
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#loopDelay.disable()
  }

  #sample(): void {
    // The histogram counts in nanoseconds. The mean, because one long garbage collection is no overload.
    this.#isLoopLate = this.#loopDelay.mean / 1e6 > this.#limits.loopDelayMaxMs
    this.#loopDelay.reset()
    this.#endOverdue()
  }

  /** One look at all requests now and then costs far less than a timer for each. */
  #endOverdue(): void {
    const { workMaxMs, longWorkMaxMs } = this.#limits
    for (const { reply, startedAt } of this.#requests.startedBefore(performance.now() - workMaxMs)) {
      if (hasLongWork(reply) && startedAt > performance.now() - longWorkMaxMs) continue
      const share = this.#shareOf(reply)
      if (share.isAbandoned) this.#giveBack(share)
      // Of a stream the work is done: its answer has begun, and nothing else can be said any more.
      if (reply.sent || reply.raw.headersSent || share.isAbandoned) continue
      share.isOverdue = true
      this.#events.onOverdue(reply, unavailable('This took too long; ask again.'))
    }
  }

  /** Takes places away while too many requests are old, and gives them back afterwards. */
  #adapt(): void {
    const { ageMaxMs, requestsInProgressMax } = this.#limits
    let oldCount = 0
    for (const { reply } of this.#requests.startedBefore(performance.now() - ageMaxMs)) {
      const share = this.#shareOf(reply)
      if (share.isWaiting) this.#giveBackPlace(share)
      else if (reply.raw.headersSent) this.#stopWorking(share)
      else if (share.isWorking) oldCount++
    }
    const { max } = this.#working
    this.#working.max =
      oldCount > max * OLD_SHARE_MAX
        ? Math.max(Math.min(PLACES_MIN, requestsInProgressMax), max * PLACES_CHANGE.down)
        : Math.min(requestsInProgressMax, max * PLACES_CHANGE.up)
  }

  #stopWorking(share: Share): void {
    if (share.isWorking) this.#working.giveBack(share.asker, 1)
    share.isWorking = false
  }

  #giveBackPlace(share: Share): void {
    this.#stopWorking(share)
    if (share.isCounted) this.#places.giveBack(share.asker, 1)
    share.isCounted = false
  }

  #giveBack(share: Share): void {
    this.#giveBackPlace(share)
    if (share.place) this.#requests.remove(share.place)
    share.place = undefined
  }

  /**
   * One listener for all that a request holds: it is called when the last byte has left, or when the client goes away.
   */
  #shareOf(reply: FastifyReply): Share {
    if (reply.load) return reply.load
    const share = newShare(reply)
    reply.load = share
    reply.raw.once('close', () => {
      this.#bodies.giveBack(share.asker, share.bodyBytes)
      this.#files.giveBack(share.asker, share.fileBytes)
      this.#answers.giveBack(share.asker, share.answerCharacters)
      // The work goes on and keeps its place: else clients that ask and leave at once would fill queues without end.
      share.isAbandoned = share.isRunning
      if (!share.isAbandoned) this.#giveBack(share)
      if (!reply.raw.writableFinished && !share.isOverdue) this.#events.onAborted(reply)
    })
    return share
  }
}

function hasLongWork(reply: FastifyReply): boolean {
  return reply.request.routeOptions.config.isLongWork === true
}

declare module 'fastify' {
  interface FastifyReply {
    /** The places and bytes that the request holds. */
    load: Share | null
  }
}

/** The places and bytes that a request holds until it is over. */
interface Share {
  /** The account that asks, or nobody. */
  asker: Asker
  bodyBytes: number
  fileBytes: number
  answerCharacters: number
  place: Place | undefined
  /** Whether it holds one of the places that accounts share. */
  isCounted: boolean
  /** Whether its work counts for how many may be in progress. */
  isWorking: boolean
  /** Whether its work has begun and is not over. */
  isRunning: boolean
  /** Whether it does not work, but waits for something to happen. */
  isWaiting: boolean
  isOverdue: boolean
  /** Whether the client has gone while it was running. */
  isAbandoned: boolean
}

function newShare(reply: FastifyReply): Share {
  return {
    asker: askerOf(reply),
    bodyBytes: 0,
    fileBytes: 0,
    answerCharacters: 0,
    place: undefined,
    isCounted: false,
    isWorking: false,
    isRunning: false,
    isWaiting: false,
    isOverdue: false,
    isAbandoned: false
  }
}

/** Events of carriers, which show credentials of their own kind, share this account. */
const CARRIERS: Asker = { accountId: -1, topLevelId: -1 }

function askerOf({ request }: FastifyReply): Asker {
  if (request.caller) return request.caller
  if (request.routeOptions.config.isCallback) return CARRIERS
  // Requests without credentials count by their network. The address is undefined if the connection had ended before.
  return { ...NO_ACCOUNT, accountId: networkOf((request.ip as string | undefined) ?? '') }
}

function unavailable(sentence: string): Refusal {
  return new Refusal(503, 'unavailable', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

// Made once: the stack trace of an error takes longer than all the rest of a refusal.
const OVERLOADED = unavailable('The service is overloaded; ask again.')
const TOO_MANY_FILES = unavailable('Too many files are being received; ask again.')
const TOO_MANY_ANSWERS = unavailable('Too many large answers are still being read; ask again.')
const STOPPING = unavailable('This process is stopping; ask again.')
