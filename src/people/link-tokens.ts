import { hash, randomBytes } from 'node:crypto'
import Type from 'typebox'

/** The secret of a mailed link: 256 random bits. Only its hash is stored. */
export function newLinkToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashLinkToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** The token of a link, in a body: addresses end up in logs. */
export const LinkToken = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'The token of the link: what follows `#` in its address.'
})

export const linkTokenExample = 'pW2Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCB0b2tlbg'
