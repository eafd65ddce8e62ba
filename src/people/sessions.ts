import type { Sql } from '../database/database.ts'
import { insertSession } from './sessions.store.ts'
import type { Tokens } from './tokens.ts'

/** Where a session is begun from, for the person who reads the list of them. */
export interface SessionOrigin {
  address: string
  /** The program, as it names itself. */
  agent: string
}

export interface Opening {
  person: { id: number; tokenVersion: number }
  accountId: number
  viewedFrom?: number
  /** When the person has logged in at the OpenID provider. */
  signedOnAt?: Date | null
  /** The session that it is begun from, which it does not outlive. */
  from?: { expiresAt: Date }
  /** At most this long. */
  ttlSeconds?: number
  origin: SessionOrigin
}

export interface OpenedSession {
  token: string
  expiresIn: number
}

const AGENT_MAX = 255

/** Begins a session of a person on an account, and answers its token. */
export async function openSession(
  sql: Sql,
  tokens: Tokens,
  { person, accountId, viewedFrom, signedOnAt, origin, ...lasting }: Opening
): Promise<OpenedSession> {
  const ttlSeconds = secondsOf(lasting, tokens.ttlSeconds)
  const { token, id, expiresAt } = tokens.issue({ accountId, version: person.tokenVersion }, { ttlSeconds })
  await insertSession(sql, {
    id,
    personId: person.id,
    accountId,
    viewedFrom: viewedFrom ?? null,
    signedOnAt: signedOnAt ?? null,
    address: origin.address,
    agent: origin.agent.slice(0, AGENT_MAX),
    expiresAt
  })
  return { token, expiresIn: ttlSeconds }
}

/** Without the end of the session before it, somebody with a stolen token could go on for ever. */
function secondsOf({ ttlSeconds, from }: Pick<Opening, 'ttlSeconds' | 'from'>, max: number): number {
  const left = from ? Math.max(1, Math.floor((from.expiresAt.getTime() - Date.now()) / 1000)) : max
  return Math.min(ttlSeconds ?? max, left, max)
}
