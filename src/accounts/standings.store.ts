import type { Sql } from '../database/database.ts'
import { notifyAccountChanged, notifyStandingChanged } from '../people/notices.store.ts'
import { deleteSessionsOf } from '../people/sessions.store.ts'
import type { Standing } from './account.ts'
import { deleteApiKeysOf } from './api-keys.store.ts'

/** Who is responsible for an account, and how it stands. */
export interface AccountStanding {
  id: number
  parentId: number | null
  isOperator: boolean
  standing: Standing
  standingReason: string
  standingSince: Date | null
  /** The account that set the standing. */
  standingBy: number | null
}

/** Locks the account: changes of its standing take turns. */
export async function lockStanding(sql: Sql, accountId: number): Promise<AccountStanding | undefined> {
  const [row] = await sql<AccountStanding[]>`
    select id, parent_id, is_operator, standing, standing_reason, standing_since, standing_by
    from accounts
    where id = ${accountId}
    for no key update
  `
  return row
}

export interface StandingChange {
  accountId: number
  standing: Exclude<Standing, 'closed'>
  reason: string
  by: number
}

export async function updateStanding(
  sql: Sql,
  { accountId, standing, reason, by }: StandingChange
): Promise<{ standingSince: Date }> {
  const [row] = await sql<[{ standingSince: Date }]>`
    update accounts
    set standing = ${standing}, standing_reason = ${reason}, standing_since = now(), standing_by = ${by}
    where id = ${accountId}
    returning standing_since
  `
  await notifyAccountChanged(sql, accountId)
  await notifyStandingChanged(sql, accountId)
  return row
}

/** Closes an account and its sub-accounts: their sessions and keys end with the commit. The rest of the closing follows. */
export async function updateToClosed(
  sql: Sql,
  { accountId, reason, by }: Omit<StandingChange, 'standing'>
): Promise<{ standingSince: Date }> {
  const closed = await sql<{ id: number; standingSince: Date }[]>`
    update accounts
    set standing = 'closed', standing_reason = ${reason}, standing_since = now(), standing_by = ${by}, is_closing = true
    where (id = ${accountId} or parent_id = ${accountId})
      and standing <> 'closed'
    returning id, standing_since
  `
  const ids = closed.map(({ id }) => id)
  await deleteSessionsOf(sql, ids)
  await deleteApiKeysOf(sql, ids)
  await notifyAccountChanged(sql, accountId)
  await notifyStandingChanged(sql, accountId)
  return closed[0] as { standingSince: Date }
}

/** Marks the account as closed for good: no step of the closing is left. */
export async function updateToFullyClosed(sql: Sql, accountId: number): Promise<void> {
  await sql`
    update accounts
    set is_closing = false
    where id = ${accountId}
      and standing = 'closed'
  `
}
