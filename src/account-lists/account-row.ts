import Type, { type Static } from 'typebox'
import { AccountView, SubAccountView } from '../accounts/account.ts'
import { accountExample, subAccountExample } from '../accounts/examples.ts'
import { StandingSchema } from '../accounts/standing.ts'
import type { Sql } from '../database/database.ts'
import { EXTRACT_CHUNK } from '../http/extract.ts'
import { PageQuery, toPage } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type AccountFilter, type AccountRow, countAccountRows, listAccountRows, SORTS } from './account-rows.store.ts'

const rowFields = {
  standing: StandingSchema,
  standing_reason: Type.String({ description: 'Why it is suspended or closed; empty while it is open.' }),
  standing_since: Nullable(Type.String({ format: 'date-time' })),
  sms_credits: Type.Integer({ description: 'Its own SMS credits.' }),
  rcs_credits: Type.Integer({ description: 'Its own RCS credits.' }),
  sent_30_days: Type.Integer({ description: 'Recipients that a carrier accepted in the last 30 days.' }),
  last_activity_at: Nullable(
    Type.String({ format: 'date-time', description: 'The last log-in, or the last use of a key or session.' })
  ),
  note: Type.String({ description: 'Of whoever runs the account from above; the account never sees it.' })
}

export const AccountRowView = Type.Object({ ...AccountView.properties, ...rowFields }, { $id: 'AccountRow' })
export const SubAccountRowView = Type.Object({ ...SubAccountView.properties, ...rowFields }, { $id: 'SubAccountRow' })

/** What narrows a list down, and its extract. */
export const AccountFilters = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: 255, description: 'Part of a company, name, email or phone number, or an id.' })
  ),
  standing: Type.Optional(StandingSchema)
})

export const AccountQuery = Type.Object({
  ...PageQuery.properties,
  ...AccountFilters.properties,
  sort: Type.Enum([...SORTS], { default: 'created' }),
  direction: Type.Enum(['asc', 'desc'], { default: 'desc' })
})

const figures = {
  standing: 'open' as const,
  standing_reason: '',
  standing_since: null,
  sms_credits: 9_850,
  rcs_credits: 10_000,
  sent_30_days: 1_204,
  last_activity_at: '2026-11-15T09:30:00.000Z',
  note: ''
}
export const accountRowExample = { ...accountExample, ...figures }
export const subAccountRowExample = { ...subAccountExample, ...figures }

export function toAccountRowView(row: AccountRow): Static<typeof AccountRowView> {
  return {
    id: row.id,
    parent_id: row.parentId,
    ...commonFields(row),
    last_login_at: row.lastLoginAt?.toISOString() ?? null
  }
}

export function toSubAccountRowView(row: AccountRow): Static<typeof SubAccountRowView> {
  return { subaccount_id: row.id, ...commonFields(row) }
}

function commonFields(row: AccountRow) {
  return {
    email: row.email,
    social_reason: row.socialReason,
    phone_number: row.phoneNumber,
    first_name: row.firstName,
    last_name: row.lastName,
    credits_mode: row.creditsMode,
    created_at: row.createdAt.toISOString(),
    standing: row.standing,
    standing_reason: row.standingReason,
    standing_since: row.standingSince?.toISOString() ?? null,
    sms_credits: row.smsCredits,
    rcs_credits: row.rcsCredits,
    sent_30_days: row.sent30Days,
    last_activity_at: row.lastActivityAt?.toISOString() ?? null,
    note: row.note
  }
}

export async function readAccountPage<View>(
  sql: Sql,
  query: Static<typeof AccountQuery>,
  { parentId, toView }: { parentId?: number; toView(row: AccountRow): View }
) {
  const filter = { ...(parentId !== undefined && { parentId }), search: query.search, standing: query.standing }
  const totalItems = await countAccountRows(sql, filter)
  const { page, limit, sort, direction } = query
  const rows = await listAccountRows(sql, filter, { sort, direction, offset: (page - 1) * limit, limit })
  return toPage(rows.map(toView), { page, limit, totalItems })
}

/** All rows that the filter wants, oldest first: accounts that are made meanwhile come last, and move no other. */
export async function* readAllAccounts<View>(
  sql: Sql,
  filter: AccountFilter,
  toView: (row: AccountRow) => View
): AsyncIterable<View[]> {
  for (let offset = 0; ; offset += EXTRACT_CHUNK) {
    const order = { sort: 'created', direction: 'asc', offset, limit: EXTRACT_CHUNK } as const
    const rows = await listAccountRows(sql, filter, order)
    yield rows.map(toView)
    if (rows.length < EXTRACT_CHUNK) return
  }
}
