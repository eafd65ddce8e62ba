import { openAccount } from '../src/accounts/open-account.ts'
import { MESSAGE_TYPES } from '../src/credits/credit.ts'
import { issueCredits } from '../src/credits/ledger.ts'
import { connect, type SocketUrl } from '../src/database/database.ts'
import { API_KEY, ask } from './child.ts'

const CREDITS_EACH = 1_000_000
const CONNECTIONS = 4

/** Opens sub-accounts with credits of their own, one after the other, and returns their API keys. */
export async function openSubAccounts(url: string, count: number, name: string): Promise<string[]> {
  const keys: string[] = []
  for (let index = 1; index <= count; index++) {
    const { subaccount_id: id, apikey } = await ask<{ subaccount_id: number; apikey: string }>(url, '/subaccount', {
      email: `${name}-${index}@bench.example`,
      password: 'password of the bench',
      credits_mode: 'self'
    })
    await addCredits(url, id)
    keys.push(apikey)
  }
  return keys
}

async function addCredits(url: string, id: number): Promise<void> {
  const answer = await fetch(`${url}/subaccount/${id}/credits/add`, {
    method: 'PUT',
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ credits: CREDITS_EACH, msgType: 1 })
  })
  if (answer.status !== 200) throw new Error(`credits for account ${id}: ${answer.status} ${await answer.text()}`)
}

/** Stores accounts with credits of their own, and returns their API keys. The API would hash a password for each. */
export async function storeAccounts(url: SocketUrl, count: number, name: string): Promise<string[]> {
  const pool = connect({ url, applicationName: 'bench', connectionsMax: CONNECTIONS })
  const keys: string[] = []
  let left = count
  const store = async () => {
    while (left > 0) {
      const email = `${name}-${left--}@bench.example`
      await pool.begin(async (database) => {
        const opened = await openAccount(database, { parentId: null, email, passwordHash: 'none', country: 'FR' })
        const key = { accountId: opened.account.id, messageType: MESSAGE_TYPES.sms }
        await issueCredits(database, { ...key, amount: CREDITS_EACH, reason: 'opening' })
        keys.push(opened.keyPair.apiKey)
      })
    }
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, store))
    return keys
  } finally {
    await pool.close(5)
  }
}
