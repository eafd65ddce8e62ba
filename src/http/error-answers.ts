import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { isBusy, isDatabaseUnavailable, isUnstorable } from '../database/database.ts'
import { invalidInput, REFUSAL_CODES, Refusal, type RefusalCode } from '../errors.ts'
import type { Log } from './log.ts'

/** The one shape of every error. */
export const ErrorAnswer = Type.Object(
  {
    status: Type.Integer({ description: 'The HTTP status again.' }),
    error: Type.String({ description: 'One clear sentence for a person.' }),
    code: Type.Enum(Object.keys(REFUSAL_CODES) as RefusalCode[], { description: 'Stable, for a program.' }),
    details: Type.Optional(
      Type.Array(
        Type.Union([
          Type.Object({ path: Type.String(), message: Type.String() }, { $id: 'InputProblem' }),
          Type.Object(
            { required: Type.Integer(), remaining: Type.Integer(), missing: Type.Integer() },
            { $id: 'CreditShortage' }
          ),
          Type.Object({ factor: Type.Enum(['totp', 'passkey', 'recovery']) }, { $id: 'FactorChoice' })
        ]),
        {
          description:
            'For invalid input, each field at fault; for too few credits, how many are missing; for a second factor, the kinds that the person has.'
        }
      )
    ),
    request_id: Type.String({ description: 'The same as the x-request-id header and the log line.' })
  },
  { $id: 'Error' }
)

const RETRY_AFTER_SECONDS = 2

/** Every error becomes a refusal. Known errors are translated; any other is a bug, which is logged and hidden. */
export function toRefusal(error: unknown, log: (problem: unknown) => void): Refusal {
  if (error instanceof Refusal) return error
  const { code = '', statusCode } = (error ?? {}) as { code?: string; statusCode?: number }
  const known = FRAME_ERRORS[code]
  if (known) return known()
  // Fastify and its plug-ins have many codes for a path that leads nowhere.
  if (statusCode === 403 || statusCode === 404 || statusCode === 414) return nothingThere()
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Refusal(400, 'invalid_input', 'The request is not valid.')
  }
  // Node's code for a client that left in the middle of its body: nobody is there to answer, and it is no bug.
  if (code === 'ECONNRESET' && (error as Error).message === 'aborted') {
    return invalidInput([{ path: '', message: 'did not arrive whole' }])
  }
  if (isDatabaseUnavailable(error)) {
    log(error)
    return new Refusal(503, 'unavailable', sentenceOn(error), { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
  log(error)
  return new Refusal(500, 'internal', 'Something went wrong on our side; the request id leads to it in our log.')
}

function sentenceOn(error: unknown): string {
  if (isBusy(error)) return 'Somebody else is changing the same thing right now; ask again.'
  if (isUnstorable(error)) return 'The database can’t store anything right now; ask again later.'
  return 'The database can’t be reached right now; ask again.'
}

/** Refusals of Fastify itself, in our words. */
const FRAME_ERRORS: Record<string, () => Refusal> = {
  FST_ERR_CTP_INVALID_JSON_BODY: () => invalidInput([{ path: '', message: 'is not valid JSON' }]),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalidInput([{ path: '', message: 'is not as long as announced' }]),
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new Refusal(413, 'payload_too_large', 'The body is larger than this operation takes.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => OTHER_TYPE,
  FST_ERR_BAD_URL: nothingThere
}

export function nothingThere(): Refusal {
  return new Refusal(404, 'not_found', 'There is nothing at this address.')
}

/**
 * The credentials that operations take, as a 401 must name them (RFC 9110, 11.6.1). The key has a scheme of our own,
 * since none is registered for it. Neither makes a browser ask for a password.
 */
export const CHALLENGE = 'Bearer realm="chappe", ApiKey realm="chappe", header="X-API-KEY"'

export const OTHER_TYPE = new Refusal(
  415,
  'unsupported_media_type',
  'The body must be JSON or a form; its Content-Type says otherwise.'
)

/** curl sends such a body with `-d` and no header. The form has no known field, so a change would change nothing. */
export const JSON_AS_FORM = new Refusal(
  415,
  'unsupported_media_type',
  'The body is JSON, but its Content-Type says that it is a form; send `Content-Type: application/json`.'
)

/** RFC 9112, 3.2: without one Host, servers on the way may differ about which of them is meant. */
export function refusalOfHost({ rawHeaders, httpVersion }: IncomingMessage): Refusal | undefined {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === HOST.length && name.toLowerCase() === HOST) count++
  }
  if (count > 1) return invalidInput([{ path: 'Host', message: 'is repeated in the headers' }])
  // HTTP/1.0 has no such header.
  if (count === 1 || httpVersion === '1.0') return undefined
  return invalidInput([{ path: 'Host', message: 'is missing from the headers' }])
}

const HOST = 'host'

/** RFC 9110, 15.5.16: `accept-encoding` tells what would be taken. */
export const COMPRESSED = new Refusal(
  415,
  'unsupported_media_type',
  'The body is compressed, as its Content-Encoding says; send it uncompressed.'
)

export function sendRefusal(reply: FastifyReply, request: FastifyRequest, refusal: Refusal): void {
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds))
  if (refusal.status === 401) reply.header('www-authenticate', request.routeOptions.config.challenge ?? CHALLENGE)
  if (refusal === COMPRESSED) reply.header('accept-encoding', 'identity')
  reply.header('x-request-id', request.id)
  reply.code(refusal.status).type('application/json; charset=utf-8').send(toBody(refusal, request.id))
}

function toBody(refusal: Refusal, requestId: string): string {
  return JSON.stringify({
    status: refusal.status,
    error: refusal.message,
    code: refusal.code,
    details: refusal.details,
    request_id: requestId
  })
}

const SOCKET_ERRORS: Record<string, [line: string, status: number, sentence: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 431, 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 408, 'The request did not arrive in time.']
}

/**
 * Answers a request whose body is late, and closes its socket: a client that sends nothing would keep it open for
 * minutes.
 */
export function refuseLateBody(socket: Socket, requestId: string, log: Log): void {
  refuseMalformedRequest({ name: '', message: '', code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket, requestId, log)
  socket.destroySoon()
}

/** Answers bytes that are no HTTP request: there is no request object yet, only the socket. */
export function refuseMalformedRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  requestId: string,
  log: Log
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  log.debug({ request_id: requestId, error: error.code }, 'malformed request')
  const [line, status, sentence] = SOCKET_ERRORS[error.code ?? ''] ?? [
    '400 Bad Request',
    400,
    'This is not an HTTP request.'
  ]
  const body = toBody(new Refusal(status, 'invalid_input', sentence), requestId)
  socket.end(
    `HTTP/1.1 ${line}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  )
}
