import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { Pool } from 'undici'
import { backoffMs } from '../backoff.ts'
import { type Answer, exchange } from '../exchange.ts'
import type { ServiceAccountKey } from './rbm-settings.ts'
import type { RbmTimings } from './rbm-timings.ts'

/*
 * The token that every call to the platform bears. The token server gives it for a signed statement of our identity
 * (RFC 7523, as Google's service accounts use it). Written by hand, in a page: google-auth-library ignores the
 * `token_uri` of the key, and brings an HTTP client of its own and thirty packages for this one request.
 *
 * One token serves all calls. It is renewed before it ends, by one request for all that wait. When the platform refuses
 * it, it is renewed once, however many calls were refused with it. After a failure, calls fail at once for a while.
 */

const SCOPE = 'https://www.googleapis.com/auth/rcsbusinessmessaging'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** The longest that Google allows a statement to hold. */
const STATEMENT_SECONDS = 3_600
/** Our clock may be ahead of theirs: a statement from the future is refused. */
const CLOCKS_APART_SECONDS = 30
/** A token is renewed this long before its end, or after four fifths of a short life. */
const RENEW_SECONDS = 300
const LIFE_SHARE = 0.8
const LIFE_SECONDS_DEFAULT = 3_600
const ANSWER_BYTES_MAX = 64 * 1024
/** RFC 6750, paragraph 2.1: it becomes part of a header. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/

interface Token {
  value: string
  renewAtMs: number
  endsAtMs: number
  /** The platform took it at least once. */
  isProven: boolean
}

export class TokenFailure extends Error {}

export class AccessToken {
  readonly #pool: Pool
  readonly #path: string
  readonly #key: ServiceAccountKey
  readonly #privateKey: KeyObject
  readonly #timings: RbmTimings
  readonly #scope: string
  readonly #nowMs: () => number
  #token: Token | undefined
  #renewing: Promise<Token> | undefined
  /** Failures in a row: requests that brought none, and tokens that the platform never took. */
  #failures = 0
  #lastFailure = new TokenFailure('There is no token yet.')
  #notBeforeMs = 0

  constructor(
    key: ServiceAccountKey,
    timings: RbmTimings,
    { scope = SCOPE, nowMs = () => performance.now() }: { scope?: string; nowMs?: () => number } = {}
  ) {
    const { origin, pathname, search } = new URL(key.tokenUri)
    this.#pool = new Pool(origin, { connections: 1, connectTimeout: timings.connectMs })
    this.#path = pathname + search
    this.#key = key
    this.#privateKey = createPrivateKey(key.privateKey)
    this.#timings = timings
    this.#scope = scope
    this.#nowMs = nowMs
  }

  /** Rejects with a TokenFailure. */
  async get(): Promise<string> {
    const nowMs = this.#nowMs()
    const token = this.#token
    if (token && nowMs < token.renewAtMs) return token.value
    if (token && nowMs < token.endsAtMs) {
      // Calls use the old token meanwhile; if it can't be renewed, a later call tries again.
      if (nowMs >= this.#notBeforeMs) this.#renew().catch(() => undefined)
      return token.value
    }
    if (!this.#renewing && nowMs < this.#notBeforeMs) throw this.#lastFailure
    return (await this.#renew()).value
  }

  /** How long until it makes sense to ask for one again. */
  get waitMs(): number {
    return Math.max(0, this.#notBeforeMs - this.#nowMs())
  }

  /** The platform took this one. */
  accept(value: string): void {
    if (this.#token?.value !== value || this.#token.isProven) return
    this.#token.isProven = true
    this.#failures = 0
  }

  /** The platform refused this one. Of the calls that say so, only the first drops it. */
  refuse(value: string): void {
    if (this.#token?.value !== value) return
    // The token never worked: the next will hardly do better, and a new one for each call would help no call. Once may
    // be an accident: answers overtake each other.
    if (!this.#token.isProven && this.#failures > 0) {
      this.#fail('The platform refuses the tokens of this key.', this.#timings.backoff)
    } else if (!this.#token.isProven) this.#failures = 1
    this.#token = undefined
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  #renew(): Promise<Token> {
    this.#renewing ??= this.#ask().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #ask(): Promise<Token> {
    const { tokenMs, backoff, refusedBackoff } = this.#timings
    const body = new URLSearchParams({ grant_type: GRANT, assertion: this.#statement() }).toString()
    const askedAtMs = this.#nowMs()
    const answer = await exchange(this.#pool, {
      method: 'POST',
      path: this.#path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body,
      timeoutMs: tokenMs,
      answerBytesMax: ANSWER_BYTES_MAX
    })
    const token = readToken(answer, askedAtMs)
    if (!token) {
      const isRefused = answer.kind === 'answered' && answer.status >= 400 && answer.status < 500
      throw this.#fail(sentenceOf(answer), isRefused && answer.status !== 429 ? refusedBackoff : backoff)
    }
    this.#token = token
    return token
  }

  #fail(reason: string, bounds: RbmTimings['backoff']): TokenFailure {
    this.#failures++
    this.#notBeforeMs = this.#nowMs() + backoffMs(this.#failures, bounds)
    this.#lastFailure = new TokenFailure(reason)
    return this.#lastFailure
  }

  #statement(): string {
    const issuedAt = Math.floor(Date.now() / 1000) - CLOCKS_APART_SECONDS
    const claims = {
      iss: this.#key.clientEmail,
      scope: this.#scope,
      aud: this.#key.tokenUri,
      iat: issuedAt,
      exp: issuedAt + STATEMENT_SECONDS
    }
    const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
    return `${signed}.${sign('sha256', Buffer.from(signed), this.#privateKey).toString('base64url')}`
  }
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function readToken(answer: Answer, askedAtMs: number): Token | undefined {
  if (answer.kind !== 'answered' || answer.status !== 200) return undefined
  const { access_token: value, expires_in: expiresIn } = parse(answer.text)
  if (typeof value !== 'string' || !TOKEN.test(value)) return undefined
  const lifeSeconds = typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : LIFE_SECONDS_DEFAULT
  const renewSeconds = Math.max(lifeSeconds - RENEW_SECONDS, lifeSeconds * LIFE_SHARE)
  return {
    value,
    renewAtMs: askedAtMs + renewSeconds * 1000,
    endsAtMs: askedAtMs + lifeSeconds * 1000,
    isProven: false
  }
}

/** Quotes only the error code and its description: the rest of the answer may hold a secret. */
function sentenceOf(answer: Answer): string {
  if (answer.kind === 'failed') return `The server of tokens ${answer.reason}.`
  if (answer.status === 200) return 'The server of tokens answered without a token.'
  const { error, error_description: description } = parse(answer.text)
  const words = [error, description].filter((part) => typeof part === 'string').join(': ')
  return `The server of tokens answered ${answer.status}${words === '' ? '' : ` (${words.slice(0, 200)})`}.`
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {} // Whatever it is, it holds no token.
  }
}
