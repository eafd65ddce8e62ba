import type { Sql } from '../database/database.ts'

/** The attempts of a subject's running window, and how long that window still lasts. */
export interface Attempts {
  subject: string
  count: number
  secondsLeft: number
}

/** Subjects without a running window are left out. */
export async function findAttempts(sql: Sql, subjects: string[]): Promise<Attempts[]> {
  return sql<Attempts[]>`
    select subject, count, ceil(extract(epoch from ends_at - now()))::int as seconds_left
    from attempts
    where subject = any(${subjects})
      and ends_at > now()
  `
}

/** Counts one more attempt for each subject. The first after a window has ended begins a new one. */
export async function insertAttempt(
  sql: Sql,
  subjects: string[],
  { windowSeconds }: { windowSeconds: number }
): Promise<Attempts[]> {
  return sql<Attempts[]>`
    insert into attempts as known (subject, count, ends_at)
    select subject, 1, now() + make_interval(secs => ${windowSeconds})
    from unnest(${subjects}::text[]) as subject
    order by subject
    on conflict (subject) do update
    set count = case when known.ends_at > now() then known.count + 1 else 1 end,
        ends_at = case when known.ends_at > now() then known.ends_at else excluded.ends_at end
    returning subject, count, ceil(extract(epoch from ends_at - now()))::int as seconds_left
  `
}

/** Removes the windows that are over. */
export async function deleteEndedAttempts(sql: Sql): Promise<void> {
  await sql`
    delete from attempts
    where ends_at < now()
  `
}
