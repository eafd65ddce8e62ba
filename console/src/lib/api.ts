import { type Operations, ROUTES } from './api-types.ts'
import { type FieldProblem, loadSentences, problemsOf, type RefusalAnswer, sentenceOf } from './refusals.ts'
import { onLogOut, readToken, refuseToken } from './session.ts'

/*
 * All calls to the service. An operation is called by its name; its path, query, body and answer are typed from the
 * OpenAPI document.
 */

export type { Operations, Schemas } from './api-types.ts'

export class ApiError extends Error {
  readonly status: number
  readonly code: RefusalAnswer['code']
  /** The problems of each field. */
  readonly problems: FieldProblem[]
  readonly requestId: string | undefined
  /** The kinds of second factor that a log-in may bring. */
  readonly factors: string[]

  /** A sentence of the service is told in French only after `loadSentences()`. */
  constructor(answer: RefusalAnswer) {
    super(sentenceOf(answer))
    this.status = answer.status
    this.code = answer.code
    this.problems = problemsOf(answer)
    this.requestId = answer.request_id
    this.factors = (answer.details ?? []).flatMap((detail) => ('factor' in detail ? [detail.factor] : []))
  }

  /** The same by the path of the field. */
  get fields(): Record<string, string> {
    return Object.fromEntries(this.problems.map(({ path, message }) => [path, message]))
  }
}

type Name = keyof Operations
type Given<N extends Name> = (unknown extends Operations[N]['path'] ? object : { path: Operations[N]['path'] }) &
  (unknown extends Operations[N]['query'] ? object : { query?: Operations[N]['query'] }) &
  (undefined extends Operations[N]['body'] ? object : { body: Operations[N]['body'] | FormData }) & {
    signal?: AbortSignal
    /** Names this act, so that a repeat after a lost answer does not do it twice. */
    idempotencyKey?: string
  }

interface Parts {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
  idempotencyKey?: string
  accept?: string
}

export async function call<N extends Name>(
  name: N,
  ...[given]: object extends Given<N> ? [given?: Given<N>] : [given: Given<N>]
): Promise<Operations[N]['answer']> {
  const response = await ask(name, (given ?? {}) as Parts)
  return (await response.json()) as Operations[N]['answer']
}

/** The same as a file: a full extract as CSV. */
export async function download(
  name: Name,
  path: Record<string, string | number> = {},
  query: Record<string, unknown> = {},
  accept: 'text/csv' | 'application/pdf' = 'text/csv'
): Promise<Blob> {
  return (await ask(name, { path, query, accept })).blob()
}

/** The operations of the log-in page, and of the pages that mailed links open. */
const OPEN: ReadonlySet<Name> = new Set([
  'login',
  'beginPasskeyLogin',
  'readSignOn',
  'openSignOnSession',
  'forgotPassword',
  'resetPassword',
  'lookAtInvitation',
  'acceptInvitation'
])

let tellFactorMissing: () => void = () => undefined

/** Runs `act` when the account requires a second factor that this person has not set up. */
export function onFactorMissing(act: () => void): void {
  tellFactorMissing = act
}

async function ask(
  name: Name,
  { path = {}, query = {}, body, signal, idempotencyKey, accept }: Parts
): Promise<Response> {
  const [method = '', template = ''] = ROUTES[name].split(' ')
  const address = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(path[key] ?? ''))
  const token = readToken()
  // The session has just ended, and components on the screen ask once more.
  if (!token && !OPEN.has(name)) {
    throw new ApiError({ status: 401, code: 'unauthorized', error: 'Nobody is logged in.' })
  }
  const isForm = body instanceof FormData
  const response = await fetch(address + toSearch(query), {
    method,
    headers: {
      accept: accept ?? 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' })
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal })
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError({ status: 0, code: 'unreachable', error: 'The service can’t be reached.' })
  })
  if (response.ok) return response
  const answer = await response.json().catch(() => ({
    status: response.status,
    code: 'internal',
    error: `The service answered ${response.status}.`
  }))
  if (response.status === 401 && token && !OPEN.has(name)) refuseToken(token)
  if (response.status === 403 && answer.code === 'second_factor_required') tellFactorMissing()
  await loadSentences()
  throw new ApiError(answer)
}

// A service that is away cannot end the token; it then expires.
onLogOut(({ isTokenEnded }) => {
  if (!isTokenEnded) call('logout').catch(() => undefined)
})

function toSearch(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(key, String(value))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
