import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import type { ApiClient } from '../../test/service/api-client.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'

const UNPAID = { standing: 'suspended', reason: 'The invoice of October is unpaid.' }
const OPEN = { standing: 'open' }
const SENTENCE = 'The account is suspended: The invoice of October is unpaid.'

/** Processes learn of a change within a second. */
const untilStatus = (client: ApiClient, status: number) =>
  eventually(async () => assert.equal((await client.get('/users/me')).status, status), { everyMs: 5 })

const withKey = ({ apiKey }: TestAccount) => ({ 'x-api-key': apiKey })

test('a suspended account can’t log in, its keys, tokens and sub-accounts are refused with the reason, until it is resumed', async (t) => {
  const { operator, anonymous, newAccount } = await startService(t)
  const account = await newAccount()
  const below = await account.newSubAccount()
  const { body: session } = await anonymous.expect(200).post('/auth/login', account)
  const person = anonymous.as({ authorization: `Bearer ${session.token}` })
  await person.expect(200).get('/users/me')
  await below.expect(200).get('/users/me')

  const { body } = await operator.expect(200).put(`/accounts/${account.id}/standing`, UNPAID)
  assert.deepEqual(body, { id: account.id, ...UNPAID, since: body.since })
  for (const client of [account, below, person]) {
    await untilStatus(client, 403)
    const { body } = await client.expect(403).get('/users/me')
    assert.deepEqual([body.code, body.error], ['account_suspended', SENTENCE])
  }
  for (const { email, password } of [account, below]) {
    const { body } = await anonymous.expect(403).post('/auth/login', { email, password })
    assert.equal(body.error, SENTENCE)
  }
  await anonymous.expect(401).post('/auth/login', { email: account.email, password: 'a wrong password' })

  await operator.expect(200).put(`/accounts/${account.id}/standing`, OPEN)
  for (const client of [account, below, person]) await untilStatus(client, 200)
  await anonymous.expect(200).post('/auth/login', account)
})

test('every process refuses a suspended account, also one that the notice did not reach, and lets a resumed one in', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount()
  const there = peer.anonymous.as(withKey(account))
  const path = `/accounts/${account.id}/standing`
  const untilStatus = async (status: number) => {
    const startedMs = performance.now()
    await eventually(async () => assert.equal((await there.get('/users/me')).status, status), { everyMs: 5 })
    return Math.round(performance.now() - startedMs)
  }
  await there.expect(200).get('/users/me')
  await service.operator.expect(200).put(path, UNPAID)
  t.diagnostic(`the other process refuses it after ${await untilStatus(403)} ms`)
  await service.operator.expect(200).put(path, OPEN)
  t.diagnostic(`the other process lets it in after ${await untilStatus(200)} ms`)
  // Without a notice.
  await service.pool`update accounts set standing = 'suspended' where id = ${account.id}`
  t.diagnostic(`the other process refuses it without a notice after ${await untilStatus(403)} ms`)
  await service.pool`update accounts set standing = 'open' where id = ${account.id}`
  t.diagnostic(`the other process lets it in without a notice after ${await untilStatus(200)} ms`)
})

test('requests that wait for events end when their account is suspended', async (t) => {
  const { operator, url, newAccount } = await startService(t)
  const account = await newAccount()
  const stream = await fetch(`${url}/events/stream`, { headers: withKey(account) })
  const poll = fetch(`${url}/events?wait=30`, { headers: withKey(account) })
  assert.equal(stream.status, 200)
  await operator.expect(200).put(`/accounts/${account.id}/standing`, UNPAID)
  await stream.text()
  await (await poll).text()
})

test('a parent suspends its own sub-accounts only, and can’t undo what the operator decided', async (t) => {
  const { operator, newAccount } = await startService(t)
  const [parent, stranger] = [await newAccount(), await newAccount()]
  const below = await parent.newSubAccount()
  const path = `/subaccount/${below.id}/standing`
  await stranger.expect(404).put(path, UNPAID)
  await below.expect(404).put(`/subaccount/${parent.id}/standing`, UNPAID)
  await parent.expect(403).put(`/accounts/${below.id}/standing`, UNPAID)
  await below.expect(200).get('/users/me')

  await parent.expect(200).put(path, UNPAID)
  await untilStatus(below, 403)
  await parent.expect(200).get('/users/me')
  await parent.expect(200).put(path, OPEN)
  await untilStatus(below, 200)

  await operator.expect(200).put(`/accounts/${below.id}/standing`, UNPAID)
  const { body } = await parent.expect(409).put(path, OPEN)
  assert.equal(body.error, 'The operator has suspended this sub-account, and only the operator can change that.')
  await untilStatus(below, 403)
  await operator.expect(200).put(`/accounts/${below.id}/standing`, OPEN)
  await untilStatus(below, 200)
})

test('a standing without a reason, one that does not exist and the operator’s own account are refused, and nothing changes', async (t) => {
  const { operator, newAccount } = await startService(t)
  const account = await newAccount()
  const path = `/accounts/${account.id}/standing`
  const { body: without } = await operator.expect(400).put(path, { standing: 'suspended' })
  assert.equal(without.details[0].path, 'reason')
  await operator.expect(400).put(path, { standing: 'suspended', reason: '  ' })
  const { body: unknown } = await operator.expect(400).put(path, { standing: 'paused', reason: 'x' })
  assert.equal(unknown.details[0].path, 'standing')
  await operator.expect(409).put(`/accounts/${operator.id}/standing`, UNPAID)
  await operator.expect(404).put('/accounts/999999/standing', UNPAID)
  await account.expect(200).get('/users/me')
  await operator.expect(200).get('/users/me')
})
