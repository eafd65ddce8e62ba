import { databaseNowMs } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { invalidInput, notFound, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { countLoginFailure } from '../people/check-password.ts'
import { refuseWrongPassword } from '../people/current-password.ts'
import { findLoginPerson } from '../people/people.store.ts'
import { checkCode } from './check-code.ts'
import { hasFactor } from './second-factor.ts'
import { findFactors } from './second-factors.store.ts'

/** How long ago a person without password and second factor may have logged in at the provider. */
const RECENT_MS = 15 * 60_000

/**
 * A stolen token must not change what opens an account: the person shows the password, or a code, once more. A key has shown
 * itself.
 */
export async function proveCaller(
  pool: Pool,
  { personId, signedOnAt }: Pick<Caller, 'personId' | 'signedOnAt'>,
  { address, body }: { address: string; body: { current_password?: string; code?: string } }
): Promise<void> {
  if (personId === null) return
  await proveAgain(pool, { personId, signedOnAt }, { address, password: body.current_password, code: body.code })
}

async function proveAgain(
  pool: Pool,
  { personId, signedOnAt }: { personId: number; signedOnAt: Date | null },
  { address, password, code }: { address: string; password: string | undefined; code: string | undefined }
): Promise<void> {
  if (code !== undefined) {
    if (await checkCode(pool, personId, code)) return
    await countLoginFailure(pool, { personId, address })
    throw invalidInput([{ path: 'code', message: 'is wrong, was used before, or is too old' }])
  }
  const person = await findLoginPerson(pool, { id: personId })
  if (!person) throw notFound('person')
  // By single sign-on alone: there is no password to ask for, and at first no code either.
  if (person.passwordHash === null && !hasFactor(await findFactors(pool, personId))) {
    if (signedOnAt && databaseNowMs() - signedOnAt.getTime() < RECENT_MS) return
    throw new Refusal(403, 'forbidden', 'Log in again first: this needs a single sign-on of the last 15 minutes.')
  }
  if (person.passwordHash === null) throw invalidInput([{ path: 'code', message: 'is missing' }])
  await refuseWrongPassword(pool, personId, { address, password })
}
