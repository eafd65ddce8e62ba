import { strict as assert } from 'node:assert'
import { startService, test } from '../../test/service/service.ts'

const PERSON = {
  email: 'lea@test.example',
  firstName: 'Léa',
  lastName: 'Martin',
  phoneNumber: '06 39 98 00 01',
  password: 'a long enough one',
  social_reason: 'Boutique Martin',
  credits_mode: 'self'
}

test('a sub-account is made with all its fields, camelCase in and snake_case out, and can be used at once', async (t) => {
  const { operator, anonymous } = await startService(t)
  const { body } = await operator.expect(200).post('/subaccount', PERSON)
  const { subaccount_id: id, appId, apikey } = body
  assert.deepEqual(body, {
    subaccount_id: id,
    email: 'lea@test.example',
    social_reason: 'Boutique Martin',
    phone_number: '+33639980001',
    first_name: 'Léa',
    last_name: 'Martin',
    credits_mode: 'self',
    appId,
    apikey
  })
  assert.ok(Number.isInteger(id))
  const pair = anonymous.as({ 'x-app-id': appId, 'x-api-key': apikey })
  const credits = await pair.expect(200).get('/users/credits')
  assert.deepEqual(
    credits.body.map((record: { credits: number }) => record.credits),
    [0, 0]
  )
  await anonymous.expect(200).post('/auth/login', { email: PERSON.email, password: PERSON.password })

  const { body: details } = await operator.expect(200).get(`/subaccount/${id}`)
  const { appId: _appId, apikey: _apikey, ...shown } = body
  assert.deepEqual(details, { ...shown, created_at: details.created_at })
  const { body: user } = await operator.expect(200).get(`/subaccount/${id}/user`)
  assert.deepEqual(user, {
    id,
    email: 'lea@test.example',
    first_name: 'Léa',
    last_name: 'Martin',
    phone_number: '+33639980001',
    social_reason: 'Boutique Martin',
    time_zone: 'Europe/Paris',
    country: 'FR',
    created_at: details.created_at,
    last_login_at: user.last_login_at
  })
  assert.ok(Date.parse(user.last_login_at) > Date.now() - 60_000)
})

test('only email and password are needed', async (t) => {
  const { operator } = await startService(t)
  const { body } = await operator.expect(200).post('/subaccount', { email: 'a@test.example', password: '12345678' })
  assert.deepEqual(
    [body.first_name, body.last_name, body.phone_number, body.social_reason, body.credits_mode],
    ['', '', '', '', 'self']
  )
})

test('an email that is taken, in any case and by any account, is a 409 and makes nothing', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const account = await newAccount()
  await operator.expect(200).post('/subaccount', PERSON)
  for (const email of ['lea@test.example', 'LEA@test.example', account.email, operator.email]) {
    const { body } = await account.expect(409).post('/subaccount', { ...PERSON, email })
    assert.equal(body.code, 'state_conflict')
  }
  const [row] = await pool<[{ count: number }]>`select count(*) from accounts`
  assert.equal(row.count, 3)
})

test('of ten that ask for the same email at once, one gets it', async (t) => {
  const { operator } = await startService(t)
  const answers = await Promise.all(Array.from({ length: 10 }, () => operator.post('/subaccount', PERSON)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
})

test('fields out of bounds are refused', async (t) => {
  const { operator } = await startService(t)
  const bad: Record<string, unknown>[] = [
    { email: 'no at sign' },
    { email: `${'a'.repeat(250)}@test.example` },
    { password: '1234567' },
    { password: 'x'.repeat(129) },
    { firstName: 'x'.repeat(256) },
    { lastName: 7 },
    { phoneNumber: 'not a number' },
    { phoneNumber: '123' },
    { social_reason: ['x'] },
    { credits_mode: 'shared' }
  ]
  for (const fields of bad) {
    const { status, body } = await operator.post('/subaccount', { ...PERSON, ...fields })
    assert.equal(status, 400, JSON.stringify(fields))
    assert.equal(body.details[0].path, Object.keys(fields)[0])
  }
  assert.deepEqual((await operator.expect(200).get('/subaccount')).body, [])
})

test('a sub-account can’t have sub-accounts', async (t) => {
  const { operator } = await startService(t)
  const child = await operator.newSubAccount()
  const { body } = await child.expect(403).post('/subaccount', PERSON)
  assert.equal(body.code, 'forbidden')
  assert.deepEqual((await child.expect(200).get('/subaccount')).body, [])
})

test('sub-accounts are listed newest first, whole and by pages, from either end', async (t) => {
  const { operator } = await startService(t)
  const ids: number[] = []
  for (let index = 0; index < 7; index++) ids.unshift((await operator.newSubAccount()).id)
  const idsOf = (records: { subaccount_id: number }[]) => records.map((record) => record.subaccount_id)
  assert.deepEqual(idsOf((await operator.expect(200).get('/subaccount')).body), ids)
  assert.deepEqual(idsOf((await operator.expect(200).get('/subaccount/paginate')).body.items), ids)
  const pages = [
    [0, 3],
    [3, 6],
    [6, 7],
    [7, 7]
  ].map(([from, to]) => ids.slice(from, to))
  for (const [index, expected] of pages.entries()) {
    const { body } = await operator.expect(200).get(`/subaccount/paginate?page=${index + 1}&limit=3`)
    assert.deepEqual(idsOf(body.items), expected)
    assert.deepEqual(body.meta, {
      itemCount: expected.length,
      totalItems: 7,
      itemsPerPage: 3,
      totalPages: 3,
      currentPage: index + 1
    })
  }
  for (const query of ['page=0', 'page=-1', 'page=x', 'page=1.5', 'limit=0', 'limit=1001', 'limit=', 'page=1&page=2']) {
    await operator.expect(400).get(`/subaccount/paginate?${query}`)
  }
  await operator.expect(200).get('/subaccount/paginate?limit=1000&unknown=x')
})

test('another account’s sub-accounts are a 404, never a hint', async (t) => {
  const { operator, newAccount } = await startService(t)
  const [account, stranger] = [await newAccount({ credits: 100 }), await newAccount({ credits: 100 })]
  const child = await account.newSubAccount({ credits: 10 })
  const sibling = await account.newSubAccount()
  const absent = 999_999
  for (const asking of [stranger, sibling, child, operator]) {
    for (const id of [child.id, account.id, absent]) {
      const answers = [
        await asking.get(`/subaccount/${id}`),
        await asking.get(`/subaccount/${id}/user`),
        await asking.get(`/subaccount/${id}/credits`),
        await asking.get(`/subaccount/${id}/credits/history`),
        await asking.put(`/subaccount/${id}/credits/add`, { credits: 1 }),
        await asking.put(`/subaccount/${id}/credits/remove`, { credits: 1 }),
        await asking.put(`/subaccount/${id}/credits/mode`, { credits_mode: 'parent' })
      ]
      for (const { status, body } of answers) {
        assert.deepEqual([status, body.error], [404, 'There is no such sub-account.'])
      }
    }
  }
  const { body } = await account.expect(200).get(`/subaccount/${child.id}/credits`)
  assert.equal(body[0].credits, 10)
})

test('the mode is changed by the parent alone', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 50 })
  const child = await account.newSubAccount({ credits: 5 })
  const { body } = await account.expect(200).put(`/subaccount/${child.id}/credits/mode`, { credits_mode: 'parent' })
  assert.equal(body.credits_mode, 'parent')
  assert.equal((await child.expect(200).get('/users/me')).body.credits_mode, 'parent')
  assert.equal((await child.expect(200).get('/users/credits')).body[0].credits, 45, 'it sees what it can spend')
  assert.equal((await account.expect(200).get(`/subaccount/${child.id}/credits`)).body[0].credits, 5, 'its own stay')
  await account.expect(400).put(`/subaccount/${child.id}/credits/mode`, { credits_mode: 'both' })
  await account.expect(200).put(`/subaccount/${child.id}/credits/mode`, { credits_mode: 'self' })
  assert.equal((await child.expect(200).get('/users/credits')).body[0].credits, 5)
})

test('an account has as many sub-accounts as the setting allows, also when they are made at once', async (t) => {
  const { operator, newAccount } = await startService(t, { settings: { CHAPPE_SUB_ACCOUNTS_MAX: '2' } })
  const account = await newAccount()
  const people = Array.from({ length: 5 }, (_, index) => ({ ...PERSON, email: `person${index}@cap.example` }))
  const answers = await Promise.all(people.map((person) => account.post('/subaccount', person)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409])
  const { body } = await account.expect(409).post('/subaccount', { ...PERSON, email: 'another@cap.example' })
  assert.equal(body.code, 'state_conflict')
  assert.equal(body.error, 'An account may have at most 2 sub-accounts; the operator can allow more.')
  assert.equal((await account.expect(200).get('/subaccount')).body.length, 2)
  await operator.expect(200).post('/subaccount', { ...PERSON, email: 'elsewhere@cap.example' })
})

test('that an email is taken is told 20 times an hour; then every email is a 429, from a sub-account too', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const [account, other] = [await newAccount(), await newAccount()]
  const child = await account.newSubAccount()
  const key = { 'idempotency-key': 'once' }
  const once = await account.expect(200).post('/subaccount', PERSON, key)
  const tryEmail = (email: string) => account.post('/subaccount', { ...PERSON, email })
  for (let times = 0; times < 19; times++) assert.equal((await tryEmail(other.email)).status, 409)
  const own = { email: child.email.toUpperCase(), current_password: child.password }
  await child.expect(200).put('/users/me', own)
  await child.expect(409).put('/users/me', { ...own, email: operator.email })

  for (const email of [other.email, 'free@test.example']) {
    const { status, headers, body } = await tryEmail(email)
    const seconds = Number(headers.get('retry-after'))
    assert.deepEqual([status, body.code], [429, 'rate_limited'])
    assert.ok(seconds > 3_500 && seconds <= 3_600, `retry-after ${seconds}`)
  }
  await child.expect(429).put('/users/me', { ...own, email: 'free@test.example' })
  await child.expect(200).put('/users/me', { first_name: 'Zoé' })
  const again = await account.expect(200).post('/subaccount', PERSON, key)
  assert.equal(again.text, once.text, 'a repeat gets its first answer')
  await other.expect(409).post('/subaccount', { ...PERSON, email: account.email })
  await pool`update attempts set ends_at = ends_at - interval '1 hour'`
  assert.equal((await tryEmail(other.email)).status, 409)
  assert.equal((await tryEmail('free@test.example')).status, 200)
})
