import type { Sql } from '../database/database.ts'

export interface TotpSecret {
  secret: string
  confirmedAt: Date | null
  lastStep: number
  /** Wrong codes within the last hour. */
  failures: number
  /** Until the hour of these is over. */
  secondsLeft: number
}

/** Locks it: attempts of one person take turns, in whatever process they are made. */
export async function lockTotpSecret(sql: Sql, personId: number): Promise<TotpSecret | undefined> {
  const [row] = await sql<TotpSecret[]>`
    select secret, confirmed_at, last_step,
      case when failures_since > now() - interval '1 hour' then failures else 0 end as failures,
      coalesce(ceil(extract(epoch from failures_since + interval '1 hour' - now()))::int, 0) as seconds_left
    from totp_secrets
    where person_id = ${personId}
    for update
  `
  return row
}

/** Stores a secret that no code has confirmed yet; false if one is confirmed already. */
export async function insertTotpSecret(
  sql: Sql,
  { personId, secret }: { personId: number; secret: string }
): Promise<boolean> {
  const { count } = await sql`
    insert into totp_secrets as known (person_id, secret)
    values (${personId}, ${secret})
    on conflict (person_id) do update
    set secret = excluded.secret, last_step = 0, created_at = now()
    where known.confirmed_at is null
  `
  return count > 0
}

export async function updateConfirmed(sql: Sql, { personId, step }: { personId: number; step: number }): Promise<void> {
  await sql`
    update totp_secrets
    set confirmed_at = now(), last_step = ${step}, failures = 0, failures_since = null
    where person_id = ${personId}
  `
}

/** Notes the step of a right code, which forgives the wrong ones before it. */
export async function updateLastStep(sql: Sql, { personId, step }: { personId: number; step: number }): Promise<void> {
  await sql`
    update totp_secrets
    set last_step = ${step}, failures = 0, failures_since = null
    where person_id = ${personId}
  `
}

/** Counts a wrong code. The first after a quiet hour starts a new one. */
export async function updateFailures(sql: Sql, personId: number): Promise<void> {
  await sql`
    update totp_secrets
    set failures = case when failures_since > now() - interval '1 hour' then failures + 1 else 1 end,
        failures_since = case when failures_since > now() - interval '1 hour' then failures_since else now() end
    where person_id = ${personId}
  `
}

export async function deleteTotpSecret(sql: Sql, personId: number): Promise<boolean> {
  const { count } = await sql`
    delete from totp_secrets
    where person_id = ${personId}
      and confirmed_at is not null
  `
  return count > 0
}
