import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto'
import type { Database } from '../database/database.ts'
import { invalidInput, Refusal } from '../errors.ts'
import { findAnswer, insertAnswer, lockAnswerKey } from './idempotent-answers.store.ts'

/*
 * A request with an Idempotency-Key is done once. Its work and its stored answer are one transaction, so a crash leaves
 * both or neither, and a repeat after it does the work that was lost. Refusals roll back and are not kept.
 */

const KEY_LENGTH_MAX = 255
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface Attempt {
  database: Database
  /** 0 for a caller without an account. */
  accountId: number
  key: string
  /** The request. The same key with another request is a mistake. */
  request: { method: string; url: string; body: unknown }
  /** Does the work and returns the answer's JSON. */
  work(database: Database): Promise<string>
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
    const keyHash = hash('sha256', `${attempt.accountId} ${attempt.key}`, 'buffer')
    const name = keyHash.toString('base64')
    if (running.has(name)) throw stillRunning()
    running.add(name)
    try {
      return await answerFirst(attempt, keyHash)
    } finally {
      running.delete(name)
    }
  }
}

async function answerFirst({ database, accountId, key, request, work }: Attempt, keyHash: Buffer): Promise<OneAnswer> {
  const fingerprint = fingerprintOf(request, key, sortNames)
  return database.begin(async (database) => {
    if (!(await lockAnswerKey(database, { accountId, keyHash }))) throw stillRunning()
    const stored = await findAnswer(database, { accountId, keyHash })
    // Answers of the last 24 hours may come from a version whose hash depended on the order of names.
    const isSame = stored && [fingerprint, fingerprintOf(request, key)].some((same) => same.equals(stored.fingerprint))
    if (stored && !isSame) {
      throw conflict('This Idempotency-Key was used for another request within the last 24 hours.')
    }
    if (stored) return { json: decrypt(stored.answer, key), isReplayed: true }

    const json = await work(database)
    await insertAnswer(database, { accountId, keyHash, fingerprint, answer: encrypt(json, key) })
    return { json, isReplayed: false }
  })
}

/** Hashed with a secret key: a body may hold a password, which could be guessed from a plain hash. */
function fingerprintOf(
  { method, url, body }: Attempt['request'],
  key: string,
  change?: (name: string, value: unknown) => unknown
): Buffer {
  return createHmac('sha256', derive(key, 'fingerprint'))
    .update(JSON.stringify([method, url, body ?? null], change))
    .digest()
}

/** JSON with the names of each object in order: some clients change the order from one try to the next. */
function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
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

function encrypt(text: string, key: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', derive(key, 'answer'), nonce)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

function decrypt(stored: Buffer, key: string): string {
  const decipher = createDecipheriv('aes-256-gcm', derive(key, 'answer'), stored.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(stored.subarray(-TAG_BYTES))
  return decipher.update(stored.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

function derive(key: string, use: 'answer' | 'fingerprint'): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `chappe idempotent ${use}`, 32))
}
