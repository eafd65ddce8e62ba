import Type, { type Static } from 'typebox'
import { findLimits } from '../accounts/limits.store.ts'
import { completeLimits, type LimitDefaults, LimitsView, toLimitsView } from '../accounts/limits.ts'
import type { Sql } from '../database/database.ts'
import { NO_LIMITS } from '../http/limit.ts'
import { findLimitsUsed } from './limits-used.store.ts'

const Used = Type.Object(
  {
    credits_today: Type.Integer({ description: 'Counted while there is a limit of credits a day.' }),
    sub_accounts: Type.Integer(),
    people: Type.Integer(),
    keys: Type.Integer(),
    webhooks: Type.Integer()
  },
  { $id: 'LimitsUsed' }
)

/** The limits of an account as they hold, and how far they are used. */
export const LimitsWithUse = Type.Object(
  { limits: LimitsView, own: LimitsView, used: Used },
  {
    $id: 'LimitsWithUse',
    description: '`limits` hold: the account’s `own`, and the defaults of the installation where it has none.'
  }
)

export const limitsExample: Static<typeof LimitsWithUse> = {
  limits: {
    requests_per_second: 50,
    credits_per_day: 10_000,
    messages_per_number: 5,
    countries: ['FR', 'BE'],
    sub_accounts: 200,
    people: 200,
    keys: 20,
    webhooks: null
  },
  own: {
    requests_per_second: 50,
    credits_per_day: 10_000,
    messages_per_number: 5,
    countries: ['FR', 'BE'],
    sub_accounts: null,
    people: null,
    keys: null,
    webhooks: null
  },
  used: { credits_today: 1_250, sub_accounts: 3, people: 2, keys: 1, webhooks: 1 }
}

/** The account whose limits are shown. */
export interface LimitsOwner {
  id: number
  isOperator: boolean
  parentId: number | null
}

export async function readLimitsOf(
  sql: Sql,
  { id, ...owner }: LimitsOwner,
  defaults: LimitDefaults
): Promise<Static<typeof LimitsWithUse>> {
  const [own, used] = await Promise.all([findLimits(sql, id), findLimitsUsed(sql, id)])
  return {
    limits: toLimitsView(completeLimits(own, { defaults, ...owner })),
    own: toLimitsView(own ?? NO_LIMITS),
    used: {
      credits_today: used.creditsToday,
      sub_accounts: used.subAccounts,
      people: used.people,
      keys: used.keys,
      webhooks: used.webhooks
    }
  }
}
