import { strict as assert } from 'node:assert'
import { startService, test } from '../service/service.ts'

// That every operation ignores what it does not take is checked along with the matrix of authorisation.test.ts.

test('whose credits are moved is said by who asks and by the address, never by the body', async (t) => {
  const { newAccount } = await startService(t)
  const victim = await newAccount({ credits: 100 })
  const child = await victim.newSubAccount({ credits: 10 })
  const thief = await newAccount()
  const accomplice = await thief.newSubAccount()
  const credits = async (account: typeof victim) => (await account.expect(200).get('/users/credits')).body[0].credits

  // These are the names that the code behind it uses.
  const names = { parentId: victim.id, subAccountId: child.id, fromId: victim.id, toId: thief.id, accountId: victim.id }
  for (const asker of [child, thief, accomplice]) {
    for (const direction of ['add', 'remove']) {
      for (const id of [child.id, victim.id, thief.id, 999_999]) {
        const body = { credits: 5, direction: 'add', ...names }
        await asker.expect(404).put(`/subaccount/${id}/credits/${direction}`, body)
      }
    }
  }
  // Its own child, but the other's names: only its own are looked at, and there is nothing in them.
  await thief.expect(402).put(`/subaccount/${accomplice.id}/credits/add`, { credits: 5, ...names })
  await thief.expect(402).put(`/subaccount/${accomplice.id}/credits/remove`, { credits: 5, ...names })
  assert.deepEqual(await Promise.all([victim, child, thief, accomplice].map(credits)), [90, 10, 0, 0])

  await victim.expect(200).put(`/subaccount/${child.id}/credits/remove`, { credits: 4, direction: 'add' })
  assert.deepEqual(await Promise.all([victim, child].map(credits)), [94, 6])
})

test('a repeated or unknown query parameter changes nothing of who is asked about', async (t) => {
  const { newAccount } = await startService(t)
  const [mine, other] = [await newAccount(), await newAccount()]
  const { id } = (await other.expect(200).post('/contactlists', { name: 'theirs' })).body
  for (const query of [`account_id=${other.id}`, `accountId=${other.id}`, `id=${id}`, 'is_operator=true']) {
    assert.deepEqual((await mine.expect(200).get(`/contactlists?${query}`)).body, [])
    assert.equal((await mine.expect(200).get(`/messages?${query}&page=1`)).body.meta.totalItems, 0)
    await mine.expect(403).get(`/accounts?${query}`)
    await mine.expect(404).get(`/contactlists/${id}?${query}`)
  }
})
