import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { Account, CreditsMode } from './account.ts'

/** Other processes hold accounts in memory for a few seconds; this notice makes them look again. */
export const ACCOUNTS_CHANGED = 'accounts_changed'

export interface NewAccount {
  parentId: number | null
  isOperator: boolean
  email: string
  passwordHash: string
  firstName: string
  lastName: string
  phoneNumber: string
  socialReason: string
  creditsMode: CreditsMode
  appId: string
  apiKeyHash: Buffer
}

export async function insertAccount(sql: Sql, account: NewAccount): Promise<Account> {
  const [row] = await sql<[Account]>`
    insert into accounts (
      id, parent_id, is_operator, email, password_hash, first_name, last_name, phone_number, social_reason,
      credits_mode, app_id, api_key_hash
    )
    values (
      nextval('account_ids'), ${account.parentId}, ${account.isOperator}, ${account.email}, ${account.passwordHash},
      ${account.firstName}, ${account.lastName}, ${account.phoneNumber}, ${account.socialReason},
      ${account.creditsMode}, ${account.appId}, ${account.apiKeyHash}
    )
    returning ${accountColumns(sql)}
  `
  return row
}

export async function findAccount(sql: Sql, accountId: number): Promise<Account | undefined> {
  const [row] = await sql<Account[]>`
    select ${accountColumns(sql)}
    from accounts
    where id = ${accountId}
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
    from accounts
    where parent_id = ${parentId}
      and id = ${id}
  `
  return row
}

export async function hasOperator(sql: Sql): Promise<boolean> {
  const [row] = await sql`
    select
    from accounts
    where is_operator
  `
  return row !== undefined
}

export interface LoginAccount {
  id: number
  passwordHash: string
  tokenVersion: number
}

export async function findLoginAccount(sql: Sql, email: string): Promise<LoginAccount | undefined> {
  const [row] = await sql<LoginAccount[]>`
    select id, password_hash, token_version
    from accounts
    where lower(email) = lower(${email})
  `
  return row
}

export async function updateLastLogin(sql: Sql, accountId: number): Promise<void> {
  await sql`
    update accounts
    set last_login_at = now()
    where id = ${accountId}
  `
}

/** The row that the credentials of a request are checked against. */
export interface CallerRow {
  id: number
  parentId: number | null
  isOperator: boolean
  country: string
  timeZone: string
  defaultSender: string | null
  typography: boolean
  hoursEnd: string
  sundaysAndHolidays: boolean
  calendar: 'national' | 'alsace-moselle'
  appId: string
  tokenVersion: number
}

export async function findCallerByKey(sql: Sql, apiKeyHash: Buffer): Promise<CallerRow | undefined> {
  const [row] = await sql<CallerRow[]>`
    select ${callerColumns(sql)}
    from accounts
    where api_key_hash = ${apiKeyHash}
  `
  return row
}

/** Undefined if the token was ended before its time. */
export async function findCallerByToken(
  sql: Sql,
  { accountId, tokenId }: { accountId: number; tokenId: string }
): Promise<CallerRow | undefined> {
  const [row] = await sql<CallerRow[]>`
    select ${callerColumns(sql)}
    from accounts
    where id = ${accountId}
      and not exists (
        select
        from ended_tokens
        where ended_tokens.account_id = ${accountId}
          and ended_tokens.id = ${tokenId}
      )
  `
  return row
}

function callerColumns(sql: Sql) {
  return sql`
    id, parent_id, is_operator, country, time_zone, default_sender, typography, hours_end,
    sundays_and_holidays, calendar, app_id, token_version
  `
}

export async function listSubAccounts(sql: Sql, parentId: number): Promise<Account[]> {
  return sql<Account[]>`
    select ${accountColumns(sql)}
    from accounts
    where parent_id = ${parentId}
    order by id desc
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

/** Newest first. A page nearer to the end is read from the end and reversed. */
export async function listSubAccountsOfPage(sql: Sql, parentId: number, window: PageWindow): Promise<Account[]> {
  const rows = await sql<Account[]>`
    select ${accountColumns(sql)}
    from accounts
    where parent_id = ${parentId}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

/** All accounts of the installation: for the operator only. */
export async function countAllAccounts(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from accounts
  `
  return row.count
}

/** All accounts of the installation, newest first: for the operator only. */
export async function listAllAccountsOfPage(sql: Sql, window: PageWindow): Promise<Account[]> {
  const rows = await sql<Account[]>`
    select ${accountColumns(sql)}
    from accounts
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

/** Replaces the hash of the key; the old key ends with the commit. */
export async function updateApiKey(
  sql: Sql,
  { accountId, apiKeyHash }: { accountId: number; apiKeyHash: Buffer }
): Promise<{ appId: string }> {
  const [row] = await sql<[{ appId: string }]>`
    update accounts
    set api_key_hash = ${apiKeyHash}
    where id = ${accountId}
    returning app_id
  `
  await notifyAccountChanged(sql, accountId)
  return row
}

export interface AccountChanges {
  email?: string
  firstName?: string
  lastName?: string
  phoneNumber?: string
  socialReason?: string
  timeZone?: string
  country?: string
  inDoubt?: string
  hoursEnd?: string
  sundaysAndHolidays?: boolean
  typography?: boolean
  defaultSender?: string
  calendar?: 'national' | 'alsace-moselle'
}

export async function updateAccount(sql: Sql, accountId: number, changes: AccountChanges): Promise<void> {
  if (Object.keys(changes).length === 0) return
  await sql`
    update accounts
    set ${sql(changes as Record<string, string | boolean>)}
    where id = ${accountId}
  `
  await notifyAccountChanged(sql, accountId)
}

/** A new password ends every token that the old one gave. */
export async function updatePassword(
  sql: Sql,
  { accountId, passwordHash }: { accountId: number; passwordHash: string }
): Promise<void> {
  await sql`
    update accounts
    set password_hash = ${passwordHash}, token_version = token_version + 1
    where id = ${accountId}
  `
  await notifyAccountChanged(sql, accountId)
}

/** From the commit on, every process refuses the token. */
export async function insertEndedToken(
  sql: Sql,
  { accountId, id, expiresAt }: { accountId: number; id: string; expiresAt: Date }
): Promise<void> {
  await sql`
    insert into ended_tokens (account_id, id, expires_at)
    values (${accountId}, ${id}, ${expiresAt})
    on conflict do nothing
  `
  await notifyAccountChanged(sql, accountId)
}

/** Removes ended tokens whose time is over by now. */
export async function deleteExpiredTokens(sql: Sql): Promise<void> {
  await sql`
    delete from ended_tokens
    where expires_at < now() - interval '1 minute'
  `
}

export async function updateCreditsMode(
  sql: Sql,
  { parentId, id, creditsMode }: { parentId: number; id: number; creditsMode: CreditsMode }
): Promise<Account | undefined> {
  const [row] = await sql<Account[]>`
    update accounts
    set credits_mode = ${creditsMode}
    where parent_id = ${parentId}
      and id = ${id}
    returning ${accountColumns(sql)}
  `
  return row
}

/** Every process gets the notice when, and only when, the transaction commits. */
async function notifyAccountChanged(sql: Sql, accountId: number): Promise<void> {
  await sql`select pg_notify(${ACCOUNTS_CHANGED}, ${String(accountId)})`
}

function accountColumns(sql: Sql) {
  return sql`
    id, parent_id, is_operator, email, first_name, last_name, phone_number, social_reason, credits_mode,
    time_zone, country, in_doubt, hours_end, sundays_and_holidays, typography, default_sender, calendar, created_at, last_login_at
  `
}
