import { setTimeout as sleep } from 'node:timers/promises'
import { CannotStart } from '../errors.ts'
import type { Log } from '../http/log.ts'
import { readDatabaseClock } from './clock.ts'
import { type ConnectOptions, connect, type Pool } from './database.ts'
import { hostsOf } from './hosts.ts'
import { migrate } from './migrate.ts'
import { readShape } from './shape.ts'

/** At a start, how long the database may take to answer: it may be starting too, or be busy. */
const ANSWER_TIMEOUT_MS = 30_000
const ASK_AGAIN_MS = 500
/** PostgreSQL's cannot_connect_now: it starts, recovers or stops. */
const CANNOT_CONNECT_NOW = '57P03'
const CLOSE_SECONDS = 5

/** Waits for the database, migrates it, and reads its shape and its clock, over connections of its own. */
export async function prepareDatabase(options: ConnectOptions, log: Log): Promise<void> {
  const pool = connect(options)
  try {
    await refuseUnreachable(pool, options.url)
    const applied = await migrate(pool)
    if (applied.length > 0) log.info({ applied }, 'database migrated')
    await readShape(pool)
    await readDatabaseClock(pool)
  } finally {
    await pool.close(CLOSE_SECONDS)
  }
}

async function refuseUnreachable(pool: Pool, url: ConnectOptions['url']): Promise<void> {
  try {
    await Promise.race([answerOf(pool), refuseSilence()])
  } catch (error) {
    // Only the hosts: the rest of the URL may hold a password.
    const where = typeof url === 'string' ? (hostsOf(url)?.join(', ') ?? 'DATABASE_URL') : url.socketFolder
    const { code = '', message } = error as { code?: string; message: string }
    const isWithoutPassword = message.includes('client password must be a string')
    const problem = isWithoutPassword ? 'it asks for a password, and DATABASE_URL has none' : message
    const advice = ADVICE[code] ?? ''
    throw new CannotStart(`The database at ${where} can't be used: ${problem}.${advice && ` ${advice}`}`)
  }
}

const UNKNOWN_AUTHORITY = 'Name the file of its authority in NODE_EXTRA_CA_CERTS.'

/** What to do, by the code of Node or PostgreSQL. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL there, or correct DATABASE_URL.',
  ENOTFOUND: 'Correct the host in DATABASE_URL.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  '28P01': 'Correct the user or the password in DATABASE_URL.',
  '3D000': 'Make this database, with the user of DATABASE_URL as its owner, or correct DATABASE_URL.',
  '53300': 'Raise this limit of PostgreSQL, or end other connections.'
}

/** A server that starts, or is too busy to answer in time, is asked again. */
async function answerOf(pool: Pool): Promise<void> {
  try {
    await pool`select 1`
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'CONNECT_TIMEOUT' && code !== CANNOT_CONNECT_NOW) throw error
    await sleep(ASK_AGAIN_MS)
    await answerOf(pool)
  }
}

/** A program that is no PostgreSQL may take a connection and never give an answer that the driver understands. */
async function refuseSilence(): Promise<never> {
  await sleep(ANSWER_TIMEOUT_MS, undefined, { ref: false })
  throw new Error(`no PostgreSQL answered within ${ANSWER_TIMEOUT_MS / 1000} s`)
}
