import type { Routes } from './api-types.ts'
import { ChappeError, ConnectionError, readError, TimeoutError } from './errors.ts'
import { toBody, toUrl } from './request.ts'

export type Route = keyof Routes
export type Answer<R extends Route> = Routes[R]['answer']

// In brackets, so that a body that may be one of several stays one part.
type Part<Name extends string, T> = unknown extends T
  ? { [Key in Name]?: undefined }
  : [T] extends [undefined]
    ? { [Key in Name]?: undefined }
    : [Partial<T>] extends [T]
      ? { [Key in Name]?: T }
      : { [Key in Name]: T }

/** What an operation takes: the places in its path, its query and its body. */
export type Input<R extends Route> = Part<'path', Routes[R]['path']> &
  Part<'query', Routes[R]['query']> &
  Part<'body', Routes[R]['body']>

export interface ClientOptions {
  /** Where the service is, such as `https://sms.example.com`. */
  url: string
  /** The `X-API-KEY` of an account. */
  apiKey?: string | undefined
  /** The `X-APP-ID` of the key. The key alone is enough. */
  appId?: string | undefined
  /** A token of `login`, instead of a key. */
  token?: string | undefined
  /** How long one try may take. Default: 30,000. */
  timeoutMs?: number | undefined
  /** How often a request is tried again. Default: 4. */
  retries?: number | undefined
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch | undefined
}

export interface CallOptions {
  /** Ends the request and its retries. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  retries?: number | undefined
  /**
   * The Idempotency-Key of a write. Without one, each call makes its own. Give one to repeat a call safely after a crash
   * of your own program.
   */
  idempotencyKey?: string | undefined
}

type Arguments<R extends Route> =
  Partial<Input<R>> extends Input<R>
    ? [input?: Input<R>, options?: CallOptions]
    : [input: Input<R>, options?: CallOptions]

export interface Client {
  /** Calls any operation by its method and path, such as `GET /messages/{id}`. */
  call<R extends Route>(route: R, ...rest: Arguments<R>): Promise<Answer<R>>
  /** The same, with the answer unread. `accept` is the media type to ask for. */
  open<R extends Route>(route: R, input: Input<R>, options?: CallOptions & { accept?: string }): Promise<Response>
}

const TIMEOUT_MS = 30_000
const RETRIES = 4
const FIRST_DELAY_MS = 250
const DELAY_MAX_MS = 20_000
/** A service that asks for a longer pause gets its error thrown: the caller knows better what to do meanwhile. */
const RETRY_AFTER_MAX_SECONDS = 60

/**
 * A client of one service, for one account. It tries again what the service had no room for (429, 503) and what got lost
 * on the way. That does nothing twice: every write carries an Idempotency-Key, the same on each try.
 */
export function createClient(options: ClientOptions): Client {
  return {
    async call<R extends Route>(route: R, ...[input, callOptions]: Arguments<R>) {
      const request = prepare(options, { route, input: input ?? {}, options: callOptions ?? {}, accept: JSON_TYPE })
      return (await tryAgain(request, (signal) => ask(request, signal).then(readJson))) as Answer<R>
    },
    open(route, input, { accept = JSON_TYPE, ...callOptions } = {}) {
      const request = prepare(options, { route, input, options: callOptions, accept })
      return tryAgain(request, (signal) => ask(request, signal))
    }
  }
}

const JSON_TYPE = 'application/json'

interface Prepared {
  fetch: typeof fetch
  url: string
  init: RequestInit
  timeoutMs: number
  retries: number
  signal: AbortSignal | undefined
}

function prepare(
  { url, apiKey, appId, token, ...defaults }: ClientOptions,
  call: { route: string; input: object; options: CallOptions; accept: string }
): Prepared {
  const [method = '', path = ''] = call.route.split(' ')
  const input = call.input as { path?: object; query?: object; body?: unknown }
  const { body, type } = toBody(input.body)
  const headers = {
    accept: call.accept,
    ...(type !== undefined && { 'content-type': type }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    ...(appId !== undefined && { 'x-app-id': appId }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(method !== 'GET' && { 'idempotency-key': call.options.idempotencyKey ?? crypto.randomUUID() })
  }
  return {
    fetch: defaults.fetch ?? fetch,
    url: toUrl(url, path, input),
    init: { method, headers, redirect: 'error', ...(body !== undefined && { body }) },
    timeoutMs: call.options.timeoutMs ?? defaults.timeoutMs ?? TIMEOUT_MS,
    retries: call.options.retries ?? defaults.retries ?? RETRIES,
    signal: call.options.signal
  }
}

/** Asks once. The time-out ends with the headers: the body of an extract may take longer. */
async function ask({ fetch, url, init }: Prepared, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { ...init, signal })
  if (!response.ok) throw await readError(response)
  return response
}

function readJson(response: Response): Promise<unknown> {
  return response.json()
}

async function tryAgain<T>(request: Prepared, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const error = await tryOnce(request, work).then(
      (value) => ({ value }),
      (reason: unknown) => ({ reason })
    )
    if ('value' in error) return error.value
    const delayMs = delayBefore(error.reason, tries)
    if (delayMs === undefined || tries >= request.retries) throw error.reason
    await pause(delayMs, request.signal)
  }
}

async function tryOnce<T>({ signal, timeoutMs }: Prepared, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const late = new TimeoutError(`The service did not answer within ${timeoutMs} ms.`)
  const timer = setTimeout(() => controller.abort(late), timeoutMs)
  const stop = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const value = await work(controller.signal)
    // The body of an answer that is still open ends with the caller's signal.
    if (!(value instanceof Response)) signal?.removeEventListener('abort', stop)
    return value
  } catch (error) {
    signal?.removeEventListener('abort', stop)
    if (signal?.aborted) throw signal.reason
    if (controller.signal.aborted) throw late
    if (error instanceof ChappeError) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new ConnectionError(`The service could not be reached: ${(cause as Error).message}.`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** How long to wait before the next try; undefined if another try is of no use. */
function delayBefore(error: unknown, tries: number): number | undefined {
  const backOffMs = Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** tries) * (0.5 + Math.random() / 2)
  if (error instanceof ConnectionError) return backOffMs
  if (!(error instanceof ChappeError)) return undefined
  // Our own first try still runs: its connection was cut, but not its work.
  if (tries > 0 && error.code === 'state_conflict' && error.message.includes('still running')) return backOffMs
  if (error.status !== 429 && error.status !== 503) return undefined
  const { retryAfterSeconds = 0 } = error
  return retryAfterSeconds > RETRY_AFTER_MAX_SECONDS ? undefined : Math.max(retryAfterSeconds * 1000, backOffMs)
}

function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, delayMs)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
