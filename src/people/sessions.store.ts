import type { Sql } from '../database/database.ts'
import { notifyPersonChanged } from './notices.store.ts'

export interface NewSession {
  id: string
  personId: number
  accountId: number
  /** The account above from which it is only looked at; null for an account of the person. */
  viewedFrom: number | null
  signedOnAt: Date | null
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
    ),
    member as (
      update memberships
      set last_seen_at = now()
      where person_id = ${session.personId}
        and account_id = ${session.viewedFrom ?? session.accountId}
    )
    insert into sessions (id, person_id, account_id, viewed_from, signed_on_at, address, agent, expires_at)
    values (
      ${session.id}, ${session.personId}, ${session.accountId}, ${session.viewedFrom}, ${session.signedOnAt},
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

/** Ends the sessions of a person, all but one. */
export async function deleteOtherSessions(
  sql: Sql,
  { personId, exceptId }: { personId: number; exceptId: string }
): Promise<{ count: number }> {
  const { count } = await sql`
    delete from sessions
    where person_id = ${personId}
      and id <> ${exceptId}
  `
  await notifyPersonChanged(sql, personId)
  return { count }
}

/** Notes which sessions were used since the last time, and the people who did. */
export async function updateLastSeen(sql: Sql, ids: string[]): Promise<void> {
  await sql`
    with used as (
      update sessions
      set last_seen_at = now()
      where id = any(${ids}::text[])
      returning person_id, coalesce(viewed_from, account_id) as account_id
    ),
    -- Skips what another process writes at this moment: it writes the same, and two could wait for each other.
    seen as (
      select account_id, person_id
      from memberships
      where (account_id, person_id) in (select account_id, person_id from used)
      for no key update skip locked
    )
    update memberships
    set last_seen_at = now()
    from seen
    where memberships.account_id = seen.account_id
      and memberships.person_id = seen.person_id
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
