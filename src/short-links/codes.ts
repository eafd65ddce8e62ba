import { randomFillSync } from 'node:crypto'

/*
 * What stands at the end of a short link: ten of 62 characters, at random. There are 8.4 × 10^17 of them: of a thousand
 * million links in use, a guess finds one in 839 million, and two made by chance alike would stop at the primary key.
 */

export const CODE_LENGTH = 10
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LETTERS = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0))
/** The largest multiple of 62 that a byte can tell apart: from there on it is drawn again, or some letters would be likelier. */
const FAIR_BELOW = 256 - (256 % LETTERS.length)
/** Asked for at once: a call for each code would cost more than its bytes. */
const RANDOM_BYTES = 65_536

/** Codes that nobody can guess, whether they know others or not. */
export function createCodes(count: number): string[] {
  const letters = Buffer.allocUnsafe(count * CODE_LENGTH)
  // A code takes 10.3 bytes on average; a few that are asked for alone must not pay for thousands.
  const random = new Uint8Array(Math.min(RANDOM_BYTES, letters.length + (letters.length >> 3) + 16))
  let filled = 0
  while (filled < letters.length) {
    randomFillSync(random)
    for (let index = 0; index < random.length && filled < letters.length; index++) {
      const byte = random[index] as number
      if (byte < FAIR_BELOW) letters[filled++] = LETTERS[byte % LETTERS.length] as number
    }
  }
  const text = letters.toString('latin1')
  return Array.from({ length: count }, (_, index) => text.slice(index * CODE_LENGTH, (index + 1) * CODE_LENGTH))
}

const CODE = /^[0-9A-Za-z]{10}$/

/** Whether it could be one. */
export function isCode(text: string): boolean {
  return CODE.test(text)
}
