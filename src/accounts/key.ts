import Type, { type Static } from 'typebox'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { type InputProblem, invalidInput, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { PERMISSIONS, type Permission } from '../http/permission.ts'
import { ROLES } from '../people/role.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type ApiKey, findApiKey } from './api-keys.store.ts'
import { areNetworksWithin, readNetwork } from './key-networks.ts'

export const KEYS_MAX = 20
const ADDRESSES_MAX = 50

const Scopes = Type.Array(Type.Enum(Object.keys(PERMISSIONS) as Permission[]), {
  minItems: 1,
  maxItems: Object.keys(PERMISSIONS).length,
  uniqueItems: true,
  description: 'The permissions that the key gives. An operation names the one that it needs.'
})

export const keyFields = {
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', 'x-words': 'a name, such as Shop' }),
  scopes: Scopes,
  addresses: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: ADDRESSES_MAX,
      description: 'The networks that the key may be used from, such as `192.0.2.0/24`. None means any.'
    })
  ),
  expires_at: Type.Optional(
    Nullable(Type.String({ format: 'date-time', description: 'From this moment on the key is refused.' }))
  ),
  credits_per_day: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          'How many credits a key with the scope `send_confirmed`, and without `send`, may spend within 24 hours. Without it, 100.'
      })
    )
  )
}

export const KeyView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    addresses: Type.Array(Type.String()),
    is_first: Type.Boolean({
      description: 'Whether it is the key that came with the account: it keeps every scope and can’t be deleted.'
    }),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Nullable(Type.String({ format: 'date-time' })),
    credits_per_day: Nullable(Type.Integer({ description: 'Of confirmed sends; null for 100.' })),
    last_used_at: Nullable(Type.String({ format: 'date-time', description: 'To within a minute.' })),
    replaced_by: Nullable(
      Type.Integer({ description: 'The key that took the place of this one, which is valid until it expires.' })
    )
  },
  { $id: 'ApiKey' }
)

export const NewKeyView = Type.Object(
  {
    ...KeyView.properties,
    appId: Type.String({ description: 'The X-APP-ID of the account.' }),
    apikey: Type.String({ description: 'The X-API-KEY. Shown only here.' })
  },
  { $id: 'NewApiKey' }
)

export const keyExample: Static<typeof KeyView> = {
  id: 31,
  name: 'Shop',
  scopes: ['read', 'send'],
  addresses: ['192.0.2.0/24'],
  is_first: false,
  created_at: '2026-11-15T09:30:00.000Z',
  expires_at: null,
  credits_per_day: null,
  last_used_at: null,
  replaced_by: null
}

export const newKeyExample: Static<typeof NewKeyView> = {
  ...keyExample,
  appId: 'app_5f2c9d0e8b7a6c5d4e3f2a1b',
  apikey: 'key_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBrZXk'
}

export const NO_MORE = { forbidden: 'A key can’t give more than it has: scopes, networks and expiry.' }

export function toKeyView(key: ApiKey): Static<typeof KeyView> {
  return {
    id: key.id,
    name: key.name,
    scopes: [...key.scopes],
    addresses: [...key.addresses],
    is_first: key.isFirst,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    credits_per_day: key.creditsPerDay,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    replaced_by: key.replacedBy
  }
}

/** Problems of networks, which a schema can't find. */
export function findNetworkProblems({ addresses }: { addresses?: unknown }): InputProblem[] {
  if (!Array.isArray(addresses)) return []
  return addresses.flatMap((text, index): InputProblem[] => {
    if (typeof text !== 'string' || readNetwork(text)) return []
    return [{ path: `addresses[${index}]`, message: 'must be an address or a network, such as 192.0.2.0/24' }]
  })
}

/** A limit that nothing would obey is refused. */
export function refuseIdleLimit({ scopes, creditsPerDay }: Pick<ApiKey, 'scopes' | 'creditsPerDay'>): void {
  if (creditsPerDay === null || (scopes.includes('send_confirmed') && !scopes.includes('send'))) return
  const message = 'must be null for a key with the scope send, or without send_confirmed: it limits confirmed sends'
  throw invalidInput([{ path: 'credits_per_day', message }])
}

export function readExpiry(text: string | null | undefined): Date | null {
  if (text === null || text === undefined) return null
  const expiresAt = new Date(text)
  if (expiresAt.getTime() > databaseNow().getTime()) return expiresAt
  throw invalidInput([{ path: 'expires_at', message: 'must be in the future' }])
}

/** For a key that names no limit. */
const CREDITS_PER_DAY_DEFAULT = 100

/** Without this, a key of few scopes or of one network could make itself another of all. */
export async function refuseMoreThanOwn(
  sql: Sql,
  caller: Caller,
  given: Pick<ApiKey, 'scopes' | 'addresses' | 'expiresAt'> & Partial<Pick<ApiKey, 'id' | 'creditsPerDay'>>
): Promise<void> {
  const more = given.scopes.filter((scope) => !caller.permissions.has(scope))
  if (more.length > 0) throw refused(`it lacks ${more.join(', ')}`)
  if (caller.keyId === null) return
  const own = await findApiKey(sql, { accountId: caller.accountId, id: caller.keyId })
  if (!own) throw new Refusal(401, 'unauthorized', 'The credentials are missing or wrong.')
  const isWider = given.addresses.length === 0 || !areNetworksWithin(given.addresses, own.addresses)
  if (own.addresses.length > 0 && isWider) throw refused(`it works from ${own.addresses.join(', ')} only`)
  if (own.expiresAt && (given.expiresAt === null || given.expiresAt > own.expiresAt)) {
    throw refused(`it ends at ${own.expiresAt.toISOString()}`)
  }
  if (own.scopes.includes('send') || !given.scopes.includes('send_confirmed')) return
  // Two keys would have twice the limit of a day.
  const isItself = given.id === own.id && allowedOf(given) <= allowedOf(own)
  if (!isItself) throw refused(`it sends ${allowedOf(own)} credits a day, and only what is confirmed`)
}

/** Credits of confirmed sends a day. */
export function allowedOf({ creditsPerDay }: Partial<Pick<ApiKey, 'creditsPerDay'>>): number {
  return creditsPerDay ?? CREDITS_PER_DAY_DEFAULT
}

/** For acts that give a whole account away: a first key, or a person with a role, whom no network and no expiry bind. */
export function refuseGiving(sql: Sql, caller: Caller, scopes: readonly Permission[] = ROLES.owner): Promise<void> {
  return refuseMoreThanOwn(sql, caller, { scopes: [...scopes], addresses: [], expiresAt: null })
}

function refused(reason: string): Refusal {
  return new Refusal(403, 'forbidden', `A key can’t give more than it has: ${reason}.`)
}
