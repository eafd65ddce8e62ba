import Type, { type Static } from 'typebox'
import { Refusal } from '../errors.ts'
import { type Limits, NO_LIMITS } from '../http/limit.ts'
import { Nullable } from '../schemas/nullable.ts'

const count = (description: string, bounds: { minimum: number; maximum: number }) =>
  Nullable(Type.Integer({ ...bounds, description }))

/** The limits of an account, as they are set and shown; null for the default. */
export const LimitsView = Type.Object(
  {
    requests_per_second: count('Requests a second, counted by each process; above it 429.', {
      minimum: 1,
      maximum: 100_000
    }),
    credits_per_day: count('Credits of both types, by the day of the account’s time zone; above it 429.', {
      minimum: 0,
      maximum: 1_000_000_000
    }),
    messages_per_number: count(
      'Messages to one number within an hour of the clock; who had as many is dropped and counted in `limited`.',
      { minimum: 1, maximum: 100_000 }
    ),
    countries: Nullable(
      Type.Array(Type.String({ pattern: '^[A-Z]{2}$', 'x-words': 'two capital letters, such as FR' }), {
        minItems: 1,
        maxItems: 250,
        description: 'Countries that may be written to; numbers of others are dropped and counted in `barred`.'
      })
    ),
    sub_accounts: count('Sub-accounts.', { minimum: 0, maximum: 100_000 }),
    people: count('People.', { minimum: 1, maximum: 10_000 }),
    keys: count('Keys.', { minimum: 1, maximum: 1_000 }),
    webhooks: count('Webhooks.', { minimum: 0, maximum: 20 })
  },
  { $id: 'Limits' }
)

export function toLimitsView(limits: Limits): Static<typeof LimitsView> {
  return {
    requests_per_second: limits.requestsPerSecond,
    credits_per_day: limits.creditsPerDay,
    messages_per_number: limits.messagesPerNumber,
    countries: limits.countries && [...limits.countries],
    sub_accounts: limits.subAccounts,
    people: limits.people,
    keys: limits.keys,
    webhooks: limits.webhooks
  }
}

/** The defaults of the installation. */
export type LimitDefaults = Limits

/** An account's own limits over the defaults. A sub-account has no defaults of rates: those of its parent bound it. */
export function completeLimits(
  own: Limits | null | undefined,
  { defaults, isOperator, parentId }: { defaults: LimitDefaults; isOperator: boolean; parentId: number | null }
): Limits {
  const given = own ?? NO_LIMITS
  const { subAccounts, people, keys, webhooks } = defaults
  const counts = {
    subAccounts: given.subAccounts ?? subAccounts,
    people: given.people ?? people,
    keys: given.keys ?? keys,
    webhooks: given.webhooks ?? webhooks
  }
  const rates = isOperator || parentId !== null ? NO_LIMITS : defaults
  return {
    ...counts,
    requestsPerSecond: given.requestsPerSecond ?? rates.requestsPerSecond,
    creditsPerDay: given.creditsPerDay ?? rates.creditsPerDay,
    messagesPerNumber: given.messagesPerNumber ?? rates.messagesPerNumber,
    countries: given.countries ?? rates.countries
  }
}

/** Refuses a change after which an account would have more of something than it may have. */
export function refuseAbove(max: number | null, count: number, what: string): void {
  if (max === null || count <= max) return
  throw new Refusal(409, 'state_conflict', `An account may have at most ${max} ${what}; the operator can allow more.`)
}

const NAMES: Record<string, keyof Limits> = {
  requests_per_second: 'requestsPerSecond',
  credits_per_day: 'creditsPerDay',
  messages_per_number: 'messagesPerNumber',
  countries: 'countries',
  people: 'people',
  keys: 'keys',
  webhooks: 'webhooks'
}

/** Reads defaults such as `requests_per_second=50, countries=FR+BE`; undefined if that is not what they are. */
export function readLimitDefaults(text: string): Limits | undefined {
  const limits: Record<string, unknown> = { ...NO_LIMITS }
  for (const part of text.split(',').filter((part) => part.trim() !== '')) {
    const [name = '', value = ''] = part.split('=').map((word) => word.trim())
    const field = NAMES[name]
    if (!field) return undefined
    if (field === 'countries') {
      const countries = value.split('+')
      if (!countries.every((country) => /^[A-Z]{2}$/.test(country))) return undefined
      limits[field] = countries
    } else {
      if (!/^[1-9]\d{0,8}$/.test(value)) return undefined
      limits[field] = Number(value)
    }
  }
  return limits as unknown as Limits
}
