import type { Sql } from '../database/database.ts'
import type { Role } from '../people/role.ts'
import type { Invitation } from './invitation.ts'

export interface NewInvitation {
  accountId: number
  email: string
  role: Role
  /** Without it, the token comes with the mail. */
  tokenHash?: Buffer
  invitedBy: number | null
  expiresAt: Date
}

export async function insertInvitation(sql: Sql, invitation: NewInvitation): Promise<Invitation> {
  const [row] = await sql<[Invitation]>`
    with invitations as (
      insert into invitations (id, account_id, email, role, token_hashes, invited_by, expires_at)
      values (
        nextval('invitation_ids'), ${invitation.accountId}, ${invitation.email}, ${invitation.role},
        ${invitation.tokenHash ? sql`array[${invitation.tokenHash}::bytea]` : sql`'{}'`}, ${invitation.invitedBy}, ${invitation.expiresAt}
      )
      returning *
    )
    ${selectInvitation(sql)}
  `
  return row
}

/** The invitations of an account that can still be accepted, the newest first. */
export async function listOpenInvitations(sql: Sql, accountId: number): Promise<Invitation[]> {
  return sql<Invitation[]>`
    ${selectInvitation(sql)}
    where account_id = ${accountId}
      and ${isOpen(sql)}
    order by invitations.id desc
  `
}

export async function findInvitation(sql: Sql, tokenHash: Buffer): Promise<Invitation | undefined> {
  const [row] = await sql<Invitation[]>`
    ${selectInvitation(sql)}
    where token_hashes @> array[${tokenHash}::bytea]
  `
  return row
}

/** Adds the token of another copy of the mail; false if the invitation is not open any more. */
export async function addInvitationToken(
  sql: Sql,
  { id, tokenHash, copiesMax }: { id: number; tokenHash: Buffer; copiesMax: number }
): Promise<boolean> {
  const { count } = await sql`
    update invitations
    set token_hashes = (token_hashes || ${tokenHash}::bytea)[greatest(1, cardinality(token_hashes) + 2 - ${copiesMax}::int):]
    where id = ${id}
      and ${isOpen(sql)}
  `
  return count > 0
}

/** How many invitations of an account are open, how many were made within a day, and whether this email has an open one. */
export async function countInvitations(
  sql: Sql,
  { accountId, email }: { accountId: number; email: string }
): Promise<{ open: number; ofDay: number; isInvited: boolean }> {
  const [row] = await sql<[{ open: number; ofDay: number; isInvited: boolean }]>`
    select count(*) filter (where ${isOpen(sql)}) as open,
      count(*) filter (where created_at > now() - interval '1 day') as of_day,
      coalesce(bool_or(${isOpen(sql)} and lower(email) = lower(${email})), false) as is_invited
    from invitations
    where account_id = ${accountId}
  `
  return row
}

/** How many invitations a top-level account and its sub-accounts made within a day: in all, and for one email. */
export async function countOfFamily(
  sql: Sql,
  { topLevelId, email }: { topLevelId: number; email: string }
): Promise<{ ofDay: number; toEmail: number }> {
  const [row] = await sql<[{ ofDay: number; toEmail: number }]>`
    select count(*) as of_day, count(*) filter (where lower(email) = lower(${email})) as to_email
    from accounts
    join invitations on account_id = accounts.id
    where (accounts.id = ${topLevelId} or parent_id = ${topLevelId})
      and invitations.created_at > now() - interval '1 day'
  `
  return row
}

/** Withdraws an open invitation; false if the account has no such one. */
export async function withdrawInvitation(
  sql: Sql,
  { accountId, id }: { accountId: number; id: number }
): Promise<boolean> {
  const { count } = await sql`
    update invitations
    set withdrawn_at = now()
    where account_id = ${accountId}
      and id = ${id}
      and ${isOpen(sql)}
  `
  return count > 0
}

/** False if somebody was faster. */
export async function updateToAccepted(
  sql: Sql,
  { accountId, id }: Pick<Invitation, 'accountId' | 'id'>
): Promise<boolean> {
  const { count } = await sql`
    update invitations
    set accepted_at = now()
    where account_id = ${accountId}
      and id = ${id}
      and ${isOpen(sql)}
  `
  return count > 0
}

/** Kept for a while, so that a late link is told from a wrong one. */
export async function deleteOldInvitations(sql: Sql): Promise<void> {
  await sql`
    delete from invitations
    where expires_at < now() - interval '30 days'
  `
}

function isOpen(sql: Sql) {
  return sql`(accepted_at is null and withdrawn_at is null and expires_at > now())`
}

function selectInvitation(sql: Sql) {
  return sql`
    select invitations.id, account_id, invitations.email, role, invitations.created_at, expires_at, accepted_at,
      withdrawn_at, expires_at <= now() as is_late,
      coalesce(nullif(trim(inviters.first_name || ' ' || inviters.last_name), ''), inviters.email, '') as inviter
    from invitations
    left join people as inviters on inviters.id = invited_by
  `
}
