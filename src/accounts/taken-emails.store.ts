import type { Sql } from '../database/database.ts'

export interface EmailLook {
  /** Whether a person of the account itself or of a sub-account has the email. */
  isOwn: boolean
  /** Whether only people of foreign accounts have it. */
  isTaken: boolean
}

/** Checks who has an email. The account itself and its sub-accounts are not foreign. */
export async function findTakenEmail(
  sql: Sql,
  { email, accountId }: { email: string; accountId: number }
): Promise<EmailLook> {
  const [row] = await sql<EmailLook[]>`
    select is_own, not is_own as is_taken
    from people
    cross join lateral (
      select exists (
        select
        from memberships
        join accounts on accounts.id = memberships.account_id
        where person_id = people.id
          and (accounts.id = ${accountId} or parent_id = ${accountId})
      ) as is_own
    ) as looked
    where lower(email) = lower(${email})
  `
  return row ?? { isOwn: false, isTaken: false }
}
