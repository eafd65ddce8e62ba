import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { findPerson } from '../people/people.store.ts'
import type { Account } from './account.ts'
import { findAccount } from './accounts.store.ts'

/** The account that asks, with the name and email of the person who does; with a key, those of its holder. */
export async function findMe(sql: Sql, { accountId, personId }: Caller): Promise<Account> {
  const account = await findAccount(sql, accountId)
  if (!account) throw notFound('account')
  if (personId === null || personId === account.holderId) return account
  const person = await findPerson(sql, personId)
  if (!person) throw notFound('person')
  const { email, firstName, lastName, phoneNumber, lastLoginAt } = person
  return { ...account, email, firstName, lastName, phoneNumber, lastLoginAt }
}
