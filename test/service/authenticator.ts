import { createHmac } from 'node:crypto'

/* An authenticator app of the tests' own: RFC 6238 with node:crypto, so that no mistake of a library agrees with itself. */

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_SECONDS = 30

/** The code of a secret now, or so many steps later. */
export function codeOf(secret: string, stepsLater = 0): string {
  return codeAt(secret, Date.now() / 1000 + stepsLater * STEP_SECONDS)
}

export function codeAt(secret: string, seconds: number): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(seconds / STEP_SECONDS)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** A code that is right at no time near to now. */
export function wrongCodes(secret: string, count: number): string[] {
  const right = new Set([-2, -1, 0, 1, 2, 3].map((later) => codeOf(secret, later)))
  const wrong: string[] = []
  for (let number = 0; wrong.length < count; number++) {
    const code = String(number).padStart(6, '0')
    if (!right.has(code)) wrong.push(code)
  }
  return wrong
}
