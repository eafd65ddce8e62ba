import type { Pool } from '../database/database.ts'
import { invalidInput, notFound } from '../errors.ts'
import { countLoginFailure } from '../people/check-password.ts'
import { refuseWrongPassword } from '../people/current-password.ts'
import { findLoginPerson } from '../people/people.store.ts'
import { checkCode } from './check-code.ts'
import { hasFactor } from './second-factor.ts'
import { findFactors } from './second-factors.store.ts'

/** A stolen token must not change the second factor: the person shows the password, or a code, once more. */
export async function proveAgain(
  pool: Pool,
  personId: number,
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
  if (person.passwordHash === null && !hasFactor(await findFactors(pool, personId))) return
  if (person.passwordHash === null) throw invalidInput([{ path: 'code', message: 'is missing' }])
  await refuseWrongPassword(pool, personId, { address, password })
}
