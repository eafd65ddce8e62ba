import type { Sql } from '../database/database.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { lockPerson } from '../people/people.store.ts'
import type { Account } from './account.ts'
import { type FindManaged, refuseClosed } from './managed-account.ts'
import type { Member } from './member.ts'
import { findMember, isOnlyBelow } from './members.store.ts'
import { OPERATOR_ONLY } from './operator.ts'

/* The people of accounts that are managed from above. */

/** Refusals of acts on such a person. */
export const MANAGED_PERSON = {
  forbidden: 'The request has a key, or the person is also on an account that the caller does not manage.',
  state_conflict: 'The account is closed, or the Idempotency-Key is in use.',
  rate_limited: 'Ten wrong passwords or codes within a minute, or ten wrong codes of the app within an hour.'
}

export const MANAGED_PERSON_OF_OPERATOR = {
  ...MANAGED_PERSON,
  forbidden: `${OPERATOR_ONLY.forbidden} Or the request has a key.`
}

/** The person, locked: whoever puts them on another account waits. */
export async function findManagedPerson(
  sql: Sql,
  caller: Caller,
  { id, personId, find }: { id: number; personId: number; find: FindManaged }
): Promise<{ account: Account; person: Member }> {
  const account = await find(sql, caller, id)
  refuseClosed(account)
  await lockPerson(sql, personId)
  const person = await findMember(sql, { accountId: account.id, personId })
  if (!person) throw notFound('person')
  return { account, person }
}

/**
 * An act that could make the caller this person must stay within the accounts of the caller. A parent manages its
 * sub-accounts, not itself: people of its own account are left to the operator too.
 */
export async function refuseElsewhere(sql: Sql, { isOperator, accountId }: Caller, person: Member): Promise<void> {
  if (isOperator || (await isOnlyBelow(sql, { personId: person.id, parentId: accountId }))) return
  throw new Refusal(
    403,
    'forbidden',
    'This person is also on an account that is not one of your sub-accounts: only the operator can do this.'
  )
}
