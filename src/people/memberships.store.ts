import type { Sql } from '../database/database.ts'
import { notifyPersonChanged } from './notices.store.ts'
import { deleteResetsOf } from './password-resets.store.ts'
import { lockPerson } from './people.store.ts'
import type { Role } from './role.ts'

export interface Membership {
  accountId: number
  personId: number
  role: Role
}

/**
 * Puts a person on an account. Links to choose a password end: a link may have been shown to somebody who manages the other
 * accounts of the person, and not this one.
 */
export async function insertMembership(sql: Sql, { accountId, personId, role }: Membership): Promise<void> {
  await lockPerson(sql, personId)
  await deleteResetsOf(sql, personId)
  await sql`
    insert into memberships (account_id, person_id, role)
    values (${accountId}, ${personId}, ${role})
  `
  await notifyPersonChanged(sql, personId)
}

/** Undefined for somebody who is not on the account. */
export async function findRole(
  sql: Sql,
  { accountId, personId }: Pick<Membership, 'accountId' | 'personId'>
): Promise<Role | undefined> {
  const [row] = await sql<{ role: Role }[]>`
    select role
    from memberships
    where account_id = ${accountId}
      and person_id = ${personId}
  `
  return row?.role
}

/** The owners of an account, those who joined first before the others. */
export async function listOwners(sql: Sql, accountId: number): Promise<number[]> {
  const rows = await sql<{ personId: number }[]>`
    select person_id
    from memberships
    where account_id = ${accountId}
      and role = 'owner'
    order by created_at, person_id
  `
  return rows.map(({ personId }) => personId)
}

/** From the commit on, every process grants what the new role may do. */
export async function updateRole(sql: Sql, { accountId, personId, role }: Membership): Promise<void> {
  await sql`
    update memberships
    set role = ${role}
    where account_id = ${accountId}
      and person_id = ${personId}
  `
  await notifyPersonChanged(sql, personId)
}

/** Ends a membership, with the sessions that it gave: those on the account, and those that look at others from it. */
export async function deleteMembership(
  sql: Sql,
  { accountId, personId }: Pick<Membership, 'accountId' | 'personId'>
): Promise<void> {
  await sql`
    delete from memberships
    where account_id = ${accountId}
      and person_id = ${personId}
  `
  await endSessionsOf(sql, { accountId, personId })
}

/** Ends the sessions that a membership gave. */
export async function endSessionsOf(
  sql: Sql,
  { accountId, personId }: Pick<Membership, 'accountId' | 'personId'>
): Promise<void> {
  await sql`
    delete from sessions
    where person_id = ${personId}
      and coalesce(viewed_from, account_id) = ${accountId}
  `
  await notifyPersonChanged(sql, personId)
}

/** The accounts that a person is on. */
export async function listAccountsOf(sql: Sql, personId: number): Promise<number[]> {
  const rows = await sql<{ accountId: number }[]>`
    select account_id
    from memberships
    where person_id = ${personId}
    order by account_id
  `
  return rows.map(({ accountId }) => accountId)
}

/** Up to which notice of an account a person has read, and since when they are on it. */
export async function findReadMark(
  sql: Sql,
  { accountId, personId }: Pick<Membership, 'accountId' | 'personId'>
): Promise<{ readTo: number; joinedAt: Date } | undefined> {
  const [row] = await sql<{ readTo: number; joinedAt: Date }[]>`
    select notices_read_to as read_to, created_at as joined_at
    from memberships
    where account_id = ${accountId}
      and person_id = ${personId}
  `
  return row
}

/** Of two browsers, the one that has read further counts. */
export async function updateNoticesRead(
  sql: Sql,
  { accountId, personId, readTo }: Pick<Membership, 'accountId' | 'personId'> & { readTo: number }
): Promise<void> {
  await sql`
    update memberships
    set notices_read_to = ${readTo}
    where account_id = ${accountId}
      and person_id = ${personId}
      and notices_read_to < ${readTo}
  `
}
