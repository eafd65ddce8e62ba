import type { ServerResponse } from 'node:http'
import type { Delays } from '../delays.ts'
import type { RbmFaults } from './fault-state.ts'
import type { RbmStats } from './stats.ts'

/** An answer waits at most this long for its event to be acknowledged. */
const EVENT_FIRST_MS = 2_000

/** Names of statuses: google.rpc.Code. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED'
}

const STATUS_MESSAGES: Readonly<Record<number, string>> = {
  401: 'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  403: 'The caller does not have permission',
  404: 'Requested entity was not found.',
  409: 'Requested entity already exists',
  429: 'Resource has been exhausted (e.g. check quota).',
  500: 'Internal error encountered.',
  503: 'The service is currently unavailable.'
}

export interface Answer {
  http: number
  body: object
  /** The answer waits for this. */
  first?: Promise<unknown>
  /** Ends the connection instead of answering. */
  isCut?: boolean
  /** Called after the answer is sent. */
  afterwards?: () => void
}

/** Answers calls as the faults allow: it may hold, delay or drop an answer. */
export class RbmAnswers {
  readonly #faults: RbmFaults
  readonly #delays: Delays
  readonly #stats: RbmStats
  #held: (() => void)[] = []

  constructor({ faults, delays, stats }: { faults: RbmFaults; delays: Delays; stats: RbmStats }) {
    this.#faults = faults
    this.#delays = delays
    this.#stats = stats
  }

  send(response: ServerResponse, answer: Answer): void {
    if (answer.first)
      void Promise.race([answer.first, sleepFor(EVENT_FIRST_MS)]).then(() => this.#hold(response, answer))
    else this.#hold(response, answer)
  }

  release(): void {
    const held = this.#held
    this.#held = []
    for (const send of held) send()
  }

  /** Bypasses the faults that hold or delay answers. */
  sendNow(response: ServerResponse, { http, body, isCut, afterwards }: Answer): void {
    if (isCut) {
      this.#stats.answersCut++
      response.destroy()
    } else {
      const text = JSON.stringify(body)
      const headers: Record<string, string | number> = {
        'content-type': 'application/json; charset=UTF-8',
        'content-length': Buffer.byteLength(text)
      }
      const { retryAfterSeconds } = this.#faults.conduct
      if (retryAfterSeconds > 0 && (http === 429 || http === 503)) headers['retry-after'] = retryAfterSeconds
      response.writeHead(http, headers).end(text)
    }
    afterwards?.()
  }

  #hold(response: ServerResponse, answer: Answer): void {
    const send = () => this.sendNow(response, answer)
    if (this.#faults.conduct.areAnswersHeld) this.#held.push(send)
    else this.#delays.run(this.#faults.conduct.answerDelayMs, send)
  }
}

export function refusal(
  http: number,
  message = STATUS_MESSAGES[http] ?? 'Request contains an invalid argument.'
): Answer {
  return { http, body: { error: { code: http, message, status: STATUS_NAMES[http] ?? 'UNKNOWN' } } }
}

function sleepFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
