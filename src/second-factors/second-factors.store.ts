import type { Sql } from '../database/database.ts'
import { notifyPersonChanged } from '../people/notices.store.ts'

/** What a person has set up. */
export interface Factors {
  /** Since when an authenticator app is confirmed; null without one. */
  totpSince: Date | null
  passkeyCount: number
  recoveryCodeCount: number
}

export async function findFactors(sql: Sql, personId: number): Promise<Factors> {
  const [row] = await sql<[Factors]>`
    select (select confirmed_at from totp_secrets where person_id = ${personId}) as totp_since,
      (select count(*)::int from passkeys where person_id = ${personId}) as passkey_count,
      (select count(*)::int from recovery_codes where person_id = ${personId}) as recovery_code_count
  `
  return row
}

/** Changes of a person's factors take turns by this lock, until the transaction ends. */
export async function lockFactors(sql: Sql, personId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('second factors', ${personId}))`
}

/** Removes every factor of a person, who then logs in with the password alone. */
export async function deleteFactors(sql: Sql, personId: number): Promise<void> {
  await sql`delete from totp_secrets where person_id = ${personId}`
  await sql`delete from passkeys where person_id = ${personId}`
  await sql`delete from passkey_challenges where person_id = ${personId}`
  await sql`delete from recovery_codes where person_id = ${personId}`
  await notifyPersonChanged(sql, personId)
}
