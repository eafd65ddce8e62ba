import { type Sql, violatedConstraint } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { type Account, type CreditsMode, readPhoneNumber } from './account.ts'
import { insertAccount } from './accounts.store.ts'
import { hashApiKey, type KeyPair, newKeyPair } from './api-key.ts'

export interface OpenAccount {
  parentId: number | null
  isOperator?: boolean
  email: string
  passwordHash: string
  firstName?: string | undefined
  lastName?: string | undefined
  phoneNumber?: string | undefined
  socialReason?: string | undefined
  creditsMode?: CreditsMode | undefined
  /** The country that a national phone number is read in. */
  country: string
  keyPair?: KeyPair
}

/** Makes an account with its key pair. Only this call knows the key: a hash is stored. */
export async function openAccount(sql: Sql, wanted: OpenAccount): Promise<{ account: Account; keyPair: KeyPair }> {
  const keyPair = wanted.keyPair ?? newKeyPair()
  const phoneNumber = readPhoneNumber(wanted.phoneNumber ?? '', { country: wanted.country, path: 'phoneNumber' })
  try {
    const account = await insertAccount(sql, {
      parentId: wanted.parentId,
      isOperator: wanted.isOperator ?? false,
      email: wanted.email,
      passwordHash: wanted.passwordHash,
      firstName: wanted.firstName ?? '',
      lastName: wanted.lastName ?? '',
      phoneNumber,
      socialReason: wanted.socialReason ?? '',
      creditsMode: wanted.creditsMode ?? 'self',
      appId: keyPair.appId,
      apiKeyHash: hashApiKey(keyPair.apiKey)
    })
    return { account, keyPair }
  } catch (error) {
    throw isEmailTaken(error) ? emailTaken() : error
  }
}

/** Whether a write failed because another account has the email. */
export function isEmailTaken(error: unknown): boolean {
  return violatedConstraint(error) === 'accounts_email_unique'
}

export function emailTaken(): Refusal {
  return new Refusal(409, 'state_conflict', 'An account with this email exists already.')
}
