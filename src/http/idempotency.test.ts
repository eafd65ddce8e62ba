import { strict as assert } from 'node:assert'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { ApiClient } from '../../test/service/api-client.ts'
import { addPerson, PASSWORD } from '../../test/service/people.ts'
import { startService, test } from '../../test/service/service.ts'
import { createHmacWith, deriveFrom } from './hmac.ts'
import { inOrder } from './idempotency.ts'

const PERSON = { email: 'once@test.example', password: 'long enough' }

test('the same key with the same body gets the first answer again, byte for byte, and does nothing twice', async (t) => {
  const { operator, pool } = await startService(t)
  const key = { 'idempotency-key': 'order-1' }
  const first = await operator.expect(200).post('/subaccount', PERSON, key)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  const again = await operator.expect(200).post('/subaccount', PERSON, key)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
  const spaced = JSON.stringify(PERSON, null, 4)
  assert.equal((await operator.expect(200).post('/subaccount', spaced, key)).text, first.text)
  const reordered = JSON.stringify({ password: PERSON.password, email: PERSON.email })
  assert.equal((await operator.expect(200).post('/subaccount', reordered, key)).text, first.text)
  const [row] = await pool<[{ count: number }]>`select count(*) from accounts`
  assert.equal(row.count, 2)
})

test('a body is the same in any order of its names, and no other body is', () => {
  const sortNames = (_name: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (body) =>
      assert.equal(JSON.stringify(inOrder(body)), JSON.stringify(body, sortNames))
    )
  )
  const turned =
    '[{"b": {"d": 1, "10": 2}, "a": 3}, {"a": 3, "b": {"10": 2, "d": 1}}, {"b": 0, "__proto__": 1, "9": 2}]'
  const ordered = '[{"a":3,"b":{"10":2,"d":1}},{"a":3,"b":{"10":2,"d":1}},{"9":2,"__proto__":1,"b":0}]'
  assert.equal(JSON.stringify(inOrder(JSON.parse(turned))), ordered)
})

test('the same key with another body, or on another operation, is a 409', async (t) => {
  const { operator } = await startService(t)
  const key = { 'idempotency-key': 'order-1' }
  await operator.expect(200).post('/subaccount', PERSON, key)
  const other = await operator.expect(409).post('/subaccount', { ...PERSON, email: 'other@test.example' }, key)
  assert.equal(other.body.code, 'state_conflict')
  await operator.expect(409).post('/users/apikey/rotate', undefined, key)
  await operator.expect(409).post('/accounts', PERSON, key)
})

test('of parallel repeats one does the work; the others get its answer or a 409', async (t) => {
  const { operator, pool } = await startService(t)
  const key = { 'idempotency-key': 'order-1' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => operator.post('/subaccount', PERSON, key)))
  const done = answers.filter(({ status }) => status === 200)
  assert.ok(done.length >= 1)
  assert.equal(done.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1)
  for (const { status, body } of answers) {
    if (status !== 200) assert.deepEqual([status, body.code], [409, 'state_conflict'])
  }
  const [row] = await pool<[{ count: number }]>`select count(*) from accounts`
  assert.equal(row.count, 2)
})

test('a refusal is not kept: the repeat is tried anew', async (t) => {
  const { operator, newAccount } = await startService(t)
  const account = await newAccount()
  const child = await account.newSubAccount()
  const key = { 'idempotency-key': 'top-up' }
  const path = `/subaccount/${child.id}/credits/add`
  await account.expect(402).put(path, { credits: 5 }, key)
  await operator.expect(200).put(`/accounts/${account.id}/credits`, { credits: 20 })
  await account.expect(200).put(path, { credits: 5 }, key)
  const { body } = await account.expect(200).put(path, { credits: 5 }, key)
  assert.equal(body[0].credits, 5, 'moved once')
})

test('keys belong to an account: another one may use the same', async (t) => {
  const { newAccount } = await startService(t)
  const [one, two] = [await newAccount(), await newAccount()]
  const key = { 'idempotency-key': 'order-1' }
  const first = await one.expect(200).post('/subaccount', PERSON, key)
  const second = await two.expect(200).post('/subaccount', { ...PERSON, email: 'two@test.example' }, key)
  assert.notEqual(first.body.subaccount_id, second.body.subaccount_id)
})

test('a secret is answered again to the caller who got it, and to no other key or person of the account', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const child = await account.newSubAccount()
  const { body: weak } = await account.expect(200).post('/keys', { name: 'Weak', scopes: ['people'] })
  const { body: shop } = await account.expect(200).post('/keys', { name: 'Shop', scopes: ['read', 'send'] })
  const others = [
    service.anonymous.as({ 'x-api-key': weak.apikey }),
    await addPerson(service, { accountId: account.id, role: 'owner' })
  ]
  const requests: [path: string, body: object][] = [
    ['/keys', { name: 'Full', scopes: ['read', 'send', 'account', 'people'] }],
    [`/keys/${shop.id}/rotate`, { overlap_seconds: 60 }],
    ['/smpp/credentials', { system_id: 'platform', name: 'Platform' }],
    [`/subaccount/${child.id}/key`, {}],
    ['/people/invitations', { email: 'new@test.example', role: 'manager' }]
  ]
  for (const [path, fields] of requests) {
    const key = { 'idempotency-key': `of ${path}` }
    // A key needs no password, and a person does.
    const body = { ...fields, current_password: PASSWORD }
    const first = await account.expect(200).post(path, body, key)
    const entries = await service.pool`select from audit_entries`
    for (const other of others) {
      const answer = await other.expect(409).post(path, body, key)
      assert.match(answer.body.error, /was used for another request/, path)
    }
    const again = await account.expect(200).post(path, body, key)
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'], path)
    assert.equal((await service.pool`select from audit_entries`).length, entries.length, 'nothing was done twice')
  }
})

test('a send is answered again to any caller of the account, and not sent twice', async (t) => {
  const { anonymous, newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const { body: old } = await account.expect(200).post('/keys', { name: 'Shop', scopes: ['send'] })
  const send = { recipients: ['+33639980001'], content: 'Bonjour' }
  const key = { 'idempotency-key': 'send-1' }
  const first = await anonymous.as({ 'x-api-key': old.apikey }).expect(200).post('/messages/sms', send, key)
  const { body: rotated } = await account.expect(200).post(`/keys/${old.id}/rotate`, {})
  for (const caller of [anonymous.as({ 'x-api-key': rotated.apikey }), account]) {
    const again = await caller.expect(200).post('/messages/sms', send, key)
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'])
  }
  assert.equal((await pool`select from messages`).length, 1)
})

test('an answer that a version before stored without its caller is a 409 to everybody, unless it is a send', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const requests = [
    { path: '/keys', body: { name: 'Shop', scopes: ['send'] }, status: 409 },
    { path: '/messages/sms', body: { content: 'Bonjour', recipients: ['+33639980001'] }, status: 200 }
  ]
  for (const { path, body, status } of requests) {
    await account.expect(200).post(path, body, { 'idempotency-key': path })
    const hmac = createHmacWith('sha256', deriveFrom(path)('chappe idempotent fingerprint'))
    const before = Buffer.from(hmac(JSON.stringify(['POST', path, body]), 'hex'), 'hex')
    // What follows the hash of a send corrects the balance in its answer.
    await pool`
      update idempotent_answers
      set fingerprint = ${before} || substr(fingerprint, 33)
      where created_at = (select max(created_at) from idempotent_answers)
    `
    await account.expect(status).post(path, body, { 'idempotency-key': path })
  }
})

test('a key lasts 24 hours', async (t) => {
  const { operator, pool } = await startService(t)
  const key = { 'idempotency-key': 'order-1' }
  await operator.expect(200).post('/subaccount', PERSON, key)
  await pool`update idempotent_answers set created_at = created_at - interval '24 hours 1 second'`
  const { headers } = await operator.expect(200).post('/subaccount', { ...PERSON, email: 'b@test.example' }, key)
  assert.equal(headers.get('idempotent-replayed'), null)
})

test('a replayed secret lies nowhere in clear, nor does the key', async (t) => {
  const { operator, pool } = await startService(t)
  const { body } = await operator.expect(200).post('/subaccount', PERSON, { 'idempotency-key': 'order-secret' })
  const [row] = await pool<
    [{ answer: Buffer; all: string }]
  >`select answer, t::text as all from idempotent_answers as t`
  assert.ok(!row.answer.includes(body.apikey) && !row.answer.includes('once@test.example'))
  assert.ok(!row.all.includes(Buffer.from('order-secret').toString('hex')))
})

test('a rotated key with an Idempotency-Key ends at once too, and its repeat needs the new key', async (t) => {
  const { anonymous, newAccount } = await startService(t)
  const account = await newAccount()
  const key = { 'idempotency-key': 'rotate-1' }
  const { body } = await account.expect(200).post('/users/apikey/rotate', undefined, key)
  await account.expect(401).get('/users/me')
  const again = await anonymous
    .as({ 'x-api-key': body.apikey })
    .expect(200)
    .post('/users/apikey/rotate', undefined, key)
  assert.deepEqual(again.body, body)
})

test('log-in takes a key too, and failures with one are still counted', async (t) => {
  const { anonymous, operator } = await startService(t)
  const right = { email: operator.email, password: operator.password }
  const first = await anonymous.expect(200).post('/auth/login', right, { 'idempotency-key': 'login-1' })
  const again = await anonymous.expect(200).post('/auth/login', right, { 'idempotency-key': 'login-1' })
  assert.equal(again.body.token, first.body.token)
  for (let attempt = 0; attempt < 10; attempt++) {
    const key = { 'idempotency-key': `guess-${attempt}` }
    await anonymous.expect(401).post('/auth/login', { email: operator.email, password: 'x' }, key)
  }
  await anonymous.expect(429).post('/auth/login', right)
})

test('people who log in with the same key do not hinder each other', async (t) => {
  const { anonymous, operator, newAccount } = await startService(t)
  const account = await newAccount()
  const key = { 'idempotency-key': 'login' }
  const people = [operator, account].map(({ email, password }) => ({ email, password }))
  const firsts = await Promise.all(people.map((person) => anonymous.expect(200).post('/auth/login', person, key)))
  assert.notEqual(firsts[0]?.body.token, firsts[1]?.body.token)
  for (const [index, person] of people.entries()) {
    const again = await anonymous.expect(200).post('/auth/login', person, key)
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [firsts[index]?.text, 'true'])
  }
  await anonymous.expect(401).post('/auth/login', { email: account.email, password: 'another' }, key)
})

test('a repeat gets the first answer though the first request has used up its link, or its password', async (t) => {
  const service = await startService(t)
  const { anonymous } = service
  const account = await service.newAccount()
  async function ask(client: ApiClient, path: string, body: object): Promise<void> {
    const key = { 'idempotency-key': `of ${path}` }
    const send = (body: object) => (path === '/users/me' ? client.put(path, body, key) : client.post(path, body, key))
    const first = await send(body)
    assert.equal(first.status, 200, path)
    const again = await send(body)
    assert.deepEqual([again.status, again.text], [200, first.text], path)
    assert.equal(again.headers.get('idempotent-replayed'), 'true', path)
  }
  const hugo = { email: 'hugo@test.example', role: 'sender' }
  const { body: invited } = await account.expect(200).post('/people/invitations', hugo)
  await ask(anonymous, '/invitations/accept', { token: linkToken(invited), password: 'of hugo himself' })

  const sub = await account.newSubAccount()
  const owner = await addPerson(service, { accountId: account.id, role: 'owner' })
  const [member] = (await account.expect(200).get(`/subaccount/${sub.id}/people`)).body
  const path = `/subaccount/${sub.id}/people/${member.id}/password/reset`
  const { body: reset } = await owner.expect(200).post(path, { current_password: PASSWORD })
  await ask(anonymous, '/auth/password/reset', { token: linkToken(reset), password: 'another long one' })

  // With a key, which a new password does not end.
  await ask(account, '/users/me', { password: 'another long one', current_password: account.password })
})

/** What follows `#` in the address of a link. */
function linkToken({ link }: { link: string }): string {
  return link.split('#')[1] ?? ''
}

test('a repeat that is refused, and whose first request has no answer, is refused as before', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const owner = await addPerson(service, { accountId: account.id, role: 'owner' })
  const key = { 'idempotency-key': 'key-1' }
  const body = { name: 'Shop', scopes: ['read'] }
  const wrong = await owner.expect(400).post('/keys', { ...body, current_password: 'wrong' }, key)
  assert.equal(wrong.body.details[0].message, 'is wrong')
  await owner.expect(200).post('/keys', { ...body, current_password: PASSWORD }, key)
  await owner.expect(409).post('/keys', { ...body, current_password: 'wrong' }, key)
  await service.anonymous.expect(404).post('/invitations/accept', { token: 'x', password: 'a long enough one' }, key)
})

test('a key that is empty or too long is refused', async (t) => {
  const { operator } = await startService(t)
  await operator.expect(400).post('/subaccount', PERSON, { 'idempotency-key': 'x'.repeat(256) })
  await operator.expect(400).post('/subaccount', PERSON, { 'idempotency-key': '' })
})

test('many requests with keys at once, and log-ins among them, do not take all connections and wait for more', async (t) => {
  const { anonymous, operator } = await startService(t)
  const logins = Array.from({ length: 30 }, (_, index) =>
    anonymous.post(
      '/auth/login',
      { email: `guess${index}@x.example`, password: 'x' },
      { 'idempotency-key': `flood-${index}` }
    )
  )
  const startedAt = Date.now()
  await operator.expect(200).get('/users/me')
  assert.ok(Date.now() - startedAt < 5_000, 'others are answered meanwhile')
  for (const { status } of await Promise.all(logins)) assert.ok(status === 401 || status === 429)
})

test('what is stored of a request gives no password away to guessing', async (t) => {
  const { anonymous, operator, pool } = await startService(t)
  const body = { email: operator.email, password: operator.password }
  await anonymous.expect(200).post('/auth/login', body, { 'idempotency-key': 'login-9' })
  const [row] = await pool<[{ fingerprint: Buffer }]>`select fingerprint from idempotent_answers`
  const guess = createHash('sha256')
    .update(JSON.stringify(['POST', '/auth/login', body]))
    .digest()
  assert.ok(!row.fingerprint.equals(guess))
})
