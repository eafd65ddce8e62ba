import Type, { type Static } from 'typebox'
import type { Pool } from '../database/database.ts'
import { countLoginFailure } from '../people/check-password.ts'
import { checkCode } from './check-code.ts'
import { checkPasskey, PasskeyAssertion } from './passkeys.ts'
import { hasFactor, secondFactorRequired } from './second-factor.ts'
import { findFactors } from './second-factors.store.ts'
import type { Site } from './site.ts'

/** The fields of a log-in that answer for the second factor. */
export const factorFields = {
  code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'For a person with a second factor: a code of the app, or a recovery code.'
    })
  ),
  passkey: Type.Optional(PasskeyAssertion)
}

const FactorFields = Type.Object(factorFields)

export const factorRefusal =
  'The password is right, and the person has a second factor: `details` names the kinds. Ask again with `code` or `passkey`; or these were wrong.'

/**
 * The second step of every log-in, after the password. A person without a factor goes on. Wrong answers are counted like
 * wrong passwords.
 */
export async function passSecondFactor(
  pool: Pool,
  {
    personId,
    address,
    site,
    given: { code, passkey }
  }: { personId: number; address: string; site: Site; given: Static<typeof FactorFields> }
): Promise<void> {
  const factors = await findFactors(pool, personId)
  if (!hasFactor(factors)) return
  if (code === undefined && passkey === undefined) {
    throw secondFactorRequired('This log-in needs a second factor: a code or a passkey.', factors)
  }
  const isRight = passkey
    ? await checkPasskey(pool, { personId, site, answer: passkey })
    : await checkCode(pool, personId, code ?? '')
  if (isRight) return
  await countLoginFailure(pool, { personId, address })
  const what = passkey ? 'The answer of the passkey' : 'The code'
  throw secondFactorRequired(`${what} is wrong, was used before, or is too old.`, factors)
}
