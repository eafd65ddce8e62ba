import type { LookupAddress } from 'node:dns'
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type Answer, readAnswer } from './answer.ts'
import { createLookup, type Lookup } from './lookup.ts'
import { classOf, Failure, type FailureClass, privateFailure, sentenceOf, timeOutFailure } from './post-failure.ts'
import { isPublicAddress } from './private-addresses.ts'
import { isPrivateHost, type Target } from './target.ts'

export type PostResult =
  | ({ kind: 'answered'; ms: number } & Answer)
  /** There was no answer, but the receiver may have the event. The sentence is for the customer. */
  | { kind: 'failed'; failure: FailureClass; error: string; ms: number }

export interface Post {
  /** POST, unless a callback asks for GET. */
  method?: 'GET' | 'POST'
  headers: Record<string, string>
  body: string | Uint8Array
}

export interface PosterSettings {
  allowPrivate: boolean
  lookup?: Lookup
  /** From the start, the wait for a free connection and the name's resolution included, to the end of the answer's head. */
  timeoutMs?: number
  /** To one receiver: a path of a host. More posts than this wait for each other, and their time runs meanwhile. */
  connectionsPerHost: number
}

export interface Poster {
  post(target: Target, message: Post): Promise<PostResult>
  /** Closes every connection. Posts that are under way fail, and so do later ones. */
  close(): void
}

const IDLE_MS = 5_000 // Most servers keep an idle connection this long, Node among them.
const IDLE_RECEIVERS_MAX = 500 // Times connectionsPerHost: the file descriptors that idle connections may hold.
const ADDRESS_WAIT_MS = 3_000 // Node's own 250 ms, after which it tries the next address, is short for another continent.

/** Posts to receivers that customers choose: to public addresses only, without following redirects, within a time. */
export function createPoster(settings: PosterSettings): Poster {
  const { allowPrivate, lookup = createLookup({ allowPrivate }), timeoutMs = 15_000, connectionsPerHost } = settings
  const options = {
    keepAlive: true,
    maxSockets: connectionsPerHost,
    maxFreeSockets: connectionsPerHost,
    timeout: IDLE_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_WAIT_MS,
    lookup: checkedLookup({ allowPrivate, lookup })
  }
  const plain = new HttpAgent(options)
  const secure = new HttpsAgent(options)
  const stops = new Set<(failure: Failure) => void>()
  let isClosed = false
  for (const agent of [plain, secure]) {
    poolByPath(agent)
    limitIdle(agent, () => !isClosed)
  }

  async function attempt(target: Target, message: Post, deadline: number): Promise<Answer | Error> {
    if (isClosed) return stopping()
    const { isSecure, host, port, path } = target
    const { method = 'POST', headers } = message
    const parts = { method, host, port, path, receiverPath: path, headers }
    const request = isSecure ? httpsRequest({ ...parts, agent: secure }) : httpRequest({ ...parts, agent: plain })
    const outcome = await exchange(request, { body: message.body, deadline, timeoutMs, stops })
    // The receiver closed an idle connection while we were writing to it: Node's documentation says to try again.
    return request.reusedSocket && isReset(outcome) ? await attempt(target, message, deadline) : outcome
  }

  return {
    async post(target, message) {
      const startedAt = performance.now()
      // Node looks nothing up for an IP address, so that one is checked here.
      const isRefused = !allowPrivate && isPrivateHost(target.host)
      const outcome = isRefused ? privateFailure(target.host) : await attempt(target, message, startedAt + timeoutMs)
      const ms = Math.round(performance.now() - startedAt)
      if (outcome instanceof Error) {
        return { kind: 'failed', failure: classOf(outcome), error: sentenceOf(outcome, target.host), ms }
      }
      return { kind: 'answered', ...outcome, ms }
    },
    close() {
      isClosed = true
      for (const stop of stops) stop(stopping())
      plain.destroy()
      secure.destroy()
    }
  }
}

/**
 * Gives node:net the addresses to connect to, and no private one. It connects to these addresses and does not ask a second
 * time, so a name that changes between check and connection (DNS rebinding) gains nothing.
 */
export function checkedLookup({ allowPrivate, lookup }: { allowPrivate: boolean; lookup: Lookup }): LookupFunction {
  async function addressesOf(name: string): Promise<LookupAddress[]> {
    const found = await lookup(name)
    const addresses = allowPrivate ? found : found.filter(isPublicAddress)
    if (addresses.length === 0) throw privateFailure(name)
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }
  // The callback takes a list because autoSelectFamily is on.
  return (name, _options, callback) => {
    addressesOf(name).then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, [])
    )
  }
}

interface Exchange {
  body: Post['body']
  deadline: number
  timeoutMs: number
  /** How to end each exchange that is under way. */
  stops: Set<(failure: Failure) => void>
}

/** Sends, and resolves with the answer, or with the failure before the head of the answer came. */
function exchange(request: ClientRequest, { body, deadline, timeoutMs, stops }: Exchange): Promise<Answer | Error> {
  const { promise, resolve } = Promise.withResolvers<Answer | Error>()
  const stop = (failure: Failure) => {
    request.destroy(failure)
    // A request that still waits for a connection reports its end only when it gets one.
    resolve(failure)
  }
  const timer = setTimeout(() => stop(timeOutFailure(request, timeoutMs)), deadline - performance.now())
  let isAnswered = false
  request.once('response', (response) => {
    isAnswered = true
    clearTimeout(timer)
    resolve(readAnswer(response))
  })
  request.on('error', resolve)
  request.once('close', () => {
    // Checked first: a close follows every answer too, and making an error is slow.
    if (!isAnswered) resolve(new Failure('The receiver closed the connection without an answer.', 'connection'))
  })
  request.end(body)
  stops.add(stop)
  return promise.finally(() => {
    clearTimeout(timer)
    stops.delete(stop)
  })
}

function stopping(): Failure {
  return new Failure('Chappe is stopping.')
}

function isReset(outcome: Answer | Error): boolean {
  return outcome instanceof Error && 'code' in outcome && (outcome.code === 'ECONNRESET' || outcome.code === 'EPIPE')
}

/** Customers share hosts: with one pool for all of hooks.example, the slow path of one would use up the others' turns. */
function poolByPath(agent: HttpAgent): void {
  const hostOf = agent.getName.bind(agent)
  agent.getName = (options?: RequestOptions & { receiverPath?: string }) =>
    `${hostOf(options)}:${options?.receiverPath}`
}

/** `maxFreeSockets` bounds each receiver; this bounds the receivers, of which there are as many as customers. */
function limitIdle(agent: HttpAgent, isOpen: () => boolean): void {
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) =>
    isOpen() && Object.keys(agent.freeSockets).length < IDLE_RECEIVERS_MAX && keep(socket)
}
