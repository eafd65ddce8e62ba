import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { type Answer, type Exchange, exchange } from '../exchange.ts'
import type { AccessToken } from './access-token.ts'
import { TokenFailure } from './access-token.ts'
import type { RbmCounts } from './rbm-metrics.ts'
import type { RbmTimings } from './rbm-timings.ts'
import type { AgentMessage } from './to-agent-message.ts'

/*
 * The calls of the RCS Business Messaging REST interface v1 that we use. None of them throws, and each may be repeated:
 * a message is known by our id, and the rest only asks or takes back.
 */

/**
 * The answer of the platform, or why there is none. `wasUnanswered`: an earlier try of the call had no answer, and the
 * platform may have done it.
 */
export type RbmAnswer = { wasUnanswered?: boolean } & (
  | { kind: 'answered'; status: number; retryAfterSeconds: number | undefined; body: Record<string, unknown> }
  /** `isTokenMissing`: nothing was asked, as there was no token to ask with. */
  | { kind: 'failed'; reason: string; isTokenMissing: boolean }
)

export type RbmCall = 'send' | 'check' | 'check-many' | 'revoke'

/** Messages (100), checks of lists (20) and revocations (25) that are on their way at once, and some to spare. */
const CONNECTIONS_MAX = 160
/** The platform keeps idle connections for minutes; a new one costs three journeys to it. */
const IDLE_MS = 60_000
/** The platform answers with the message, of 250 KB at most, and its own fields. */
const ANSWER_BYTES_MAX = 1024 * 1024
/** 10,000 numbers, and by network once more. */
const CHECK_MANY_BYTES_MAX = 4 * 1024 * 1024
/** The first, another when the token had ended, another when it had again, or when an idle connection was closed. */
const TRIES_MAX = 3

interface ClientOptions {
  baseUrl: string
  agentId: string
  token: AccessToken
  timings: RbmTimings
  counts: RbmCounts
}

export class RbmClient {
  readonly #options: ClientOptions
  readonly #pool: Pool
  readonly #prefix: string
  readonly #agent: string

  constructor(options: ClientOptions) {
    const { origin, pathname } = new URL(options.baseUrl)
    this.#options = options
    this.#prefix = `${pathname.replace(/\/+$/, '')}/v1`
    this.#agent = `agentId=${encodeURIComponent(options.agentId)}`
    this.#pool = new Pool(origin, {
      connections: CONNECTIONS_MAX,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      connectTimeout: options.timings.connectMs
    })
  }

  /** phones.agentMessages.create. A repeated id is ignored. */
  send(phone: string, messageId: string, message: AgentMessage): Promise<RbmAnswer> {
    return this.#call('send', {
      method: 'POST',
      path: `${this.#phone(phone)}/agentMessages?messageId=${encodeURIComponent(messageId)}&${this.#agent}`,
      body: JSON.stringify(message),
      timeoutMs: this.#options.timings.sendMs
    })
  }

  /** phones.getCapabilities. A request id that was used before would be ignored. */
  check(phone: string): Promise<RbmAnswer> {
    return this.#call('check', {
      method: 'GET',
      path: `${this.#phone(phone)}/capabilities?requestId=${randomUUID()}&${this.#agent}`,
      timeoutMs: this.#options.timings.checkMs
    })
  }

  /** users.batchGet: 500 to 10,000 different phones, all of the agent's region. */
  checkMany(phones: readonly string[]): Promise<RbmAnswer> {
    return this.#call('check-many', {
      method: 'POST',
      path: `${this.#prefix}/users:batchGet`,
      body: JSON.stringify({ users: phones, agentId: this.#options.agentId }),
      timeoutMs: this.#options.timings.checkManyMs,
      answerBytesMax: CHECK_MANY_BYTES_MAX
    })
  }

  /** phones.agentMessages.delete. */
  revoke(phone: string, messageId: string): Promise<RbmAnswer> {
    return this.#call('revoke', {
      method: 'DELETE',
      path: `${this.#phone(phone)}/agentMessages/${encodeURIComponent(messageId)}?${this.#agent}`,
      timeoutMs: this.#options.timings.revokeMs
    })
  }

  /** Calls that are still under way fail. */
  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  async #call(
    call: RbmCall,
    request: Omit<Exchange, 'headers' | 'answerBytesMax'> & { answerBytesMax?: number }
  ): Promise<RbmAnswer> {
    const { token, counts } = this.#options
    const untilMs = performance.now() + request.timeoutMs
    let wasUnanswered = false
    for (let tries = 1; ; tries++) {
      const bearer = await this.#bearer()
      if (typeof bearer !== 'string') return { ...bearer, wasUnanswered }
      const answer = await exchange(this.#pool, {
        answerBytesMax: ANSWER_BYTES_MAX,
        ...request,
        timeoutMs: Math.max(1, untilMs - performance.now()),
        headers: headersOf(bearer, request.body !== undefined)
      })
      counts.count(call, answer.kind === 'answered' ? String(answer.status) : 'failed')
      const isRefused = answer.kind === 'answered' && answer.status === 401
      if (isRefused) token.refuse(bearer)
      else if (answer.kind === 'answered') token.accept(bearer)
      const isAgain = isRefused || (answer.kind === 'failed' && answer.isLost)
      if (!isAgain || tries === TRIES_MAX || performance.now() >= untilMs) {
        return { ...toRbmAnswer(call, answer), wasUnanswered }
      }
      wasUnanswered ||= !isRefused
    }
  }

  async #bearer(): Promise<string | RbmAnswer> {
    try {
      return await this.#options.token.get()
    } catch (error) {
      if (!(error instanceof TokenFailure)) throw error
      return { kind: 'failed', reason: error.message, isTokenMissing: true } satisfies RbmAnswer
    }
  }

  /** With its `+` as the platform's own examples write it. */
  #phone(phone: string): string {
    return `${this.#prefix}/phones/${encodeURIComponent(phone).replaceAll('%2B', '+')}`
  }
}

function headersOf(bearer: string, hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${bearer}`,
    accept: 'application/json',
    'user-agent': 'chappe/rcs-business-messaging'
  }
  if (hasBody) headers['content-type'] = 'application/json'
  return headers
}

function toRbmAnswer(call: RbmCall, answer: Answer): RbmAnswer {
  if (answer.kind === 'failed') {
    return { kind: 'failed', reason: `The platform ${answer.reason}.`, isTokenMissing: false }
  }
  const { status, retryAfterSeconds, text } = answer
  // The answer to an accepted message repeats the whole message, which is not needed.
  const isOfUse = status >= 300 || call === 'check-many'
  return { kind: 'answered', status, retryAfterSeconds, body: isOfUse ? parse(text) : {} }
}

/** The status decides; a body that can't be read is an empty one. */
function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** The error that the platform names (google.rpc.Status in JSON); empty where it names none. */
export function errorOf(body: Record<string, unknown>): { status: string; message: string } {
  const { error } = body
  const { status, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  return { status: typeof status === 'string' ? status : '', message: typeof message === 'string' ? message : '' }
}
