import { randomBytes } from 'node:crypto'
import { hasOperator } from '../accounts/accounts.store.ts'
import { newKeyPair } from '../accounts/api-key.ts'
import { openAccount } from '../accounts/open-account.ts'
import type { Database } from '../database/database.ts'
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
 * Makes the first account, the operator, with its opening credits, and answers its credentials; undefined if there is
 * one already. Of several processes that start at once, one makes it.
 */
export async function openFirstAccount(
  database: Database,
  wanted: FirstAccount
): Promise<OpenedFirstAccount | undefined> {
  if (await hasOperator(database)) return undefined
  const madeUp = newKeyPair()
  const keyPair = { appId: wanted.appId ?? madeUp.appId, apiKey: wanted.apiKey ?? madeUp.apiKey }
  const password = wanted.password ?? randomBytes(12).toString('base64url')
  try {
    await database.begin(async (database) => {
      const { account } = await openAccount(database, {
        parentId: null,
        isOperator: true,
        email: wanted.email,
        password,
        country: 'FR',
        keyPair
      })
      if (wanted.openingCredits === 0) return
      for (const messageType of Object.values(MESSAGE_TYPES)) {
        await issueCredits(database, {
          accountId: account.id,
          messageType,
          amount: wanted.openingCredits,
          reason: 'opening'
        })
      }
    })
  } catch (error) {
    // Another process was faster: it has taken the operator's place, and most likely the email.
    if (await hasOperator(database)) return undefined
    throw error
  }
  return { email: wanted.email, password, ...keyPair }
}
