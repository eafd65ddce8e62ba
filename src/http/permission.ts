import { Refusal } from '../errors.ts'
import type { Caller } from './caller.ts'

/** What a caller may do, each with the words of the documents. An operation names the one that it needs. */
export const PERMISSIONS = {
  read: 'See messages, replies, contacts, figures, credits and settings.',
  send: 'Send, cancel and write templates.',
  contacts: 'Change contacts, lists and STOPs.',
  webhooks: 'Set up webhooks.',
  account: 'Change settings, sub-accounts and their credits.',
  people: 'Change people and keys, and close the account.',
  binary: 'Send binary data instead of a text.',
  send_confirmed:
    'Write drafts, and send what a dry run of the same send has shown, up to some credits a day. A part of `send`.'
} as const

export type Permission = keyof typeof PERMISSIONS

/** The permissions of scopes: `send` includes the lesser one. */
export function permissionsOf(scopes: readonly Permission[]): ReadonlySet<Permission> {
  return new Set(scopes.includes('send') ? [...scopes, 'send_confirmed'] : scopes)
}

/** Of an operation that needs no more than a caller. */
export type PermissionNeeded = Permission | 'any'

/** An operation, as far as it says who may ask for it. */
interface Guarded {
  permission: PermissionNeeded
  isForSetup: boolean
}

/** Why a caller may not ask for an operation. */
export function refusalOf({ permission, isForSetup }: Guarded, caller: Caller): Refusal | undefined {
  if (caller.lacksSecondFactor && !isForSetup) return SECOND_FACTOR_MISSING
  return refusalWithout(permission, caller)
}

const SECOND_FACTOR_MISSING = new Refusal(
  403,
  'second_factor_required',
  'This account requires a second factor: set up an authenticator app or a passkey first.'
)

function refusalWithout(permission: PermissionNeeded, caller: Caller): Refusal | undefined {
  if (permission === 'any' || caller.permissions.has(permission)) return undefined
  return new Refusal(
    403,
    'forbidden',
    caller.isViewing
      ? 'You are only looking at this account, and can’t change it.'
      : `This needs the permission ${NAMES[permission] ?? permission}: ${PERMISSIONS[permission].toLowerCase()}`
  )
}

/** Most callers that send have the whole of it. */
const NAMES: Partial<Record<Permission, string>> = { send_confirmed: 'send, or send_confirmed' }

/** For a part of an operation that needs more than the operation itself. */
export function refuseWithout(permission: Permission, caller: Caller): void {
  const refusal = refusalWithout(permission, caller)
  if (refusal) throw refusal
}
