import type { Sql } from '../database/database.ts'

export async function insertReset(
  sql: Sql,
  { personId, tokenHash, expiresAt }: { personId: number; tokenHash: Buffer; expiresAt: Date }
): Promise<void> {
  await sql`
    insert into password_resets (token_hash, person_id, expires_at)
    values (${tokenHash}, ${personId}, ${expiresAt})
  `
}

/** Undefined if the link was used or is too old. */
export async function findReset(sql: Sql, tokenHash: Buffer): Promise<{ personId: number } | undefined> {
  const [row] = await sql<{ personId: number }[]>`
    select person_id
    from password_resets
    where token_hash = ${tokenHash}
      and expires_at > now()
  `
  return row
}

/** Uses a link. Of two who use it at once, one is told that it is used. */
export async function takeReset(
  sql: Sql,
  { personId, tokenHash }: { personId: number; tokenHash: Buffer }
): Promise<boolean> {
  const { count } = await sql`
    delete from password_resets
    where token_hash = ${tokenHash}
      and person_id = ${personId}
      and expires_at > now()
  `
  return count > 0
}

export async function deleteResetsOf(sql: Sql, personId: number): Promise<void> {
  await sql`
    delete from password_resets
    where person_id = ${personId}
  `
}

export async function deleteExpiredResets(sql: Sql): Promise<void> {
  await sql`
    delete from password_resets
    where expires_at < now()
  `
}

/** The requests of each subject's running hour, this one included, and how long that hour still lasts. */
export interface ResetRequests {
  subject: string
  requests: number
  secondsLeft: number
}

/** Counts one more request for each subject. The first after a quiet hour begins a new hour. */
export async function insertResetRequest(sql: Sql, subjects: string[]): Promise<ResetRequests[]> {
  return sql<ResetRequests[]>`
    insert into reset_requests as known (subject, started_at, requests)
    select subject, now(), 1
    from unnest(${subjects}::text[]) as subject
    order by subject
    on conflict (subject) do update
    set requests = case when known.started_at > now() - interval '1 hour' then known.requests + 1 else 1 end,
        started_at = case when known.started_at > now() - interval '1 hour' then known.started_at else now() end
    returning subject, requests, ceil(extract(epoch from started_at + interval '1 hour' - now()))::int as seconds_left
  `
}

export async function deleteExpiredResetRequests(sql: Sql): Promise<void> {
  await sql`
    delete from reset_requests
    where started_at < now() - interval '1 hour'
  `
}
