import { hash, randomBytes } from 'node:crypto'
import Type from 'typebox'

/** The secret of a link: 256 random bits. Only its hash is stored. */
export function newLinkToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashLinkToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Copies of one mail whose links work; only a mail server that hangs up at the end of a mail makes more than one. */
const COPIES_MAX = 10

/** Makes the token of a mailed link; undefined if the link is of no use any more, as `keep` says. */
export async function mintLinkToken(
  id: number,
  keep: (token: { id: number; tokenHash: Buffer; copiesMax: number }) => Promise<boolean>
): Promise<string | undefined> {
  const token = newLinkToken()
  return (await keep({ id, tokenHash: hashLinkToken(token), copiesMax: COPIES_MAX })) ? token : undefined
}

/** The token of a link, in a body: addresses end up in logs. */
export const LinkToken = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'The token of the link: what follows `#` in its address.'
})

export const linkTokenExample = 'pW2Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCB0b2tlbg'
