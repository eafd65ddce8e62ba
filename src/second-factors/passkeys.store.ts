import type { Sql } from '../database/database.ts'
import type { Passkey } from './second-factor.ts'

export interface NewPasskey {
  personId: number
  name: string
  credentialId: string
  publicKey: Uint8Array
  counter: number
  transports: string[]
}

export async function insertPasskey(sql: Sql, passkey: NewPasskey): Promise<Passkey> {
  const [row] = await sql<[Passkey]>`
    insert into passkeys (id, person_id, name, credential_id, public_key, counter, transports)
    values (
      nextval('passkey_ids'), ${passkey.personId}, ${passkey.name}, ${passkey.credentialId}, ${passkey.publicKey},
      ${passkey.counter}, ${passkey.transports}
    )
    returning id, name, created_at, last_used_at
  `
  return row
}

export async function listPasskeys(sql: Sql, personId: number): Promise<Passkey[]> {
  return sql<Passkey[]>`
    select id, name, created_at, last_used_at
    from passkeys
    where person_id = ${personId}
    order by id
  `
}

/** A passkey as the browser knows it. */
export interface Credential {
  credentialId: string
  publicKey: Buffer
  counter: number
  transports: string[]
}

export async function listCredentials(sql: Sql, personId: number): Promise<Credential[]> {
  return sql<Credential[]>`
    select credential_id, public_key, counter, transports
    from passkeys
    where person_id = ${personId}
    order by id
  `
}

export async function findCredential(
  sql: Sql,
  { personId, credentialId }: { personId: number; credentialId: string }
): Promise<Credential | undefined> {
  const [row] = await sql<Credential[]>`
    select credential_id, public_key, counter, transports
    from passkeys
    where person_id = ${personId}
      and credential_id = ${credentialId}
  `
  return row
}

/** Stores the counter of a use. False if another use has changed it since it was read, or the passkey is gone. */
export async function updateCounter(
  sql: Sql,
  use: { personId: number; credentialId: string; before: number; counter: number }
): Promise<boolean> {
  const { count } = await sql`
    update passkeys
    set counter = ${use.counter}, last_used_at = now()
    where person_id = ${use.personId}
      and credential_id = ${use.credentialId}
      and counter = ${use.before}
  `
  return count > 0
}

export async function deletePasskey(sql: Sql, { personId, id }: { personId: number; id: number }): Promise<boolean> {
  const { count } = await sql`
    delete from passkeys
    where person_id = ${personId}
      and id = ${id}
  `
  return count > 0
}

/** A challenge is asked of one person, and of one session where a passkey is added. */
interface Challenge {
  personId: number
  challengeHash: Buffer
  sessionId: string | null
}

export async function insertChallenge(sql: Sql, challenge: Challenge & { expiresAt: Date }): Promise<void> {
  await sql`
    insert into passkey_challenges (challenge_hash, person_id, session_id, expires_at)
    values (${challenge.challengeHash}, ${challenge.personId}, ${challenge.sessionId}, ${challenge.expiresAt})
  `
}

/** Uses a challenge up; false if it was not asked here, was answered before, or is too old. */
export async function deleteChallenge(sql: Sql, { personId, challengeHash, sessionId }: Challenge): Promise<boolean> {
  const { count } = await sql`
    delete from passkey_challenges
    where challenge_hash = ${challengeHash}
      and person_id = ${personId}
      and session_id is not distinct from ${sessionId}
      and expires_at > now()
  `
  return count > 0
}

export async function deleteExpiredChallenges(sql: Sql): Promise<void> {
  await sql`
    delete from passkey_challenges
    where expires_at < now()
  `
}
