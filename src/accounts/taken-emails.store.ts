import type { Sql } from '../database/database.ts'
import type { Asker } from '../http/caller.ts'

export interface EmailLook {
  /** Whether the account itself or a sub-account of it has the email. */
  isOwn: boolean
  isTaken: boolean
  /** How often the top-level account got this answer within the running hour, this time included. */
  answers: number
  /** How long that hour still lasts. */
  secondsLeft: number
}

/**
 * Checks whether a foreign account has this email, and if so counts the answer for the top-level account, in one statement.
 * The account itself and its sub-accounts are not foreign. The first answer after a quiet hour begins a new hour.
 */
export async function findTakenEmail(
  sql: Sql,
  { email, accountId, topLevelId }: Asker & { email: string }
): Promise<EmailLook> {
  const [row] = await sql<[EmailLook]>`
    with taken as (
      select
      from accounts
      where lower(email) = lower(${email})
        and id <> ${accountId}
        and parent_id is distinct from ${accountId}
    ),
    counted as (
      insert into taken_email_answers as known (account_id, started_at, answers)
      select ${topLevelId}, now(), 1
      from taken
      on conflict (account_id) do update
      set answers = case when known.started_at > now() - interval '1 hour' then known.answers + 1 else 1 end,
          started_at = case when known.started_at > now() - interval '1 hour' then known.started_at else now() end
      returning started_at, answers
    ),
    running as (
      select started_at, answers
      from counted
      union all
      select started_at, answers
      from taken_email_answers
      where account_id = ${topLevelId}
        and started_at > now() - interval '1 hour'
        and not exists (select from counted)
    )
    select exists (select from taken) as is_taken,
      exists (
        select
        from accounts
        where lower(email) = lower(${email})
          and (id = ${accountId} or parent_id = ${accountId})
      ) as is_own,
      coalesce(answers, 0) as answers,
      coalesce(ceil(extract(epoch from started_at + interval '1 hour' - now())), 0)::int as seconds_left
    from (select) as one
    left join running on true
  `
  return row
}

/** Removes the hours that are over. */
export async function deleteExpiredTakenEmails(sql: Sql): Promise<void> {
  await sql`
    delete from taken_email_answers
    where started_at < now() - interval '1 hour'
  `
}
