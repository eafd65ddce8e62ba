import type { Sql } from '../database/database.ts'
import { notifyAccountChanged } from '../people/notices.store.ts'
import type { Role } from '../people/role.ts'
import type { Standing } from './account.ts'
import type { Member } from './member.ts'

/** The people of an account, those who joined first before the others. */
export async function listMembers(sql: Sql, accountId: number): Promise<Member[]> {
  return sql<Member[]>`
    select ${memberColumns(sql)}
    from ${memberRows(sql)}
    where memberships.account_id = ${accountId}
    order by memberships.created_at, people.id
  `
}

export async function findMember(
  sql: Sql,
  { accountId, personId }: { accountId: number; personId: number }
): Promise<Member | undefined> {
  const [row] = await sql<Member[]>`
    select ${memberColumns(sql)}
    from ${memberRows(sql)}
    where memberships.account_id = ${accountId}
      and people.id = ${personId}
  `
  return row
}

export async function hasMemberWithEmail(
  sql: Sql,
  { accountId, email }: { accountId: number; email: string }
): Promise<boolean> {
  const [row] = await sql`
    select
    from ${memberRows(sql)}
    where memberships.account_id = ${accountId}
      and lower(email) = lower(${email})
  `
  return row !== undefined
}

export async function updateHolder(
  sql: Sql,
  { accountId, personId }: { accountId: number; personId: number }
): Promise<void> {
  await sql`
    update accounts
    set holder_id = ${personId}
    where id = ${accountId}
  `
  await notifyAccountChanged(sql, accountId)
}

/** Whether every account of a person is a sub-account of this one. */
export async function isOnlyBelow(
  sql: Sql,
  { personId, parentId }: { personId: number; parentId: number }
): Promise<boolean> {
  const [row] = await sql`
    select
    from memberships
    join accounts on accounts.id = memberships.account_id
    where person_id = ${personId}
      and parent_id is distinct from ${parentId}
    limit 1
  `
  return row === undefined
}

/** An account of a person, as that person chooses one. */
export interface OwnAccount {
  id: number
  topLevelId: number
  socialReason: string
  /** Of the person who holds it. */
  email: string
  role: Role
  standing: Standing
}

/** The accounts that a person is on: those that they hold first, then the oldest. */
export async function listOwnAccounts(sql: Sql, personId: number): Promise<OwnAccount[]> {
  return sql<OwnAccount[]>`
    select accounts.id, coalesce(accounts.parent_id, accounts.id) as top_level_id, accounts.social_reason, holders.email,
      role, coalesce(nullif(accounts.standing, 'open'), parents.standing, 'open') as standing
    from memberships
    join accounts on accounts.id = memberships.account_id
    join people as holders on holders.id = accounts.holder_id
    left join accounts as parents on parents.id = accounts.parent_id
    where memberships.person_id = ${personId}
    order by accounts.holder_id = ${personId} desc, accounts.id
  `
}

/** A session that is not over, as its person sees it. */
export interface OwnSession {
  id: string
  accountId: number
  socialReason: string
  isViewing: boolean
  address: string
  agent: string
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
}

/** The sessions of a person on all accounts, the newest first. */
export async function listSessions(
  sql: Sql,
  { personId, limit }: { personId: number; limit: number }
): Promise<OwnSession[]> {
  return sql<OwnSession[]>`
    select sessions.id, account_id, social_reason, viewed_from is not null as is_viewing, address, agent,
      sessions.created_at, last_seen_at, expires_at
    from sessions
    join accounts on accounts.id = sessions.account_id
    where person_id = ${personId}
      and expires_at > now()
    order by sessions.created_at desc, sessions.id
    limit ${limit}
  `
}

function memberRows(sql: Sql) {
  return sql`
    memberships
    join people on people.id = memberships.person_id
    join accounts on accounts.id = memberships.account_id
  `
}

function memberColumns(sql: Sql) {
  return sql`
    people.id, email, people.first_name, people.last_name, role, holder_id = people.id as is_holder,
    memberships.created_at as joined_at, memberships.last_seen_at,
    (
      exists (select from totp_secrets where person_id = people.id and confirmed_at is not null)
      or exists (select from passkeys where person_id = people.id)
    ) as has_second_factor
  `
}
