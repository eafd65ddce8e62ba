import type { Role } from '../people/role.ts'

/** A group of the provider, and the membership that it gives. */
export interface GroupRole {
  group: string
  accountId: number
  role: Role
}

/** From the strongest to the weakest. */
const STRENGTH: readonly Role[] = ['owner', 'manager', 'sender', 'reader']

/** The role on each account that these groups give. Of several for one account, the strongest counts. */
export function rolesOf(groups: readonly string[], mapping: readonly GroupRole[]): Map<number, Role> {
  const roles = new Map<number, Role>()
  for (const { group, accountId, role } of mapping) {
    if (!groups.includes(group)) continue
    const known = roles.get(accountId)
    if (known === undefined || STRENGTH.indexOf(role) < STRENGTH.indexOf(known)) roles.set(accountId, role)
  }
  return roles
}

/** The groups in a claim: a list, or one name. Anything else is none. */
export function groupsIn(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim]
  if (!Array.isArray(claim)) return []
  return claim.filter((group): group is string => typeof group === 'string').slice(0, GROUPS_MAX)
}

/** Large directories put hundreds of groups into a token; more than these are a mistake. */
const GROUPS_MAX = 1_000
