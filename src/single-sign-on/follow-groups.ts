import { findAccount, lockAccount } from '../accounts/accounts.store.ts'
import type { Sql } from '../database/database.ts'
import { deleteGroupMembership, findMembershipsOf, upsertGroupMembership } from '../people/group-memberships.store.ts'
import type { Role } from '../people/role.ts'

/** A membership that the groups have changed: null for none. */
export interface FollowedChange {
  accountId: number
  before: Role | null
  after: Role | null
}

/**
 * Makes the memberships of a person those that their groups give. Memberships that somebody gave by hand stay as they are.
 * The last owner of an account, and the person whose name it bears, stay too: an account without them is nobody's.
 */
export async function followGroups(
  sql: Sql,
  personId: number,
  roles: ReadonlyMap<number, Role>
): Promise<FollowedChange[]> {
  const given = (await findMembershipsOf(sql, personId)).filter(({ isFromGroups }) => isFromGroups)
  const accountIds = [...new Set([...roles.keys(), ...given.map(({ accountId }) => accountId)])].sort((a, b) => a - b)
  const changes: FollowedChange[] = []
  // In the order of their ids, and before the person, as a log-in does: two must not wait for each other.
  for (const accountId of accountIds) await lockAccount(sql, accountId)
  for (const accountId of accountIds) {
    const account = await findAccount(sql, accountId)
    const before = (await findMembershipsOf(sql, personId)).find((known) => known.accountId === accountId)
    const after = roles.get(accountId) ?? null
    // An account that is not there is a mistake in the settings, and no reason to keep the person out of the others.
    if (!account || (before && !before.isFromGroups) || (before?.role ?? null) === after) continue
    const isNeeded = before?.role === 'owner' && (before.isLastOwner || account.holderId === personId)
    if (isNeeded) continue
    if (after === null) await deleteGroupMembership(sql, { accountId, personId })
    else await upsertGroupMembership(sql, { accountId, personId, role: after })
    changes.push({ accountId, before: before?.role ?? null, after })
  }
  return changes
}
