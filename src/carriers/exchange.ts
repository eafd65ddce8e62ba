import type { Dispatcher } from 'undici'

/*
 * One request and its answer, over undici's lowest interface: `request` makes a stream for each answer, which costs
 * more than the rest of the exchange. It always settles, within its deadline, whatever the other side does.
 */

export interface Exchange {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** From now on, waiting for a connection included, to the last byte of the answer. */
  timeoutMs: number
  /** More of an answer is not read. */
  answerBytesMax: number
}

export type Answer =
  | { kind: 'answered'; status: number; retryAfterSeconds: number | undefined; text: string }
  /**
   * `isLost`: the connection broke after it was made, as connections do that were idle for long. `isUnsent`: nothing of
   * the request was written.
   */
  | { kind: 'failed'; reason: string; isLost: boolean; isUnsent: boolean }

export function exchange(dispatcher: Dispatcher, request: Exchange): Promise<Answer> {
  return new Promise((resolve) => {
    const handler = new AnswerReader(request, resolve)
    try {
      dispatcher.dispatch(
        {
          method: request.method,
          path: request.path,
          headers: request.headers,
          body: request.body ?? null,
          // The deadline is the handler's: undici's own restart with every byte that comes.
          headersTimeout: 0,
          bodyTimeout: 0
        },
        handler
      )
    } catch (error) {
      handler.fail(error as Error)
    }
  })
}

class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #request: Exchange
  readonly #resolve: (answer: Answer) => void
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #retryAfterSeconds: number | undefined
  #chunks: Buffer[] = []
  #bytes = 0
  #isSettled = false

  constructor(request: Exchange, resolve: (answer: Answer) => void) {
    this.#request = request
    this.#resolve = resolve
    this.#timer = setTimeout(() => this.#onTimeout(), request.timeoutMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Its time was over before it got a connection: it must not be written any more.
    if (this.#isSettled) controller.abort(new Error('given up'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>
  ): void {
    this.#status = status
    this.#retryAfterSeconds = readRetryAfter(headers['retry-after'])
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= this.#request.answerBytesMax) {
      this.#chunks.push(chunk)
      return
    }
    // The status says enough; a body of this size is none of the platform's.
    this.#chunks = []
    this.#answer()
    controller.abort(new Error('too large'))
  }

  onResponseEnd(): void {
    this.#answer()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  fail(error: Error): void {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
    this.#fail(FAILURES[code] ?? `failed (${code})`, { isLost: LOST_CODES.has(code) })
  }

  #answer(): void {
    const text = this.#chunks.length === 0 ? '' : Buffer.concat(this.#chunks).toString()
    const { status, retryAfterSeconds } = { status: this.#status, retryAfterSeconds: this.#retryAfterSeconds }
    this.#settle({ kind: 'answered', status, retryAfterSeconds, text })
  }

  #onTimeout(): void {
    const what = this.#controller ? 'did not answer in time' : 'had no connection free in time'
    this.#fail(what, { isLost: false })
    this.#controller?.abort(new Error('timed out'))
  }

  /** A request gets its controller when it gets a connection, right before it is written. */
  #fail(reason: string, { isLost }: { isLost: boolean }): void {
    this.#settle({ kind: 'failed', reason, isLost, isUnsent: this.#controller === undefined })
  }

  #settle(answer: Answer): void {
    if (this.#isSettled) return
    this.#isSettled = true
    clearTimeout(this.#timer)
    this.#resolve(answer)
  }
}

/** Words that follow the name of the peer. Only the code of an error is quoted: its message may repeat what we sent. */
const FAILURES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has a name that was not found',
  EAI_AGAIN: 'has a name whose servers did not answer',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection before it had answered',
  EPIPE: 'closed the connection before it had answered',
  UND_ERR_SOCKET: 'closed the connection before it had answered',
  UND_ERR_CONNECT_TIMEOUT: 'could not be reached in time',
  ETIMEDOUT: 'could not be reached in time',
  EHOSTUNREACH: 'could not be reached',
  ENETUNREACH: 'could not be reached',
  HTTPParserError: 'answered something that is not HTTP',
  UND_ERR_HEADERS_OVERFLOW: 'answered with headers that are too large',
  UND_ERR_CLOSED: 'is no longer connected to',
  UND_ERR_DESTROYED: 'is no longer connected to'
}

const LOST_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

const RETRY_AFTER_SECONDS_MAX = 3_600

/**
 * Seconds, or a date (RFC 9110, paragraph 10.2.3). An absurd one is cut, so that an operator notices within the hour.
 */
export function readRetryAfter(header: string | string[] | undefined, nowMs = Date.now()): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!text) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((readDate(text) - nowMs) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(0, seconds))
}

/** A date of HTTP begins with the day of the week; Date.parse alone takes `-1` for a year. */
function readDate(text: string): number {
  return /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : Number.NaN
}
