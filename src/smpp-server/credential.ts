import { randomInt } from 'node:crypto'
import Type, { type Static } from 'typebox'
import type { Permission } from '../http/permission.ts'
import { Nullable } from '../schemas/nullable.ts'
import type { SmppCredential } from './credentials.store.ts'

/* The credentials that a customer's platform binds with. */

export const CREDENTIALS_MAX = 20
export const BINDS_MAX = 50
export const WINDOW_MAX = 1_000
const ADDRESSES_MAX = 50
/** SMPP 3.4, paragraph 5.2.2: a password has at most eight characters. */
const PASSWORD_LENGTH = 8
const PASSWORD_CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

export const BIND_DEFAULTS = { bindsMax: 4, windowMax: 100 } as const

export const credentialFields = {
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', 'x-words': 'a name, such as Platform in Paris' }),
  addresses: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: ADDRESSES_MAX,
      description: 'The networks that it may bind from, such as `192.0.2.0/24`. None means any.'
    })
  ),
  binds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: BINDS_MAX,
      description: `How many binds it may have at once, over all processes. Default: ${BIND_DEFAULTS.bindsMax}.`
    })
  ),
  window: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: WINDOW_MAX,
      description: `How many requests may be unanswered on one bind, in each direction. Default: ${BIND_DEFAULTS.windowMax}.`
    })
  ),
  throughput: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: 'How many submits a second are taken from it, over all processes. Null: no limit of its own.'
      })
    )
  ),
  category: Type.Optional(
    Type.Enum(['transactional', 'marketing'], {
      description: 'The category of all that it submits. Default: `transactional`.'
    })
  ),
  binary: Type.Optional(
    Type.Boolean({ description: 'Whether it may submit binary data. Needs the permission `binary`. Default: false.' })
  ),
  active: Type.Optional(Type.Boolean({ description: 'Whether it may bind. Its binds end when this becomes false.' }))
}

const SystemId = Type.String({
  minLength: 1,
  maxLength: 15,
  pattern: '^[!-~]+$',
  'x-words': 'up to 15 printable characters without spaces, such as myplatform',
  description: 'The system_id to bind with. No two credentials of the installation have the same.'
})

export const CredentialCreationFields = { system_id: SystemId, ...credentialFields }

export const SmppCredentialView = Type.Object(
  {
    id: Type.Integer(),
    system_id: Type.String(),
    name: Type.String(),
    addresses: Type.Array(Type.String()),
    binds: Type.Integer({ description: 'How many binds it may have at once.' }),
    window: Type.Integer(),
    throughput: Nullable(Type.Integer()),
    category: Type.Enum(['transactional', 'marketing']),
    binary: Type.Boolean(),
    active: Type.Boolean(),
    bound: Type.Integer({ description: 'How many binds it has now.' }),
    created_at: Type.String({ format: 'date-time' }),
    last_bound_at: Nullable(Type.String({ format: 'date-time' }))
  },
  { $id: 'SmppCredential' }
)

export const NewSmppCredentialView = Type.Object(
  {
    ...SmppCredentialView.properties,
    password: Type.String({ description: 'The password to bind with. Shown only here.' })
  },
  { $id: 'NewSmppCredential' }
)

export const credentialExample: Static<typeof SmppCredentialView> = {
  id: 5,
  system_id: 'myplatform',
  name: 'Platform in Paris',
  addresses: ['192.0.2.0/24'],
  binds: 4,
  window: 100,
  throughput: null,
  category: 'transactional',
  binary: false,
  active: true,
  bound: 0,
  created_at: '2026-11-15T09:30:00.000Z',
  last_bound_at: null
}

export const newCredentialExample: Static<typeof NewSmppCredentialView> = { ...credentialExample, password: 'tR7vKq2m' }

export function toCredentialView(credential: SmppCredential): Static<typeof SmppCredentialView> {
  return {
    id: credential.id,
    system_id: credential.systemId,
    name: credential.name,
    addresses: [...credential.addresses],
    binds: credential.bindsMax,
    window: credential.windowMax,
    throughput: credential.throughput,
    category: credential.category,
    binary: credential.isBinaryAllowed,
    active: credential.isActive,
    bound: credential.bound,
    created_at: credential.createdAt.toISOString(),
    last_bound_at: credential.lastBoundAt?.toISOString() ?? null
  }
}

/** 46 bits, without characters that look alike. Wrong ones are counted, and the hash is slow: it can't be guessed. */
export function newPassword(): string {
  return Array.from({ length: PASSWORD_LENGTH }, () => PASSWORD_CHARACTERS[randomInt(PASSWORD_CHARACTERS.length)]).join(
    ''
  )
}

/** The permissions that credentials give: nobody may give more than their own. */
export function scopesOf({ isBinaryAllowed }: Pick<SmppCredential, 'isBinaryAllowed'>): Permission[] {
  return ['read', 'send', ...(isBinaryAllowed ? ['binary' as const] : [])]
}
