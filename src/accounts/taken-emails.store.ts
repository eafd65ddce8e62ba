import type { Sql } from '../database/database.ts'
import type { Asker } from '../http/caller.ts'

export interface EmailLook {
  /** Whether a person of the account itself or of a sub-account has the email. */
  isOwn: boolean
  isTaken: boolean
  /** How often the top-level account got this answer within the running hour, this time included. */
  answers: number
  /** How long that hour still lasts. */
  secondsLeft: number
}

/**
 * Checks whether a person of a foreign account has this email, and if so counts the answer for the top-level account, in one statement.
 * The account itself and its sub-accounts are not foreign. The first answer after a quiet hour begins a new hour.
 */
export async function findTakenEmail(
  sql: Sql,
  { email, accountId, topLevelId }: Asker & { email: string }
): Promise<EmailLook> {
  const ownPeople = sql`
    select
    from memberships
    join accounts on accounts.id = memberships.account_id
    where person_id = people.id
      and (accounts.id = ${accountId} or parent_id = ${accountId})
  `
  const [row] = await sql<[EmailLook]>`
    with taken as (
      select
      from people
      where lower(email) = lower(${email})
        and not exists (${ownPeople})
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
        from people
        where lower(email) = lower(${email})
          and exists (${ownPeople})
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
