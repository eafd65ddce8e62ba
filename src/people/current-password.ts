import Type from 'typebox'
import type { Pool } from '../database/database.ts'
import { invalidInput, notFound } from '../errors.ts'
import { checkPassword } from './check-password.ts'
import { findLoginPerson } from './people.store.ts'

export const CurrentPassword = (description: string) => Type.String({ minLength: 1, maxLength: 1024, description })

/** Changes that could hand the account to a thief need the password once more. */
export async function refuseWrongPassword(
  pool: Pool,
  personId: number,
  { address, password }: { address: string; password: string | undefined }
): Promise<void> {
  if (password === undefined) throw invalidInput([{ path: 'current_password', message: 'is missing' }])
  const person = await findLoginPerson(pool, { id: personId })
  if (!person) throw notFound('person')
  if (await checkPassword(pool, { person, email: person.email, address, password })) return
  throw invalidInput([{ path: 'current_password', message: 'is wrong' }])
}
