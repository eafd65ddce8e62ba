import type { Sql } from '../database/database.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Act } from '../http/act.ts'
import type { Caller } from '../http/caller.ts'
import { refuseWithout } from '../http/permission.ts'
import { deleteMembership, findRole, listOwners, updateRole } from '../people/memberships.store.ts'
import { PERMISSIONS_OF_ROLES, ROLES, type Role } from '../people/role.ts'
import { lockAccount } from './accounts.store.ts'
import { refuseGiving } from './key.ts'
import type { Member } from './member.ts'
import { findMember, updateHolder } from './members.store.ts'

export const LAST_OWNER = 'The person is the only owner of the account.'

/** Gives a person of the account another role, and returns what the audit trail keeps of it. Inside a transaction. */
export async function changeRole(
  sql: Sql,
  caller: Caller,
  { personId, role }: { personId: number; role: Role }
): Promise<{ member: Member; act: Act }> {
  const { accountId } = caller
  const member = await lockMember(sql, caller, personId)
  const act = actOn(member, role)
  if (member.role === role) return { member, act }
  await refuseGiving(sql, caller, ROLES[role])
  if (member.role === 'owner') await handOver(sql, { accountId, member })
  await updateRole(sql, { accountId, personId, role })
  return { member: (await findMember(sql, { accountId, personId })) as Member, act }
}

/** Takes a person off the account, and ends the sessions there. Inside a transaction. */
export async function removeMember(sql: Sql, caller: Caller, personId: number): Promise<Act> {
  const { accountId } = caller
  const member = await lockMember(sql, caller, personId)
  if (member.role === 'owner') await handOver(sql, { accountId, member })
  await deleteMembership(sql, { accountId, personId })
  return actOn(member, null)
}

function actOn({ id, role: before }: Member, role: Role | null): Act {
  return { object: { kind: 'person', id }, changes: { role: [before, role] } }
}

/**
 * Changes of one account's people take turns. The caller is looked at again: another owner may have removed them while
 * they waited.
 */
async function lockMember(sql: Sql, caller: Caller, personId: number): Promise<Member> {
  const { accountId } = caller
  await lockAccount(sql, accountId)
  if (caller.personId !== null && caller.personId !== personId) {
    const role = await findRole(sql, { accountId, personId: caller.personId })
    refuseWithout('people', { ...caller, permissions: role ? PERMISSIONS_OF_ROLES[role] : new Set() })
  }
  const member = await findMember(sql, { accountId, personId })
  if (!member) throw notFound('person')
  return member
}

/** An account always has an owner. If this one holds the account, the owner who joined first holds it from now on. */
async function handOver(sql: Sql, { accountId, member }: { accountId: number; member: Member }): Promise<void> {
  const [next] = (await listOwners(sql, accountId)).filter((id) => id !== member.id)
  if (next === undefined) {
    throw new Refusal(
      409,
      'state_conflict',
      'This is the only owner of the account: make somebody else an owner first.'
    )
  }
  if (member.isHolder) await updateHolder(sql, { accountId, personId: next })
}
