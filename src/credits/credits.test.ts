import { strict as assert } from 'node:assert'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { startService, test } from '../../test/service/service.ts'

const creditsOf = (answer: { body: { credits: number }[] }) => answer.body.map(({ credits }) => credits)

test('credits are answered per message type, SMS then RCS, with label and price', async (t) => {
  const { operator } = await startService(t)
  const { body } = await operator.expect(200).get('/users/credits')
  assert.deepEqual(body, [
    { msgType: 1, label: 'SMS', credits: 10000, price: 0.05, unit_price: null, currency: null },
    { msgType: 2, label: 'RCS', credits: 10000, price: 0.08, unit_price: null, currency: null }
  ])
})

test('credits added to a sub-account leave the parent, removed ones come back', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const child = await account.newSubAccount()
  const path = `/subaccount/${child.id}/credits`
  assert.deepEqual(creditsOf(await account.expect(200).put(`${path}/add`, { credits: 30 })), [30, 0])
  assert.deepEqual(creditsOf(await account.expect(200).put(`${path}/add`, { credits: 7, msgType: 2 })), [30, 7])
  assert.deepEqual(creditsOf(await account.expect(200).get('/users/credits')), [70, 93])
  assert.deepEqual(creditsOf(await account.expect(200).put(`${path}/remove`, { credits: 10, msgType: 1 })), [20, 7])
  assert.deepEqual(creditsOf(await account.expect(200).get('/users/credits')), [80, 93])
  assert.deepEqual(creditsOf(await child.expect(200).get('/users/credits')), [20, 7])
  assert.deepEqual(creditsOf(await account.expect(200).get(path)), [20, 7])
  await assertLedgerHolds(pool)
})

test('too few credits are a 402 that tells how many are missing, and nothing moves', async (t) => {
  const { newAccount, operator, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const child = await account.newSubAccount({ credits: 10 })
  const path = `/subaccount/${child.id}/credits`
  const add = await account.expect(402).put(`${path}/add`, { credits: 91 })
  assert.equal(add.body.code, 'insufficient_credits')
  assert.deepEqual(add.body.details, [{ required: 91, remaining: 90, missing: 1 }])
  const remove = await account.expect(402).put(`${path}/remove`, { credits: 11 })
  assert.deepEqual(remove.body.details, [{ required: 11, remaining: 10, missing: 1 }])
  const withdraw = await operator.expect(402).put(`/accounts/${account.id}/credits`, { credits: -91 })
  assert.deepEqual(withdraw.body.details, [{ required: 91, remaining: 90, missing: 1 }])
  assert.deepEqual(creditsOf(await account.expect(200).get('/users/credits')), [90, 100])
  assert.deepEqual(creditsOf(await account.expect(200).get(path)), [10, 0])
  await assertLedgerHolds(pool)
})

test('only positive whole numbers of a known type are moved', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const child = await account.newSubAccount()
  const bad: unknown[] = [
    {},
    { credits: 0 },
    { credits: -5 },
    { credits: 1.5 },
    { credits: '5' },
    { credits: true },
    { credits: null },
    { credits: 1e18 },
    { credits: 5, msgType: 3 },
    { credits: 5, msgType: '1' },
    [5]
  ]
  for (const body of bad) {
    for (const direction of ['add', 'remove']) {
      await account.expect(400).put(`/subaccount/${child.id}/credits/${direction}`, body)
    }
  }
  assert.deepEqual(creditsOf(await account.expect(200).get('/users/credits')), [100, 100])
})

test('the operator brings credits in and takes them out', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const account = await newAccount()
  const path = `/accounts/${account.id}/credits`
  assert.deepEqual(creditsOf(await operator.expect(200).put(path, { credits: 500 })), [500, 0])
  assert.deepEqual(creditsOf(await operator.expect(200).put(path, { credits: -200 })), [300, 0])
  assert.deepEqual(creditsOf(await operator.expect(200).put(path, { credits: 5, msgType: 2 })), [300, 5])
  await operator.expect(400).put(path, { credits: 0 })
  await operator.expect(404).put('/accounts/999999/credits', { credits: 5 })
  await assertLedgerHolds(pool)
})

/** On a busy machine some of two hundred wait too long for a connection. They are told to ask again, and nothing has happened. */
async function askAgain<A extends { status: number }>(ask: () => Promise<A>): Promise<A> {
  const answer = await ask()
  return answer.status === 503 ? askAgain(ask) : answer
}

test('two hundred that want the last hundred credits at once: one hundred get them', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const children = await Promise.all([account.newSubAccount(), account.newSubAccount()])
  const moves = Array.from({ length: 200 }, (_, index) =>
    askAgain(() => account.put(`/subaccount/${children[index % 2]?.id}/credits/add`, { credits: 1 }))
  )
  const statuses = (await Promise.all(moves)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 100)
  assert.equal(statuses.filter((status) => status === 402).length, 100)
  assert.deepEqual(creditsOf(await account.expect(200).get('/users/credits')), [0, 100])
  await assertLedgerHolds(pool)
})

test('transfers in both directions at once never deadlock', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 1000 })
  const child = await account.newSubAccount({ credits: 500 })
  const moves = Array.from({ length: 200 }, (_, index) =>
    askAgain(() => account.put(`/subaccount/${child.id}/credits/${index % 2 ? 'add' : 'remove'}`, { credits: 3 }))
  )
  for (const { status } of await Promise.all(moves)) assert.equal(status, 200)
  assert.deepEqual(creditsOf(await account.expect(200).get('/users/credits')), [500, 1000])
  await assertLedgerHolds(pool)
})

test('the history tells every change with its reason, newest first, and a sub-account nothing of its parent', async (t) => {
  const { operator, newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const child = await account.newSubAccount({ credits: 30 })
  await account.expect(200).put(`/subaccount/${child.id}/credits/remove`, { credits: 5 })
  await operator.expect(200).put(`/accounts/${account.id}/credits`, { credits: -15 })
  const { body } = await account.expect(200).get('/users/credits/history?limit=3&msgType=1')
  const brief = (entry: Record<string, unknown>) => [
    entry.id,
    entry.reason,
    entry.amount,
    entry.balance,
    entry.subaccount_id
  ]
  assert.deepEqual(body.items.map(brief), [
    [4, 'withdrawal', -15, 60, null],
    [3, 'transfer', 5, 75, child.id],
    [2, 'transfer', -30, 70, child.id]
  ])
  assert.deepEqual(body.meta, { itemCount: 3, totalItems: 4, itemsPerPage: 3, totalPages: 2, currentPage: 1 })
  const last = await account.expect(200).get('/users/credits/history?limit=3&page=2&msgType=1')
  assert.deepEqual(last.body.items.map(brief), [[1, 'issue', 100, 100, null]])
  assert.deepEqual((await account.expect(200).get('/users/credits/history?limit=3&page=3&msgType=1')).body.items, [])

  // Without a type, of both: the RCS credits were issued after the SMS credits, and before the rest.
  const typed = ({ msgType, id }: { msgType: number; id: number }) => [msgType, id]
  const all: number[][] = []
  for (const page of [1, 2, 3]) {
    const answer = await account.expect(200).get(`/users/credits/history?limit=2&page=${page}`)
    assert.equal(answer.body.meta.totalItems, 5)
    all.push(...answer.body.items.map(typed))
  }
  assert.deepEqual(all, [
    [1, 4],
    [1, 3],
    [1, 2],
    [2, 1],
    [1, 1]
  ])

  const own = await child.expect(200).get('/users/credits/history')
  assert.deepEqual(own.body.items.map(brief), [
    [2, 'transfer', -5, 25, null],
    [1, 'transfer', 30, 30, null]
  ])
  const seen = await account.expect(200).get(`/subaccount/${child.id}/credits/history`)
  assert.deepEqual(seen.body.items.map(brief), own.body.items.map(brief))
  assert.deepEqual((await child.expect(200).get('/users/credits/history?msgType=2')).body.items, [])
})
