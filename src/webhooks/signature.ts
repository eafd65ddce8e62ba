import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks 1.0.0, "Signature scheme": 24 to 64 random bytes, written as base64 after this prefix.
const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

export interface Signing {
  /** The same on every attempt. */
  id: string
  /** The time of this attempt. Receivers refuse a time that is more than five minutes off. */
  timestamp: Date
  /** Exactly the bytes that are sent: another spacing of the same JSON has another signature. */
  body: string | Uint8Array
  /** Every secret that is valid now. */
  secrets: readonly string[]
}

export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** The headers of one attempt, by which the receiver recognises forged and replayed requests. */
export function signedHeaders(signing: Signing): Record<string, string> {
  return {
    'webhook-id': signing.id,
    'webhook-timestamp': String(secondsOf(signing.timestamp)),
    'webhook-signature': sign(signing)
  }
}

/** The value of `webhook-signature`: one signature for each secret, so that a receiver may hold any of them. */
export function sign({ id, timestamp, body, secrets }: Signing): string {
  if (secrets.length === 0) throw new Error('A webhook is signed with at least one secret.')
  return secrets.map((secret) => `v1,${signWith(secret, `${id}.${secondsOf(timestamp)}.`, body)}`).join(' ')
}

function signWith(secret: string, prefix: string, body: string | Uint8Array): string {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error(`A webhook secret starts with ${SECRET_PREFIX}.`)
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  return createHmac('sha256', key).update(prefix).update(body).digest('base64')
}

function secondsOf(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
