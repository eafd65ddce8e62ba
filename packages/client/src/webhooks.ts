import type { EventRecords } from './api-types.ts'
import type { EventType } from './events.ts'

/* Signatures as Standard Webhooks 1.0.0 prescribes them. */

const SECRET_PREFIX = 'whsec_'
const TOLERANCE_SECONDS = 300

/** The body of a webhook. Its `type` tells what the records of `data` are. */
export type WebhookEvent = {
  [Type in EventType]: { id: string; type: Type; timestamp: string; test?: true; data: EventRecords[Type][] }
}[EventType]

/** A request that does not come from the service, or is too old. Answer it with a 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

type Headers_ = Headers | Readonly<Record<string, string | string[] | undefined>>

/** Checks the signature and the age of a webhook, and reads its body. `body` must be the bytes as they came. */
export async function verifyWebhook({
  secret,
  headers,
  body,
  toleranceSeconds = TOLERANCE_SECONDS
}: {
  /** The secret, or several while they are rotated. */
  secret: string | readonly string[]
  headers: Headers_
  body: string | Uint8Array
  toleranceSeconds?: number
}): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name)
  )
  if (!id || !timestamp || !signatures) throw new WebhookError('The webhook is not signed.')
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(age <= toleranceSeconds)) throw new WebhookError('The webhook is too old, or the clocks differ.')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const given = signatures.split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice(3)] : []))
  for (const one of [secret].flat()) {
    const expected = await signatureOf({ secret: one, id, timestamp, body: text })
    if (given.some((each) => isSame(each, expected))) return JSON.parse(text) as WebhookEvent
  }
  throw new WebhookError('The signature of the webhook is wrong.')
}

/** The headers of a signed webhook, for tests of your own receiver. */
export async function signWebhook({
  secret,
  id,
  body,
  timestamp = new Date()
}: {
  secret: string
  id: string
  body: string
  timestamp?: Date
}): Promise<Record<string, string>> {
  const seconds = String(Math.floor(timestamp.getTime() / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${await signatureOf({ secret, id, timestamp: seconds, body })}`
  }
}

async function signatureOf(parts: { secret: string; id: string; timestamp: string; body: string }): Promise<string> {
  if (!parts.secret.startsWith(SECRET_PREFIX)) throw new WebhookError(`A secret starts with ${SECRET_PREFIX}.`)
  const octets = Uint8Array.from(atob(parts.secret.slice(SECRET_PREFIX.length)), (sign) => sign.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', octets, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = new TextEncoder().encode(`${parts.id}.${parts.timestamp}.${parts.body}`)
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))))
}

/** Compares in a time that tells nothing about the expected text. */
function isSame(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let at = 0; at < expected.length; at++) difference |= (given.charCodeAt(at) || 0) ^ expected.charCodeAt(at)
  return difference === 0
}

function headerOf(headers: Headers_, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(found) ? found[0] : found
}
