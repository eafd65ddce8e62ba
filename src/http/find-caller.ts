import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import { announcedBytes } from './announced-bytes.ts'
import type { Authenticate, Caller } from './caller.ts'
import type { Operation } from './operation.ts'
import { readParams } from './path-parameters.ts'
import { refusalOf as refusalOfCaller } from './permission.ts'
import { firstValues } from './query.ts'
import type { RequestRates } from './request-rates.ts'

/** An operation, and what finds its callers. */
interface Guarding {
  operation: Operation
  authenticate: Authenticate
  rates: RequestRates
}

/** Finds the caller, or refuses the request before any of its body is read. */
export function findCaller(
  { operation, authenticate, rates }: Guarding,
  { request, reply, done }: { request: FastifyRequest; reply: FastifyReply; done: (error?: Error) => void }
): void {
  const admit = (caller: Caller) => {
    const refusal = refusalOfCaller(operation, caller) ?? takePlace(rates, caller, reply)
    if (!refusal) request.caller = caller
    done(refusal)
  }
  if (operation.callback) {
    const refusal = refusalOf(operation.callback, request)
    // Its body is not wanted, and may never come.
    if (refusal) reply.header('connection', 'close')
    done(refusal)
  } else if (operation.isOpen) done()
  else {
    const caller = authenticateNow(authenticate, request)
    if (caller instanceof Promise) caller.then(admit, done)
    else admit(caller)
  }
}

/** Counts a request of an account that may make only so many a second, and tells it how many are left. */
function takePlace(rates: RequestRates, caller: Caller, reply: FastifyReply): Refusal | undefined {
  if (caller.limits.length === 0) return undefined
  const taken = rates.take(caller)
  if (taken) reply.headers(taken.headers)
  return taken?.refusal
}

function refusalOf({ admit }: NonNullable<Operation['callback']>, request: FastifyRequest): Error | undefined {
  try {
    const params = readParams(request.params as Record<string, string>)
    const query = firstValues(request.query as Record<string, string | string[]>)
    request.admitted = admit({ params, headers: request.headers, query, bodyBytes: announcedBytes(request) })
    return undefined
  } catch (error) {
    return error as Error
  }
}

function authenticateNow(authenticate: Authenticate, request: FastifyRequest): Caller | Promise<Caller> {
  try {
    return authenticate(request)
  } catch (error) {
    return Promise.reject(error)
  }
}

const REVOKED_LOOK_MS = 500

/** Aborts when the credentials of a waiting request have ended since it came, or its account is suspended. */
export function whenRevoked(
  { operation, authenticate }: Omit<Guarding, 'rates'>,
  request: FastifyRequest,
  reply: FastifyReply
): AbortSignal {
  const controller = new AbortController()
  const timer = setInterval(() => {
    Promise.resolve(authenticateNow(authenticate, request)).then(
      (caller) => {
        if (refusalOfCaller(operation, caller)) controller.abort()
      },
      (error) => {
        // Any other error, such as a database out of reach, says nothing about the credentials.
        if (error instanceof Refusal && (error.status === 401 || error.status === 403)) controller.abort()
      }
    )
  }, REVOKED_LOOK_MS).unref()
  reply.raw.once('close', () => clearInterval(timer))
  return controller.signal
}
