import type { ClientRequest } from 'node:http'

/** What kept a post from being answered, for the metrics. */
export type FailureClass = 'timeout' | 'connection' | 'dns' | 'tls' | 'blocked' | 'other'

/** A failure whose message is already the sentence for the customer. */
export class Failure extends Error {
  readonly failure: FailureClass

  constructor(message: string, failure: FailureClass = 'other') {
    super(message)
    this.failure = failure
  }
}

const CLASSES: Readonly<Record<string, FailureClass>> = {
  ENOTFOUND: 'dns',
  ENODATA: 'dns',
  ETIMEOUT: 'dns',
  ESERVFAIL: 'dns',
  ECONNREFUSED: 'connection',
  ECONNRESET: 'connection',
  EPIPE: 'connection',
  EHOSTUNREACH: 'connection',
  ENETUNREACH: 'connection',
  ETIMEDOUT: 'timeout',
  EPROTO: 'tls'
}

export function classOf(error: Error): FailureClass {
  if (error instanceof Failure) return error.failure
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return CLASSES[code] ?? (CERTIFICATE_CODE.test(code) || code.startsWith('ERR_SSL') ? 'tls' : 'other')
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has a name that was not found',
  ENODATA: 'has a name without an address',
  ETIMEOUT: 'has a name whose servers did not answer',
  ESERVFAIL: 'has a name whose servers failed',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection before it had answered',
  EPIPE: 'closed the connection before it had answered',
  ETIMEDOUT: 'could not be reached in time',
  EHOSTUNREACH: 'could not be reached',
  ENETUNREACH: 'could not be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a TLS certificate for another name',
  CERT_HAS_EXPIRED: 'has a TLS certificate that has expired',
  HPE_HEADER_OVERFLOW: 'answered with headers that are too large'
}

/** OpenSSL's words for a chain that it does not trust: SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_GET_ISSUER_CERT… */
const CERTIFICATE_CODE = /CERT|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/

/** Customers see only the code of an error: its message may hold addresses of our own network. */
export function sentenceOf(error: Error, host: string): string {
  if (error instanceof Failure) return error.message
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  return `The receiver ${host} ${SENTENCES[code] ?? partOf(code)}.`
}

export function privateFailure(host: string): Failure {
  return new Failure(`The receiver ${host} has a private address: webhooks go to public addresses only.`, 'blocked')
}

/** The step that took the time, as far as the request shows it. */
export function timeOutFailure({ socket }: ClientRequest, timeoutMs: number): Failure {
  const within = `within ${timeoutMs / 1000} s`
  if (!socket) return new Failure(`No connection to the receiver became free ${within}.`, 'timeout')
  return new Failure(
    `The receiver ${socket.connecting ? 'could not be reached' : 'did not answer'} ${within}.`,
    'timeout'
  )
}

function partOf(code: string): string {
  if (CERTIFICATE_CODE.test(code)) return `has a TLS certificate that is not trusted (${code})`
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return `could not agree on TLS (${code})`
  if (code.startsWith('HPE_')) return `answered something that is not HTTP (${code})`
  return `could not be posted to (${code})`
}
