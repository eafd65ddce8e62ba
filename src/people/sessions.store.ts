import type { Sql } from '../database/database.ts'
import { notifyPersonChanged } from './notices.store.ts'

export interface NewSession {
  id: string
  personId: number
  accountId: number
  /** The account above from which it is only looked at; null for an account of the person. */
  viewedFrom: number | null
  isSingleSignOn: boolean
  address: string
  agent: string
  expiresAt: Date
}

/** Begins a session, which is also the person's last log-in. */
export async function insertSession(sql: Sql, session: NewSession): Promise<void> {
  await sql`
    with person as (
      update people
      set last_login_at = now()
      where id = ${session.personId}
    )
    insert into sessions (id, person_id, account_id, viewed_from, is_single_sign_on, address, agent, expires_at)
    values (
      ${session.id}, ${session.personId}, ${session.accountId}, ${session.viewedFrom}, ${session.isSingleSignOn},
      ${session.address}, ${session.agent}, ${session.expiresAt}
    )
  `
}

/** From the commit on, every process refuses the token of the session. */
export async function deleteSession(
  sql: Sql,
  { personId, id }: { personId: number; id: string }
): Promise<{ isEnded: boolean }> {
  const { count } = await sql`
    delete from sessions
    where person_id = ${personId}
      and id = ${id}
  `
  await notifyPersonChanged(sql, personId)
  return { isEnded: count > 0 }
}

/** Notes which sessions were used since the last time. */
export async function updateLastSeen(sql: Sql, ids: string[]): Promise<void> {
  await sql`
    update sessions
    set last_seen_at = now()
    where id = any(${ids}::text[])
  `
}

/** Removes sessions whose token has expired. */
export async function deleteExpiredSessions(sql: Sql): Promise<void> {
  await sql`
    delete from sessions
    where expires_at < now() - interval '1 minute'
  `
}

/** Ends all sessions on these accounts, and those that look at others from them. */
export async function deleteSessionsOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from sessions
    where account_id = any(${accountIds as number[]}::bigint[])
      or viewed_from = any(${accountIds as number[]}::bigint[])
  `
}
