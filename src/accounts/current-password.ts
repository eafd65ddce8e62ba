import Type from 'typebox'
import type { Pool } from '../database/database.ts'
import { invalidInput, notFound } from '../errors.ts'
import { findAccount, findLoginAccount } from './accounts.store.ts'
import { checkPassword } from './check-password.ts'

export const CurrentPassword = (description: string) => Type.String({ minLength: 1, maxLength: 1024, description })

/** Changes that could hand the account to a thief need the password once more. */
export async function refuseWrongPassword(
  pool: Pool,
  accountId: number,
  { address, password }: { address: string; password: string | undefined }
): Promise<void> {
  if (password === undefined) throw invalidInput([{ path: 'current_password', message: 'is missing' }])
  const email = (await findAccount(pool, accountId))?.email
  if (email === undefined) throw notFound('account')
  const account = await findLoginAccount(pool, email)
  if (await checkPassword(pool, { account, email, address, password })) return
  throw invalidInput([{ path: 'current_password', message: 'is wrong' }])
}
