import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import Type from 'typebox'
import { Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'

const deriveTag = promisify(argon2)

/** A password that somebody chooses. */
export const Password = Type.String({ minLength: 8, maxLength: 128 })

interface Cost {
  memoryKib: number
  passes: number
}

// OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. About 30 ms on the machines we run on.
let cost: Cost = { memoryKib: 19_456, passes: 2 }
const SALT_BYTES = 16
const TAG_BYTES = 32

/** Two at a time leave threads of the pool for files and name look-ups. */
const RUNNING_MAX = 2
/** Requests that wait, of one asker and in all; further ones are refused. Askers take turns, so a flood delays only itself. */
const WAITING_EACH_MAX = 50
const WAITING_MAX = 400

/**
 * For tests, which hash thousands of passwords: lowers the cost of all hashes that this process makes from now on. Nothing in
 * `src/` calls it, and no setting leads here, so nobody who runs Chappe can weaken a hash.
 */
export function hashAtLeastCost(): void {
  cost = { memoryKib: 8, passes: 1 }
}

/**
 * Hashes a password in the PHC string format: `$argon2id$v=19$m=…,t=…,p=1$salt$tag`. `asker` names the turn that it takes:
 * that of a top-level account, or that of the network of a request without credentials.
 */
export async function hashPassword(password: string, asker: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const { memoryKib, passes } = cost
  const tag = await derive({ password, salt, memoryKib, passes }, asker)
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${toBase64(salt)}$${toBase64(tag)}`
}

/** Sub-accounts take the turns of their top-level account. */
export function askerOf({ topLevelId }: Pick<Caller, 'topLevelId'>): string {
  return `account ${topLevelId}`
}

/** Whether the password matches the hash. Without a hash it takes the same time and answers false. */
export async function verifyPassword(password: string, hash: string | undefined, asker: string): Promise<boolean> {
  const [, memory, passes, salt = '', tag = ''] = PHC.exec(hash ?? absentHash()) ?? []
  const expected = Buffer.from(tag, 'base64')
  const actual = await derive(
    { password, salt: Buffer.from(salt, 'base64'), memoryKib: Number(memory), passes: Number(passes) },
    asker
  )
  const isEqual = expected.length === actual.length && timingSafeEqual(expected, actual)
  return isEqual && hash !== undefined
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/

function absentHash(): string {
  return `$argon2id$v=19$m=${cost.memoryKib},t=${cost.passes},p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
}

interface Parameters extends Cost {
  password: string
  salt: Buffer
}

let running = 0
let waitingCount = 0
/** By asker; the first asker is the next. */
const waiting = new Map<string, (() => void)[]>()

async function derive(parts: Parameters, asker: string): Promise<Buffer> {
  if (running < RUNNING_MAX) running++
  else await takeTurn(asker)
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
    // The place goes to the next asker without becoming free in between.
    const next = nextInTurn()
    if (next) next()
    else running--
  }
}

async function takeTurn(asker: string): Promise<void> {
  const own = waiting.get(asker) ?? []
  if (own.length >= WAITING_EACH_MAX || waitingCount >= WAITING_MAX) {
    throw new Refusal(503, 'unavailable', 'Too many log-ins at once; ask again in 2 s.', { retryAfterSeconds: 2 })
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.set(asker, [...own, resolve])
  waitingCount++
  return promise
}

function nextInTurn(): (() => void) | undefined {
  for (const [asker, [next, ...others]] of waiting) {
    waiting.delete(asker)
    if (others.length > 0) waiting.set(asker, others)
    waitingCount--
    return next
  }
  return undefined
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
