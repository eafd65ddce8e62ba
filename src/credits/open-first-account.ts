import { randomBytes } from 'node:crypto'
import { hasOperator } from '../accounts/accounts.store.ts'
import { newKeyPair } from '../accounts/api-key.ts'
import { openAccount } from '../accounts/open-account.ts'
import type { Database } from '../database/database.ts'
import { hashPassword } from '../people/passwords.ts'
import { MESSAGE_TYPES } from './credit.ts'
import { issueCredits } from './ledger.ts'

export interface FirstAccount {
  email: string
  password: string | undefined
  appId: string | undefined
  apiKey: string | undefined
  openingCredits: number
}

export interface OpenedFirstAccount {
  email: string
  password: string
  appId: string
  apiKey: string
}

/**
 * Makes the first account, the operator, with its opening credits; false if there is one already. Of several processes that
 * start at once, one makes it. `announce` gets its credentials before the commit: after a crash in between they were shown in
 * vain, which is better than an account with lost credentials.
 */
export async function openFirstAccount(
  database: Database,
  wanted: FirstAccount,
  announce: (account: OpenedFirstAccount) => void
): Promise<boolean> {
  if (await hasOperator(database)) return false
  const madeUp = newKeyPair()
  const keyPair = { appId: wanted.appId ?? madeUp.appId, apiKey: wanted.apiKey ?? madeUp.apiKey }
  const password = wanted.password ?? randomBytes(12).toString('base64url')
  const passwordHash = await hashPassword(password, 'first account')
  try {
    await database.begin(async (database) => {
      const { account } = await openAccount(database, {
        parentId: null,
        isOperator: true,
        email: wanted.email,
        passwordHash,
        country: 'FR',
        keyPair
      })
      for (const messageType of wanted.openingCredits > 0 ? Object.values(MESSAGE_TYPES) : []) {
        const opening = {
          accountId: account.id,
          messageType,
          amount: wanted.openingCredits,
          reason: 'opening'
        } as const
        await issueCredits(database, opening)
      }
      announce({ email: wanted.email, password, ...keyPair })
    })
  } catch (error) {
    // Another process was faster: the operator exists, most likely with this email.
    if (await hasOperator(database)) return false
    throw error
  }
  return true
}
