import type { Sql } from '../database/database.ts'
import type { ConsentMode } from '../http/consent-mode.ts'
import { notifyAccountChanged } from '../people/notices.store.ts'
import type { Account, CreditsMode, Standing } from './account.ts'

export interface NewAccount {
  parentId: number | null
  isOperator: boolean
  holderId: number
  socialReason: string
  creditsMode: CreditsMode
  appId: string
}

export async function insertAccount(sql: Sql, account: NewAccount): Promise<{ id: number }> {
  const [row] = await sql<[{ id: number }]>`
    insert into accounts (id, parent_id, is_operator, holder_id, social_reason, credits_mode, app_id)
    values (
      nextval('account_ids'), ${account.parentId}, ${account.isOperator}, ${account.holderId},
      ${account.socialReason}, ${account.creditsMode}, ${account.appId}
    )
    returning id
  `
  return row
}

export async function findAccount(sql: Sql, accountId: number): Promise<Account | undefined> {
  const [row] = await sql<Account[]>`
    select ${accountColumns(sql)}
    from ${accountRows(sql)}
    where accounts.id = ${accountId}
  `
  return row
}

/** Changes of the account as a whole take turns by this lock, until the transaction ends. */
export async function lockAccount(sql: Sql, accountId: number): Promise<void> {
  await sql`
    select
    from accounts
    where id = ${accountId}
    for no key update
  `
}

export async function findSubAccount(
  sql: Sql,
  { parentId, id }: { parentId: number; id: number }
): Promise<Account | undefined> {
  const [row] = await sql<Account[]>`
    select ${accountColumns(sql)}
    from ${accountRows(sql)}
    where parent_id = ${parentId}
      and accounts.id = ${id}
  `
  return row
}

/** The parents of accounts, by the id of the account; null for an account of its own. For workers. */
export async function listParents(sql: Sql, accountIds: readonly number[]): Promise<Map<number, number | null>> {
  const rows = await sql<{ id: number; parentId: number | null }[]>`
    select id, parent_id
    from accounts
    where id = any(${[...new Set(accountIds)]}::bigint[])
  `
  return new Map(rows.map(({ id, parentId }) => [id, parentId]))
}

export async function hasOperator(sql: Sql): Promise<boolean> {
  return (await findOperatorId(sql)) !== undefined
}

export async function findOperatorId(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id
    from accounts
    where is_operator
  `
  return row?.id
}

/** An account that a person can log in to. */
export interface LoginAccount {
  id: number
  topLevelId: number
  standing: Standing
  standingReason: string
}

/** The accounts of a person: those that they hold first, then the oldest. A sub-account of a suspended one is suspended too. */
export async function listLoginAccounts(sql: Sql, personId: number): Promise<LoginAccount[]> {
  return sql<LoginAccount[]>`
    select accounts.id, coalesce(accounts.parent_id, accounts.id) as top_level_id,
      coalesce(nullif(accounts.standing, 'open'), parents.standing, 'open') as standing,
      case when accounts.standing = 'open' then coalesce(parents.standing_reason, '') else accounts.standing_reason end
        as standing_reason
    from memberships
    join accounts on accounts.id = memberships.account_id
    left join accounts as parents on parents.id = accounts.parent_id
    where person_id = ${personId}
    order by accounts.holder_id = ${personId} desc, accounts.id
  `
}

export async function updateLastLogin(sql: Sql, accountId: number): Promise<void> {
  await sql`
    update accounts
    set last_login_at = now()
    where id = ${accountId}
  `
}

export async function listSubAccounts(sql: Sql, parentId: number): Promise<Account[]> {
  return sql<Account[]>`
    select ${accountColumns(sql)}
    from ${accountRows(sql)}
    where parent_id = ${parentId}
    order by accounts.id desc
  `
}

export async function countSubAccounts(sql: Sql, parentId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from accounts
    where parent_id = ${parentId}
  `
  return row.count
}

export interface AccountChanges {
  socialReason?: string
  timeZone?: string
  country?: string
  inDoubt?: string
  hoursEnd?: string
  sundaysAndHolidays?: boolean
  typography?: boolean
  defaultSender?: string
  calendar?: 'national' | 'alsace-moselle'
  balanceAlertSms?: number
  balanceAlertRcs?: number
  consent?: ConsentMode
  marketingCap?: number
  marketingCapDays?: number
}

export async function updateAccount(sql: Sql, accountId: number, changes: AccountChanges): Promise<void> {
  if (Object.keys(changes).length === 0) return
  await sql`
    update accounts
    set ${sql(changes as Record<string, string | number | boolean>)}
    where id = ${accountId}
  `
  await notifyAccountChanged(sql, accountId)
}

export async function updateCreditsMode(
  sql: Sql,
  { parentId, id, creditsMode }: { parentId: number; id: number; creditsMode: CreditsMode }
): Promise<void> {
  await sql`
    update accounts
    set credits_mode = ${creditsMode}
    where parent_id = ${parentId}
      and id = ${id}
  `
  await sql`select pg_notify(${PAYERS_CHANGED}, '')`
}

/** Tells processes that an account spends the credits of another from now on. */
export const PAYERS_CHANGED = 'chappe_payers'

export async function updateSecondFactorRequirement(
  sql: Sql,
  { accountId, isRequired }: { accountId: number; isRequired: boolean }
): Promise<{ wasRequired: boolean }> {
  const [row] = await sql<[{ wasRequired: boolean }]>`
    with before as (
      select id, requires_second_factor as was_required
      from accounts
      where id = ${accountId}
      for no key update
    )
    update accounts
    set requires_second_factor = ${isRequired}
    from before
    where accounts.id = before.id
    returning was_required
  `
  await notifyAccountChanged(sql, accountId)
  return row
}

/** The note of whoever runs the account from above. */
export async function updateNote(sql: Sql, { accountId, note }: { accountId: number; note: string }): Promise<void> {
  await sql`
    update accounts
    set note = ${note}
    where id = ${accountId}
  `
}

/** Accounts with the people who hold them. */
function accountRows(sql: Sql) {
  return sql`accounts join people as holders on holders.id = accounts.holder_id`
}

function accountColumns(sql: Sql) {
  return sql`
    accounts.id, parent_id, is_operator, holder_id, holders.email, holders.first_name, holders.last_name,
    holders.phone_number, social_reason, credits_mode, time_zone, country, in_doubt, hours_end, sundays_and_holidays,
    typography, default_sender, calendar, balance_alert_sms, balance_alert_rcs, consent, (
      select parents.consent
      from accounts as parents
      where parents.id = accounts.parent_id
    ) as parent_consent, marketing_cap, marketing_cap_days, standing, standing_reason, accounts.created_at, accounts.last_login_at
  `
}
