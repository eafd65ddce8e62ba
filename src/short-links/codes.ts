import { randomFillSync } from 'node:crypto'

/*
 * The code at the end of a short link: ten random characters of 62. There are 8.4 × 10^17 codes. With a thousand million links
 * in use, one guess in 839 million finds a link. The primary key refuses a code that was drawn twice.
 */

const CODE_LENGTH = 10
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LETTERS = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0))
/** The largest multiple of 62 in a byte. A byte from there on is drawn again, or some letters would be likelier. */
const FAIR_BELOW = 256 - (256 % LETTERS.length)
/** Random bytes per call: a call for each code would cost more than its bytes. */
const RANDOM_BYTES = 65_536

/** Codes that cannot be guessed, also by a person who knows other codes. */
export function createCodes(count: number): string[] {
  const letters = Buffer.allocUnsafe(count * CODE_LENGTH)
  // A code takes 10.3 bytes on average; a call for a few codes must not pay for thousands.
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

/** Whether the text has the form of a code. */
export function isCode(text: string): boolean {
  return CODE.test(text)
}
