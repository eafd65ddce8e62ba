import type { Sql } from '../database/database.ts'
import type { ConsentMode } from '../http/consent-mode.ts'
import type { Limits } from '../http/limit.ts'
import type { Permission } from '../http/permission.ts'
import { type Role, rolesWith } from '../people/role.ts'
import type { Standing } from './account.ts'

const VIEWING_ROLES = rolesWith('account')

/** The account that the credentials of a request are checked for. */
export interface CallerAccount {
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
  consent: ConsentMode
  /** Null for an account of its own. */
  parentConsent: ConsentMode | null
  marketingCap: number
  marketingCapDays: number
  appId: string
  /** Its own standing, or that of its parent if that one is not open. */
  standing: Standing
  standingReason: string
  /** Null if none were set. */
  ownLimits: Limits | null
  parentLimits: Limits | null
  parentTimeZone: string | null
  isParentOperator: boolean | null
}

export interface KeyRow extends CallerAccount {
  keyId: number
  scopes: Permission[]
  addresses: string[]
  expiresAt: Date | null
}

export interface SessionRow extends CallerAccount {
  personId: number
  tokenVersion: number
  /** The account above from which the person looks at this one. */
  viewedFrom: number | null
  role: Role
  signedOnAt: Date | null
  requiresSecondFactor: boolean
  lacksSecondFactor: boolean
}

export async function findCallerByKey(sql: Sql, keyHash: Buffer): Promise<KeyRow | undefined> {
  const [row] = await sql<KeyRow[]>`
    select api_keys.id as key_id, scopes, addresses, api_keys.expires_at, ${accountColumns(sql)}
    from api_keys
    join accounts on accounts.id = api_keys.account_id
    left join accounts as parents on parents.id = accounts.parent_id
    left join account_limits as own_limits on own_limits.account_id = accounts.id
    left join account_limits as parent_limits on parent_limits.account_id = accounts.parent_id
    where key_hash = ${keyHash}
  `
  return row
}

/** An account for which the service itself acts. */
export async function findAccountToActFor(sql: Sql, accountId: number): Promise<CallerAccount | undefined> {
  const [row] = await sql<CallerAccount[]>`
    select ${accountColumns(sql)}
    from accounts
    left join accounts as parents on parents.id = accounts.parent_id
    left join account_limits as own_limits on own_limits.account_id = accounts.id
    left join account_limits as parent_limits on parent_limits.account_id = accounts.parent_id
    where accounts.id = ${accountId}
  `
  return row
}

/**
 * Undefined if the session is over, or the person has left the account. A person who looks at it from above reads, as
 * long as their role there allows it.
 */
export async function findCallerBySession(
  sql: Sql,
  { accountId, sessionId }: { accountId: number; sessionId: string }
): Promise<SessionRow | undefined> {
  const [row] = await sql<SessionRow[]>`
    select sessions.person_id, token_version, viewed_from,
      case when viewed_from is null then role else 'reader' end as role,
      signed_on_at, homes.requires_second_factor,
      homes.requires_second_factor and signed_on_at is null and not ${hasFactor(sql)} as lacks_second_factor,
      ${accountColumns(sql)}
    from sessions
    join people on people.id = sessions.person_id
    join accounts on accounts.id = sessions.account_id
    left join accounts as parents on parents.id = accounts.parent_id
    join accounts as homes on homes.id = coalesce(viewed_from, sessions.account_id)
    left join account_limits as own_limits on own_limits.account_id = accounts.id
    left join account_limits as parent_limits on parent_limits.account_id = accounts.parent_id
    join memberships on memberships.person_id = people.id
      and memberships.account_id = coalesce(viewed_from, sessions.account_id)
    where sessions.id = ${sessionId}
      and sessions.account_id = ${accountId}
      and (viewed_from is null or role = any(${VIEWING_ROLES}))
  `
  return row
}

/** A log-in by single sign-on has passed the factors of its provider. */
function hasFactor(sql: Sql) {
  return sql`(
    exists (select from totp_secrets where person_id = sessions.person_id and confirmed_at is not null)
    or exists (select from passkeys where person_id = sessions.person_id)
  )`
}

function accountColumns(sql: Sql) {
  const isBelow = sql`parents.standing <> 'open' and accounts.standing = 'open'`
  return sql`
    accounts.id, accounts.parent_id, accounts.is_operator, accounts.country, accounts.time_zone,
    accounts.default_sender, accounts.typography, accounts.hours_end, accounts.sundays_and_holidays,
    accounts.calendar, accounts.consent, parents.consent as parent_consent, accounts.marketing_cap,
    accounts.marketing_cap_days, accounts.app_id, case when ${isBelow} then parents.standing else accounts.standing end as standing,
    case when ${isBelow} then parents.standing_reason else accounts.standing_reason end as standing_reason,
    ${limitsAs(sql, 'own_limits')}, ${limitsAs(sql, 'parent_limits')}, parents.time_zone as parent_time_zone,
    parents.is_operator as is_parent_operator
  `
}

/** The limits of one of the two accounts as JSON, with the names of `Limits`. */
function limitsAs(sql: Sql, name: 'own_limits' | 'parent_limits') {
  const row = sql(name)
  return sql`
    case when ${row}.account_id is not null then jsonb_build_object(
      'requestsPerSecond', ${row}.requests_per_second, 'creditsPerDay', ${row}.credits_per_day,
      'messagesPerNumber', ${row}.messages_per_number, 'countries', ${row}.countries,
      'subAccounts', ${row}.sub_accounts, 'people', ${row}.people, 'keys', ${row}.keys, 'webhooks', ${row}.webhooks
    ) end as ${row}
  `
}
