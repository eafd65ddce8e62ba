import type { Account } from '../accounts/account.ts'
import { findAccount, lockAccount } from '../accounts/accounts.store.ts'
import { hasMemberWithEmail } from '../accounts/members.store.ts'
import { refusalOf } from '../accounts/standing.ts'
import type { Sql } from '../database/database.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Act } from '../http/act.ts'
import { findRole, insertMembership } from '../people/memberships.store.ts'
import { type Invitation, refuseUnlessOpen } from './invitation.ts'
import { findInvitation, updateToAccepted } from './invitations.store.ts'

/**
 * Uses an invitation, inside a transaction. `person` is called once it is certain that the invitation is open; of two
 * who use it at once, one waits for the other and is then refused.
 */
export async function join(
  sql: Sql,
  { tokenHash, person }: { tokenHash: Buffer; person(invitation: Invitation): Promise<{ id: number }> }
): Promise<{ account: Account; invitation: Invitation; act: Act }> {
  const { accountId } = refuseUnlessOpen(await findInvitation(sql, tokenHash))
  await lockAccount(sql, accountId)
  const invitation = refuseUnlessOpen(await findInvitation(sql, tokenHash))
  const account = (await findAccount(sql, accountId)) as Account
  await refuseUnlessStanding(sql, account)
  if (await hasMemberWithEmail(sql, { accountId, email: invitation.email })) throw onAccountAlready()

  const { id: personId } = await person(invitation)
  if (await findRole(sql, { accountId, personId })) throw onAccountAlready()
  // It may have been withdrawn a moment ago, which needs no lock.
  if (!(await updateToAccepted(sql, invitation))) throw notFound('invitation')
  await insertMembership(sql, { accountId, personId, role: invitation.role })
  const act: Act = {
    accountId,
    personId,
    object: { kind: 'person', id: personId },
    changes: { role: [null, invitation.role], invitation: [null, invitation.id] }
  }
  return { account, invitation, act }
}

/** A sub-account of a suspended account is suspended too. */
async function refuseUnlessStanding(sql: Sql, account: Account): Promise<void> {
  const parent = account.parentId === null ? undefined : await findAccount(sql, account.parentId)
  const refusal = refusalOf(account) ?? (parent && refusalOf(parent))
  if (refusal) throw refusal
}

function onAccountAlready(): Refusal {
  return new Refusal(409, 'state_conflict', 'You are on this account already.')
}
