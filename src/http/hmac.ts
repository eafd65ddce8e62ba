import { hash } from 'node:crypto'

/*
 * HMAC (RFC 2104) with a prepared key, over Node's hash in one call. `createHmac` makes objects outside of JavaScript's
 * heap for each message, and took up to three times as long.
 */

export type Hmac = (message: string | Uint8Array, encoding: 'hex' | 'base64' | 'latin1') => string

const SIZES = { sha256: { block: 64, digest: 32 }, sha512: { block: 128, digest: 64 } } as const
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c

/** The HMAC with this key. A text counts as its UTF-8. */
export function createHmacWith(algorithm: keyof typeof SIZES, key: string | Uint8Array): Hmac {
  const { block, digest } = SIZES[algorithm]
  const given = typeof key === 'string' ? Buffer.from(key) : key
  const bytes = given.length > block ? Buffer.from(hash(algorithm, given, 'latin1'), 'latin1') : given
  const inner = Buffer.alloc(block, INNER_PAD)
  const outer = Buffer.alloc(block + digest, OUTER_PAD)
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number
    inner[index] = byte ^ INNER_PAD
    outer[index] = byte ^ OUTER_PAD
  }
  return (message, encoding) => {
    const isText = typeof message === 'string'
    const text = Buffer.allocUnsafe(block + (isText ? Buffer.byteLength(message) : message.length))
    text.set(inner)
    if (isText) text.write(message, block)
    else text.set(message, block)
    outer.write(hash(algorithm, text, 'latin1'), block, 'latin1')
    return hash(algorithm, outer, encoding)
  }
}

/** HMACs with keys that are few and come again, such as those of carriers. */
export function rememberHmacs(algorithm: keyof typeof SIZES): (key: string) => Hmac {
  const known = new Map<string, Hmac>()
  return (key) => {
    const hmac = known.get(key) ?? createHmacWith(algorithm, key)
    known.set(key, hmac)
    return hmac
  }
}

const withoutSalt = createHmacWith('sha256', '')

/** Derives keys of 32 bytes from a secret, one for each use: HKDF-SHA256 without a salt (RFC 5869). */
export function deriveFrom(secret: string): (use: string) => Buffer {
  const expand = createHmacWith('sha256', Buffer.from(withoutSalt(secret, 'latin1'), 'latin1'))
  return (use) => Buffer.from(expand(`${use}\u0001`, 'latin1'), 'latin1')
}
