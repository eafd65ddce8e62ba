import type { Sql } from '../database/database.ts'
import { endSessionsOf, type Membership } from './memberships.store.ts'
import { notifyPersonChanged } from './notices.store.ts'
import { deleteResetsOf } from './password-resets.store.ts'
import { lockPerson } from './people.store.ts'
import type { Role } from './role.ts'

/* Memberships that groups of an OpenID provider give and take. */

export interface KnownMembership {
  accountId: number
  role: Role
  isFromGroups: boolean
  isLastOwner: boolean
}

export async function findMembershipsOf(sql: Sql, personId: number): Promise<KnownMembership[]> {
  return sql<KnownMembership[]>`
    select account_id, role, is_from_groups,
      role = 'owner' and not exists (
        select
        from memberships as others
        where others.account_id = own.account_id
          and others.person_id <> own.person_id
          and others.role = 'owner'
      ) as is_last_owner
    from memberships as own
    where person_id = ${personId}
    order by account_id
  `
}

/** A membership that somebody gave by hand stays as it is. Links to choose a password end, as with every new account. */
export async function upsertGroupMembership(sql: Sql, { accountId, personId, role }: Membership): Promise<void> {
  await lockPerson(sql, personId)
  await deleteResetsOf(sql, personId)
  await sql`
    insert into memberships as known (account_id, person_id, role, is_from_groups)
    values (${accountId}, ${personId}, ${role}, true)
    on conflict (account_id, person_id) do update
    set role = excluded.role
    where known.is_from_groups
  `
  await notifyPersonChanged(sql, personId)
}

/** Ends a membership with its sessions: those on the account, and those that look at others from it. */
export async function deleteGroupMembership(
  sql: Sql,
  { accountId, personId }: Pick<Membership, 'accountId' | 'personId'>
): Promise<void> {
  await sql`
    delete from memberships
    where account_id = ${accountId}
      and person_id = ${personId}
      and is_from_groups
  `
  await endSessionsOf(sql, { accountId, personId })
}
