import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { findRole } from '../people/memberships.store.ts'
import { findPerson } from '../people/people.store.ts'
import type { Me } from './account.ts'
import { findAccount } from './accounts.store.ts'

/** The account that asks, with the name and email of the person who does; with a key, those of its holder. */
export async function findMe(sql: Sql, { accountId, personId, permissions, isViewing }: Caller): Promise<Me> {
  const account = await findAccount(sql, accountId)
  if (!account) throw notFound('account')
  if (personId === null) return { account, personId, role: null, permissions, language: null, isViewing }
  const person = await findPerson(sql, personId)
  if (!person) throw notFound('person')
  const { email, firstName, lastName, phoneNumber, lastLoginAt, language } = person
  const shown =
    personId === account.holderId ? account : { ...account, email, firstName, lastName, phoneNumber, lastLoginAt }
  const role = isViewing ? 'reader' : ((await findRole(sql, { accountId, personId })) ?? null)
  return { account: shown, personId, role, permissions, language, isViewing }
}
