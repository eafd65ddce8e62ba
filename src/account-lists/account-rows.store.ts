import type { Standing } from '../accounts/account.ts'
import type { Sql } from '../database/database.ts'

/* The rows of the lists of accounts, with figures of other folders. A page is one statement, however many accounts there are. */

export interface AccountRow {
  id: number
  parentId: number | null
  email: string
  firstName: string
  lastName: string
  phoneNumber: string
  socialReason: string
  creditsMode: 'self' | 'parent'
  createdAt: Date
  lastLoginAt: Date | null
  /** Its own standing, or that of its parent if that one is not open. */
  standing: Standing
  standingReason: string
  standingSince: Date | null
  note: string
  smsCredits: number
  rcsCredits: number
  sent30Days: number
  lastActivityAt: Date | null
}

export const SORTS = ['created', 'name', 'email', 'sms_credits', 'rcs_credits', 'sent', 'activity'] as const

export interface AccountFilter {
  /** Only sub-accounts of this account; all accounts of the installation without it. */
  parentId?: number
  /** Only this account. */
  id?: number
  /** Only these accounts. */
  ids?: readonly number[]
  search?: string | undefined
  standing?: Standing | undefined
}

export interface AccountOrder {
  sort: (typeof SORTS)[number]
  direction: 'asc' | 'desc'
  offset: number
  limit: number
}

export async function countAccountRows(sql: Sql, filter: AccountFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    ${fromAccounts(sql)}
    where ${isWanted(sql, filter)}
  `
  return row.count
}

export async function listAccountRows(
  sql: Sql,
  filter: AccountFilter,
  { sort, direction, offset, limit }: AccountOrder
): Promise<AccountRow[]> {
  const order = direction === 'asc' ? sql`asc nulls first` : sql`desc nulls last`
  return sql<AccountRow[]>`
    with page as (
      select accounts.id, row_number() over (order by ${sortKey(sql, sort)} ${order}, accounts.id desc) as place
      ${fromAccounts(sql)}
      ${sort === 'sent' ? joinVolumes(sql) : sql``}
      where ${isWanted(sql, filter)}
      order by place
      offset ${offset}
      limit ${limit}
    )
    select accounts.id, accounts.parent_id, holders.email, holders.first_name, holders.last_name, holders.phone_number,
      accounts.social_reason, accounts.credits_mode, accounts.created_at, accounts.last_login_at,
      ${standing(sql)} as standing,
      case when accounts.standing = 'open' then coalesce(parents.standing_reason, '') else accounts.standing_reason end
        as standing_reason,
      case when accounts.standing = 'open' and coalesce(parents.standing, 'open') <> 'open' then parents.standing_since
        else accounts.standing_since end as standing_since,
      accounts.note,
      coalesce(${creditsOf(sql, 1)}, 0) as sms_credits,
      coalesce(${creditsOf(sql, 2)}, 0) as rcs_credits,
      ${sentOf(sql)} as sent30_days,
      ${activityOf(sql)} as last_activity_at
    from page
    join accounts on accounts.id = page.id
    join people as holders on holders.id = accounts.holder_id
    left join accounts as parents on parents.id = accounts.parent_id
    order by place
  `
}

function fromAccounts(sql: Sql) {
  return sql`
    from accounts
    join people as holders on holders.id = accounts.holder_id
    left join accounts as parents on parents.id = accounts.parent_id
  `
}

function isWanted(sql: Sql, { parentId, id, ids, search, standing: wanted }: AccountFilter) {
  const pattern = search === undefined ? '' : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql`
    true
    ${parentId === undefined ? sql`` : sql`and accounts.parent_id = ${parentId}`}
    ${id === undefined ? sql`` : sql`and accounts.id = ${id}`}
    ${ids === undefined ? sql`` : sql`and accounts.id = any(${ids as number[]}::bigint[])`}
    ${wanted === undefined ? sql`` : sql`and ${standing(sql)} = ${wanted}`}
    ${
      pattern === ''
        ? sql``
        : sql`and (
            accounts.social_reason ilike ${pattern}
            or holders.email ilike ${pattern}
            or holders.first_name || ' ' || holders.last_name ilike ${pattern}
            or holders.phone_number ilike ${pattern}
            or accounts.id::text = ${search ?? ''}
          )`
    }
  `
}

function standing(sql: Sql) {
  return sql`coalesce(nullif(accounts.standing, 'open'), parents.standing, 'open')`
}

function sortKey(sql: Sql, sort: AccountOrder['sort']) {
  switch (sort) {
    case 'created':
      return sql`accounts.id`
    case 'name':
      return sql`lower(accounts.social_reason)`
    case 'email':
      return sql`lower(holders.email)`
    case 'sms_credits':
      return sql`coalesce(${creditsOf(sql, 1)}, 0)`
    case 'rcs_credits':
      return sql`coalesce(${creditsOf(sql, 2)}, 0)`
    case 'sent':
      return sql`coalesce(volumes.sent, 0) + ${unfoldedOf(sql)}`
    case 'activity':
      return activityOf(sql)
    default:
      return sort satisfies never
  }
}

function creditsOf(sql: Sql, messageType: 1 | 2) {
  return sql`(
    select available
    from credit_balances
    where credit_balances.account_id = accounts.id
      and message_type = ${messageType}
  )`
}

/** Recipients that a carrier accepted in the last 30 days: folded figures, and the messages that are not folded yet. */
function sentOf(sql: Sql) {
  return sql`(
    (
      select coalesce(sum(sent), 0)
      from ${foldedFigures(sql)}
      where folded.account_id = accounts.id
    ) + ${unfoldedOf(sql)}
  )::bigint`
}

function foldedFigures(sql: Sql) {
  return sql`(
    select account_id, sent
    from figures
    where quarter_at >= now() - interval '30 days'
    union all
    select account_id, sent
    from figure_changes
    where quarter_at >= now() - interval '30 days'
  ) as folded`
}

function unfoldedOf(sql: Sql) {
  return sql`(
    select coalesce(sum(taken_count), 0)
    from messages
    where messages.account_id = accounts.id
      and scheduled_at >= greatest(
        now() - interval '30 days',
        (select folded_to from figure_progress where figure_progress.account_id = accounts.id)
      )
      and not is_folded
  )`
}

/** To sort by volume, the figures of all accounts are summed in one pass. */
function joinVolumes(sql: Sql) {
  return sql`
    left join (
      select account_id, sum(sent) as sent
      from ${foldedFigures(sql)}
      group by account_id
    ) as volumes on volumes.account_id = accounts.id
  `
}

function activityOf(sql: Sql) {
  return sql`greatest(
    accounts.last_login_at,
    (select max(last_used_at) from api_keys where api_keys.account_id = accounts.id),
    (select max(memberships.last_seen_at) from memberships where memberships.account_id = accounts.id)
  )`
}
