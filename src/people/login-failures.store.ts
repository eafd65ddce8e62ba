import type { Sql } from '../database/database.ts'

/** The failures of each subject's running minute, and how long that minute still lasts. */
export interface LoginFailures {
  subject: string
  failures: number
  secondsLeft: number
}

export async function findLoginFailures(sql: Sql, subjects: string[]): Promise<LoginFailures[]> {
  return sql<LoginFailures[]>`
    select subject, failures, ceil(extract(epoch from started_at + interval '1 minute' - now()))::int as seconds_left
    from login_failures
    where subject = any(${subjects})
      and started_at > now() - interval '1 minute'
  `
}

/** Counts one more failure for each subject. The first after a quiet minute starts a new one. */
export async function insertLoginFailure(sql: Sql, subjects: string[]): Promise<LoginFailures[]> {
  return sql<LoginFailures[]>`
    insert into login_failures as known (subject, started_at, failures)
    select subject, now(), 1
    from unnest(${subjects}::text[]) as subject
    order by subject
    on conflict (subject) do update
    set failures = case when known.started_at > now() - interval '1 minute' then known.failures + 1 else 1 end,
        started_at = case when known.started_at > now() - interval '1 minute' then known.started_at else now() end
    returning subject, failures, ceil(extract(epoch from started_at + interval '1 minute' - now()))::int as seconds_left
  `
}

/** Removes the minutes that are over. */
export async function deleteExpiredLoginFailures(sql: Sql): Promise<number> {
  const { count } = await sql`
    delete from login_failures
    where started_at < now() - interval '1 minute'
  `
  return count
}
