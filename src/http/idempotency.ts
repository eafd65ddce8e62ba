import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import type { Database, Sql } from '../database/database.ts'
import { invalidInput, Refusal } from '../errors.ts'
import { NO_ACCOUNT } from './caller.ts'
import { createHmacWith, deriveFrom } from './hmac.ts'
import {
  type AnswerKey,
  findAnswer,
  insertAnswer,
  listUsedKeys,
  lockAnswerKeys,
  type StoredAnswer
} from './idempotent-answers.store.ts'

/*
 * A request with an Idempotency-Key is done once. Its work and its stored answer are one transaction, so a crash leaves
 * both or neither, and a repeat after it does the work that was lost. Refusals roll back and are not kept.
 *
 * Most requests have a transaction of their own. Small sends share one: it takes their keys together and stores their
 * answers with one statement. A small send that is refused before its key is taken, and one whose key is in use, starts
 * again in a transaction of its own. So a repeat gets its answer there, also if the request would be refused by now.
 */

const KEY_LENGTH_MAX = 255
const NONCE_BYTES = 12
const NONCES_AT_ONCE = 256
const TAG_BYTES = 16
const FINGERPRINT_BYTES = 32
const FINGERPRINT_USE = 'chappe idempotent fingerprint'
const ANSWER_USE = 'chappe idempotent answer'

export interface Attempt {
  database: Database
  /** That of NO_ACCOUNT for a caller without an account. */
  accountId: number
  key: string
  /**
   * The request. The same key with another request is a mistake. Its caller is a part of it unless any caller of the
   * account may repeat it: a stored answer may hold a secret, and the work that would ask who may have it does not run.
   */
  request: { method: string; url: string; body: unknown; caller: string | undefined }
  /** Does the work and returns the answer's JSON. */
  work(database: Database, sharing?: SharedKey): Promise<string>
  /** Given if the work can share a transaction. */
  sharing?: Sharing | undefined
}

/** The answer of an operation whose work can share a transaction. */
export interface Sharing {
  serialise(answer: unknown): string
  /** The JSON of an answer that tells a balance, when the balance has so many credits more. */
  correct(json: string, difference: number): string
}

/** The Idempotency-Key of a request whose work shares a transaction. */
export interface SharedKey extends AnswerKey {
  /** Whether a transaction has taken the key, and no answer is stored for it. */
  isFree: boolean
  /** The answer as it is stored. */
  seal(answer: unknown): AnswerKey & StoredAnswer
}

export interface OneAnswer {
  json: string
  isReplayed: boolean
}

export type AnswerOnce = ReturnType<typeof createAnswerOnce>

/** Remembers the keys that this process is working on: their repeats are refused without a database connection. */
export function createAnswerOnce() {
  const running = new Set<string>()

  return async function answerOnce(attempt: Attempt): Promise<OneAnswer> {
    const keys = keysOf(attempt)
    const name = keys.keyHash.toString('base64')
    if (running.has(name)) throw stillRunning()
    running.add(name)
    try {
      return await answerFirst(attempt, keys)
    } finally {
      running.delete(name)
    }
  }
}

async function answerFirst(attempt: Attempt, keys: Keys): Promise<OneAnswer> {
  const { sharing } = attempt
  if (!sharing) return answerAlone(attempt, keys)
  const shared = toSharedKey({ ...attempt, sharing }, keys)
  try {
    return { json: await attempt.work(attempt.database, shared), isReplayed: false }
  } catch (error) {
    if (!(error instanceof Refusal) || shared.isFree) throw error
    return answerAlone(attempt, keys)
  }
}

/** What follows from the Idempotency-Key of a request. */
interface Keys {
  keyHash: Buffer
  fingerprint: Buffer
  derive: Derive
}

type Derive = ReturnType<typeof deriveFrom>

/**
 * Callers without an account are strangers to each other, and may choose the same key. So their request is a part of the
 * key: nobody is refused for what a stranger has asked.
 */
function keysOf({ accountId, key, request }: Attempt): Keys {
  const derive = deriveFrom(key)
  const fingerprint = fingerprintOf({ ...request, body: inOrder(request.body) }, derive)
  const name =
    accountId === NO_ACCOUNT.accountId ? `${accountId} ${fingerprint.toString('base64')} ${key}` : `${accountId} ${key}`
  return { keyHash: hash('sha256', name, 'buffer'), fingerprint, derive }
}

async function answerAlone(attempt: Attempt, { keyHash, fingerprint, derive }: Keys): Promise<OneAnswer> {
  const { accountId, request, work, sharing } = attempt
  return attempt.database.begin(async (database) => {
    const [isLocked] = await lockAnswerKeys(database, [{ accountId, keyHash }])
    if (!isLocked) throw stillRunning()
    const stored = await findAnswer(database, { accountId, keyHash })
    if (!stored) {
      const json = await work(database)
      await insertAnswer(database, { accountId, keyHash, fingerprint, answer: encrypt(json, derive) })
      return { json, isReplayed: false }
    }
    const storedFingerprint = stored.fingerprint.subarray(0, FINGERPRINT_BYTES)
    // Answers of the last 24 hours may come from a version whose hash depended on the order of names.
    const isSame = [fingerprint, fingerprintOf(request, derive)].some((same) => same.equals(storedFingerprint))
    if (!isSame) throw conflict('This Idempotency-Key was used for another request within the last 24 hours.')
    const json = decrypt(stored.answer, derive)
    const difference = stored.fingerprint.subarray(FINGERPRINT_BYTES)
    const isExact = difference.length === 0 || !sharing
    return { json: isExact ? json : sharing.correct(json, Number(difference.readBigInt64BE())), isReplayed: true }
  })
}

function toSharedKey(
  { accountId, sharing }: Attempt & { sharing: Sharing },
  { keyHash, fingerprint, derive }: Keys
): SharedKey {
  return {
    accountId,
    keyHash,
    isFree: false,
    seal: (answer) => ({ accountId, keyHash, fingerprint, answer: encrypt(sharing.serialise(answer), derive) })
  }
}

/** The outcome of a request whose key is in use. No client sees it: the request starts again on its own. */
export const KEY_IN_USE = stillRunning()

/**
 * Takes the keys of requests for the rest of their transaction, and sets `isFree` of each. Of several requests with one
 * key, the first one has it. It waits for nobody.
 */
export async function takeKeys(sql: Sql, keys: readonly SharedKey[]): Promise<void> {
  if (keys.length === 0) return
  // The first statement takes the keys, so that the second one sees the answers of all that had them before.
  const [isLocked, used] = await Promise.all([lockAnswerKeys(sql, keys), listUsedKeys(sql, keys)])
  const names = new Set(used.map(nameOf))
  for (const [index, key] of keys.entries()) {
    key.isFree = isLocked[index] === true && !names.has(nameOf(key))
    names.add(nameOf(key))
  }
}

function nameOf({ accountId, keyHash }: AnswerKey): string {
  return `${accountId} ${keyHash.toString('base64')}`
}

/** Hashed with a secret key: a body may hold a password, which could be guessed from a plain hash. */
function fingerprintOf({ method, url, body, caller }: Attempt['request'], derive: Derive): Buffer {
  const hmac = createHmacWith('sha256', derive(FINGERPRINT_USE))
  const parts = [method, url, body ?? null, ...(caller === undefined ? [] : [caller])]
  return Buffer.from(hmac(JSON.stringify(parts), 'latin1'), 'latin1')
}

/**
 * A copy with the names of each object in order: some clients change the order from one try to the next. The objects of a list
 * mostly have the same names, which are sorted once. A function that JSON.stringify calls takes up to eight times as long.
 */
export function inOrder(body: unknown): unknown {
  let before: readonly string[] = []
  let sorted: readonly string[] = []
  const sort = (names: readonly string[]): readonly string[] => {
    const isSame = names.length === before.length && names.every((name, index) => name === before[index])
    if (!isSame) [before, sorted] = [names, names.toSorted()]
    return sorted
  }
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(copy)
    const given = value as Record<string, unknown>
    const ordered: Record<string, unknown> = {}
    for (const name of sort(Object.keys(given))) {
      const value = copy(given[name])
      // An assignment to this name would set the prototype.
      if (name === '__proto__') Object.defineProperty(ordered, name, { value, enumerable: true })
      else ordered[name] = value
    }
    return ordered
  }
  return copy(body)
}

/** The header's value, or undefined without one. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && header !== '' && header.length <= KEY_LENGTH_MAX) return header
  throw invalidInput([{ path: 'Idempotency-Key', message: `must have 1 to ${KEY_LENGTH_MAX} characters` }])
}

function stillRunning(): Refusal {
  return conflict('A request with this Idempotency-Key is still running.')
}

function conflict(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}

const takeNonce = createNonces()

/** Draws random bytes for many answers at once: a draw takes far longer than its bytes. */
function createNonces(): () => Buffer {
  let left = Buffer.alloc(0)
  return () => {
    if (left.length === 0) left = randomBytes(NONCES_AT_ONCE * NONCE_BYTES)
    const nonce = left.subarray(0, NONCE_BYTES)
    left = left.subarray(NONCE_BYTES)
    return nonce
  }
}

function encrypt(text: string, derive: Derive): Buffer {
  const nonce = takeNonce()
  const cipher = createCipheriv('aes-256-gcm', derive(ANSWER_USE), nonce)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

function decrypt(stored: Buffer, derive: Derive): string {
  const decipher = createDecipheriv('aes-256-gcm', derive(ANSWER_USE), stored.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(stored.subarray(-TAG_BYTES))
  return decipher.update(stored.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}
