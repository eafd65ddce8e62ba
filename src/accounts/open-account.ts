import type { Database } from '../database/database.ts'
import { PERMISSIONS, type Permission } from '../http/permission.ts'
import { insertMembership } from '../people/memberships.store.ts'
import { addPerson } from '../people/person.ts'
import { type Account, type CreditsMode, readPhoneNumber } from './account.ts'
import { findAccount, insertAccount } from './accounts.store.ts'
import { hashApiKey, type KeyPair, newKeyPair } from './api-key.ts'
import { insertApiKey } from './api-keys.store.ts'

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

/** Makes an account with its holder and its key pair. Only this call knows the key: a hash is stored. */
export async function openAccount(
  database: Database,
  wanted: OpenAccount
): Promise<{ account: Account; keyPair: KeyPair }> {
  const keyPair = wanted.keyPair ?? newKeyPair()
  const phoneNumber = readPhoneNumber(wanted.phoneNumber ?? '', { country: wanted.country, path: 'phoneNumber' })
  return database.begin(async (sql) => {
    const person = await addPerson(sql, {
      email: wanted.email,
      passwordHash: wanted.passwordHash,
      firstName: wanted.firstName ?? '',
      lastName: wanted.lastName ?? '',
      phoneNumber
    })
    const { id } = await insertAccount(sql, {
      parentId: wanted.parentId,
      isOperator: wanted.isOperator ?? false,
      holderId: person.id,
      socialReason: wanted.socialReason ?? '',
      creditsMode: wanted.creditsMode ?? 'self',
      appId: keyPair.appId
    })
    await insertMembership(sql, { accountId: id, personId: person.id, role: 'owner' })
    await insertApiKey(sql, {
      accountId: id,
      name: 'First key',
      keyHash: hashApiKey(keyPair.apiKey),
      isFirst: true,
      scopes: Object.keys(PERMISSIONS) as Permission[],
      addresses: [],
      expiresAt: null
    })
    const account = (await findAccount(sql, id)) as Account
    return { account, keyPair }
  })
}
