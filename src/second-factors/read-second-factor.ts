import { operation } from '../http/operation.ts'
import { listPasskeys } from './passkeys.store.ts'
import { personOf, SecondFactorView, toPasskeyView } from './second-factor.ts'
import { findFactors } from './second-factors.store.ts'

export const readSecondFactor = operation({
  route: 'GET /users/me/second-factor',
  id: 'readSecondFactor',
  tag: 'Beyond',
  permission: 'any',
  isForSetup: true,
  summary: 'My second factor',
  description: 'What the person who asks has set up beside the password, and whether the account requires it.',
  answer: SecondFactorView,
  example: {
    answer: {
      totp: { is_on: true, since: '2026-11-15T09:30:00.000Z' },
      passkeys: [{ id: 3, name: 'Laptop', created_at: '2026-11-15T09:31:00.000Z', last_used_at: null }],
      recovery_codes_left: 10,
      is_required: false,
      may_require: true
    }
  },
  refusals: { forbidden: 'The request has a key, or only looks at the account.' },
  async handle({ caller, database }) {
    const { personId } = personOf(caller)
    const { totpSince, recoveryCodeCount } = await findFactors(database, personId)
    return {
      totp: { is_on: totpSince !== null, since: totpSince?.toISOString() ?? null },
      passkeys: (await listPasskeys(database, personId)).map(toPasskeyView),
      recovery_codes_left: recoveryCodeCount,
      is_required: caller.requiresSecondFactor,
      may_require: caller.permissions.has('people')
    }
  }
})
