import type { Sql } from '../database/database.ts'
import type { MailLanguage } from '../mail/mail.ts'

export interface Owner {
  accountId: number
  /** The name of the account, or the email of its holder. */
  company: string
  email: string
  language: MailLanguage
}

/** The people who are told of the limits of their account. */
export async function listOwners(sql: Sql, accountIds: readonly number[]): Promise<Owner[]> {
  return sql<Owner[]>`
    select memberships.account_id, coalesce(nullif(social_reason, ''), holders.email) as company, people.email,
      coalesce(people.language, 'en') as language
    from memberships
    join people on people.id = memberships.person_id
    join accounts on accounts.id = memberships.account_id
    join people as holders on holders.id = accounts.holder_id
    where memberships.account_id = any(${accountIds as number[]}::bigint[])
      and role = 'owner'
    order by memberships.account_id, people.id
  `
}
