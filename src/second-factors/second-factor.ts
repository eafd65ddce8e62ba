import Type, { type Static } from 'typebox'
import { type FactorKind, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { Nullable } from '../schemas/nullable.ts'
import type { Factors } from './second-factors.store.ts'

const Moment = Type.String({ format: 'date-time' })

export const PasskeyView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    created_at: Moment,
    last_used_at: Nullable(Moment)
  },
  { $id: 'Passkey' }
)

export const SecondFactorView = Type.Object(
  {
    totp: Type.Object({
      is_on: Type.Boolean({ description: 'Whether log-ins ask for a code of an authenticator app.' }),
      since: Nullable(Moment)
    }),
    passkeys: Type.Array(PasskeyView),
    recovery_codes_left: Type.Integer(),
    is_required: Type.Boolean({ description: 'Whether the account requires a second factor of its people.' }),
    may_require: Type.Boolean({ description: 'Whether the person may change that.' })
  },
  { $id: 'SecondFactor' }
)

export const RecoveryCodes = Type.Array(Type.String(), {
  description: 'Ten codes that each replace the second factor once. Shown only here.'
})

export const recoveryCodesExample = ['3v9k-x2mt-7qpa-h8ze', '0cn4-wd6r-kfy2-91jb']

/** What proves that the person, and not only their token, asks. */
export const Proof = {
  current_password: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: 'The password of the person; or `code`.' })
  ),
  code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'A code of the second factor; or `current_password`.' })
  )
}

export const PROOF_WITH_TOKEN =
  'A request with a token needs `current_password` or `code`, so that a stolen token can’t make a key that lasts.'

export const proofRefusals = {
  forbidden: 'The request has a key, or only looks at the account.',
  rate_limited: 'Ten wrong passwords or codes within a minute, or ten wrong codes of the app within an hour.'
}

/** The person of a session. A key belongs to an account, and has no second factor. */
export function personOf({ personId, token, isViewing }: Caller): { personId: number; sessionId: string } {
  if (personId === null || token === null) {
    throw new Refusal(403, 'forbidden', 'A second factor belongs to a person: log in, and ask with the token.')
  }
  if (isViewing) throw new Refusal(403, 'forbidden', 'You are only looking at this account; change yours in your own.')
  return { personId, sessionId: token.id }
}

/** Callers are remembered for a few seconds; a session that has just set up its factor may go on at once. */
export interface KnownCallers {
  forget(accountId: number): void
}

export function hasFactor({ totpSince, passkeyCount }: Factors): boolean {
  return totpSince !== null || passkeyCount > 0
}

/** The kinds of second factor that a person can log in with. */
export function kindsOf(factors: Factors): FactorKind[] {
  const kinds: FactorKind[] = []
  if (factors.totpSince !== null) kinds.push('totp')
  if (factors.passkeyCount > 0) kinds.push('passkey')
  if (factors.recoveryCodeCount > 0) kinds.push('recovery')
  return kinds
}

export function secondFactorRequired(sentence: string, factors: Factors): Refusal {
  const details = kindsOf(factors).map((factor) => ({ factor }))
  return new Refusal(401, 'second_factor_required', sentence, { details })
}

export interface Passkey {
  id: number
  name: string
  createdAt: Date
  lastUsedAt: Date | null
}

export function toPasskeyView({ id, name, createdAt, lastUsedAt }: Passkey): Static<typeof PasskeyView> {
  return { id, name, created_at: createdAt.toISOString(), last_used_at: lastUsedAt?.toISOString() ?? null }
}
