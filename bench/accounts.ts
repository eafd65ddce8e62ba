import { API_KEY, ask } from './child.ts'

const CREDITS_EACH = 1_000_000

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
