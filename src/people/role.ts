import Type, { type Static } from 'typebox'
import { PERMISSIONS, type Permission } from '../http/permission.ts'

/** What the people of an account may do, by role. */
export const ROLES = {
  owner: Object.keys(PERMISSIONS) as Permission[],
  manager: ['read', 'send', 'send_confirmed', 'contacts', 'webhooks', 'account', 'binary'],
  sender: ['read', 'send', 'send_confirmed', 'contacts'],
  reader: ['read']
} as const satisfies Record<string, readonly Permission[]>

export const RoleSchema = Type.Enum(['owner', 'manager', 'sender', 'reader'], {
  description:
    '`owner` may do everything, `manager` everything but people, keys and closing the account, `sender` writes, sends and reads results, `reader` reads.'
})

export type Role = Static<typeof RoleSchema>

/** One set per role, which all callers of the role share. */
export const PERMISSIONS_OF_ROLES: Record<Role, ReadonlySet<Permission>> = {
  owner: new Set(ROLES.owner),
  manager: new Set(ROLES.manager),
  sender: new Set(ROLES.sender),
  reader: new Set(ROLES.reader)
}

export const rolesWith = (permission: Permission): Role[] =>
  (Object.keys(ROLES) as Role[]).filter((role) => PERMISSIONS_OF_ROLES[role].has(permission))
