import { timingSafeEqual } from 'node:crypto'
import { rememberHmacs } from '../../http/hmac.ts'

/*
 * The platform posts two things to our address: the challenge by which it is set up, and events, as Pub/Sub wraps them.
 * An event is signed with the token of the carrier, over its bytes and not over the wrapping.
 */

export type RbmPush =
  | { kind: 'challenge'; clientToken: string; secret: string }
  /** The bytes of an event, which are JSON if all is well. */
  | { kind: 'event'; data: Buffer }

/** Undefined when it is neither. */
export function readRbmPush(body: unknown): RbmPush | undefined {
  if (!isObject(body)) return undefined
  const { message, clientToken, secret } = body
  if (isObject(message) && typeof message.data === 'string') {
    return { kind: 'event', data: Buffer.from(message.data, 'base64') }
  }
  if (typeof clientToken !== 'string' || typeof secret !== 'string') return undefined
  return { kind: 'challenge', clientToken, secret }
}

/** Whether it could be one: 64 bytes in base64. */
export function isSignatureForm(signature: string): boolean {
  return /^[A-Za-z0-9+/]{86}==$/.test(signature)
}

/** `signature` is the header `X-Goog-Signature`: HMAC-SHA512 of the bytes, in base64. */
export function isSignedBy(token: string, data: Buffer, signature: string | undefined): boolean {
  if (signature === undefined) return false
  return isSame(signature, hmacOf(token)(data, 'base64'))
}

const hmacOf = rememberHmacs('sha512')

/** The answer to a challenge; undefined when it comes without the right token. */
export function answerChallenge(
  token: string,
  { clientToken, secret }: { clientToken: string; secret: string }
): string | undefined {
  return isSame(clientToken, token) ? secret : undefined
}

/** Takes as long for a wrong one as for the right one, so that it can't be guessed piece by piece. */
function isSame(given: string, expected: string): boolean {
  const bytes = Buffer.from(given)
  const expectedBytes = Buffer.from(expected)
  return bytes.length === expectedBytes.length && timingSafeEqual(bytes, expectedBytes)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
