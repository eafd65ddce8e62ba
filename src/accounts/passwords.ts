import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal } from '../errors.ts'

const deriveTag = promisify(argon2)

// OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. About 30 ms on the machines we run on.
const MEMORY_KIB = 19_456
const PASSES = 2
const SALT_BYTES = 16
const TAG_BYTES = 32

/** Two at a time leave threads of the pool for files and name look-ups; who waits longer than this is turned away. */
const RUNNING_MAX = 2
const WAITING_MAX = 100

/** Hashes a password in the PHC string format: `$argon2id$v=19$m=…,t=…,p=1$salt$tag`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const tag = await derive({ password, salt, memoryKib: MEMORY_KIB, passes: PASSES })
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${toBase64(salt)}$${toBase64(tag)}`
}

/** Whether the password is the one that was hashed. Without a hash it takes the same time and says no. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, memory, passes, salt = '', tag = ''] = PHC.exec(hash ?? ABSENT) ?? []
  const expected = Buffer.from(tag, 'base64')
  const actual = await derive({
    password,
    salt: Buffer.from(salt, 'base64'),
    memoryKib: Number(memory),
    passes: Number(passes)
  })
  const isEqual = expected.length === actual.length && timingSafeEqual(expected, actual)
  return isEqual && hash !== undefined
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/
const ABSENT = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

let running = 0
const waiting: (() => void)[] = []

async function derive(parts: { password: string; salt: Buffer; memoryKib: number; passes: number }): Promise<Buffer> {
  if (running >= RUNNING_MAX) {
    if (waiting.length >= WAITING_MAX) {
      throw new Refusal(503, 'unavailable', 'Too many log-ins at once; ask again.', { retryAfterSeconds: 2 })
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await deriveTag('argon2id', {
      message: parts.password.normalize('NFC'),
      nonce: parts.salt,
      parallelism: 1,
      tagLength: TAG_BYTES,
      memory: parts.memoryKib,
      passes: parts.passes
    })
  } finally {
    // The place goes to the next in line without becoming free in between.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
