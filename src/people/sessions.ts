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
  /** Whether the person has logged in at the OpenID provider. */
  isSingleSignOn?: boolean
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
  { person, accountId, viewedFrom, ttlSeconds, isSingleSignOn, origin }: Opening
): Promise<OpenedSession> {
  const { token, id, expiresAt } = tokens.issue({ accountId, version: person.tokenVersion }, { ttlSeconds })
  await insertSession(sql, {
    id,
    personId: person.id,
    accountId,
    viewedFrom: viewedFrom ?? null,
    isSingleSignOn: isSingleSignOn ?? false,
    address: origin.address,
    agent: origin.agent.slice(0, AGENT_MAX),
    expiresAt
  })
  return { token, expiresIn: Math.min(ttlSeconds ?? tokens.ttlSeconds, tokens.ttlSeconds) }
}
