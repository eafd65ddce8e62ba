import type { Schemas } from './api-types.ts'

/** What the service says about an error, for a program. A newer service may have codes that this list lacks. */
export type ErrorCode = Schemas['Error']['code'] | (string & {})
export type ErrorDetails = NonNullable<Schemas['Error']['details']>

/** The service refused a request. */
export class ChappeError extends Error {
  override readonly name = 'ChappeError'
  readonly status: number
  readonly code: ErrorCode
  /** For invalid input each field at fault, for too few credits how many are missing. */
  readonly details: ErrorDetails
  /** Leads to the request in the log of the service. */
  readonly requestId: string
  /** How long the service asks to wait before the next try. */
  readonly retryAfterSeconds: number | undefined

  constructor(parts: {
    status: number
    code: ErrorCode
    message: string
    details?: ErrorDetails | undefined
    requestId?: string | undefined
    retryAfterSeconds?: number | undefined
  }) {
    super(parts.message)
    this.status = parts.status
    this.code = parts.code
    this.details = parts.details ?? []
    this.requestId = parts.requestId ?? ''
    this.retryAfterSeconds = parts.retryAfterSeconds
  }
}

/** The service could not be reached, or its answer did not arrive whole. A write may have happened all the same. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError'
}

/** The service did not answer in time. A write may have happened all the same. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError'
}

/** Reads the error of an answer. A proxy may have answered instead of the service, with something else than JSON. */
export async function readError(response: Response): Promise<ChappeError> {
  const text = await response.text().catch(() => '')
  const body = parseObject(text)
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ChappeError({
    status: response.status,
    code: typeof body.code === 'string' ? body.code : 'unknown',
    message: typeof body.error === 'string' ? body.error : `The service answered ${response.status}.`,
    details: Array.isArray(body.details) ? (body.details as ErrorDetails) : undefined,
    requestId: typeof body.request_id === 'string' ? body.request_id : (response.headers.get('x-request-id') ?? ''),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined
  })
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // No JSON: the status alone tells what happened.
    return {}
  }
}
