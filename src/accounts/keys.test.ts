import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import type { ApiClient } from '../../test/service/api-client.ts'
import { addPerson } from '../../test/service/people.ts'
import { startService, type TestService, test } from '../../test/service/service.ts'
import { areNetworksWithin, readNetwork } from './key-networks.ts'

const READ = { name: 'Shop', scopes: ['read'] }

const withKey = ({ anonymous }: Pick<TestService, 'anonymous'>, apikey: string): ApiClient =>
  anonymous.as({ 'x-api-key': apikey })

test('a key does what its scopes say, is shown once, and ends when it is deleted', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const { body: made } = await account.expect(200).post('/keys', { ...READ, scopes: ['read', 'contacts'] })
  assert.equal(made.appId, account.appId)
  const key = withKey(service, made.apikey)
  await key.expect(200).get('/users/credits')
  await key.expect(200).post('/contactlists', { name: 'Clients' })
  await key.expect(403).post('/messages/sms', { recipients: ['0639980001'], content: 'Bonjour' })
  await key.expect(403).get('/keys')
  await service.anonymous.as({ 'x-api-key': made.apikey, 'x-app-id': made.appId }).expect(200).get('/users/me')
  await service.anonymous.as({ 'x-api-key': made.apikey, 'x-app-id': 'another' }).expect(401).get('/users/me')

  const { body: keys, text } = await account.expect(200).get('/keys')
  assert.deepEqual(
    keys.map(({ name, is_first }: { name: string; is_first: boolean }) => [name, is_first]),
    [
      ['Shop', false],
      ['First key', true]
    ]
  )
  assert.ok(!text.includes(made.apikey))
  await account.expect(200).put(`/keys/${made.id}`, { scopes: ['read'] })
  await key.expect(403).post('/contactlists', { name: 'Others' })
  await account.expect(200).delete(`/keys/${made.id}`)
  await key.expect(401).get('/users/credits')
  await account.expect(404).delete(`/keys/${made.id}`)
  await account.expect(200).get('/users/credits')
})

test('a key works from its networks only, until it expires, and says when it was last used', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const { body: here } = await account.expect(200).post('/keys', { ...READ, addresses: ['127.0.0.0/8', '::1'] })
  const { body: elsewhere } = await account.expect(200).post('/keys', { ...READ, addresses: ['192.0.2.0/24'] })
  await withKey(service, here.apikey).expect(200).get('/users/me')
  const { body } = await withKey(service, elsewhere.apikey).expect(403).get('/users/me')
  assert.equal(body.error, 'This key can’t be used from this address.')
  await account.expect(200).put(`/keys/${elsewhere.id}`, { addresses: [] })
  await withKey(service, elsewhere.apikey).expect(200).get('/users/me')

  const soon = new Date(Date.now() + 1_500).toISOString()
  const { body: short } = await account.expect(200).post('/keys', { ...READ, expires_at: soon })
  await withKey(service, short.apikey).expect(200).get('/users/me')
  await eventually(async () => assert.equal((await withKey(service, short.apikey).get('/users/me')).status, 401))
  assert.ok(Date.now() >= Date.parse(soon))
  await account.expect(409).post(`/keys/${short.id}/rotate`, {})
  await account.expect(200).put(`/keys/${short.id}`, { expires_at: null })
  await withKey(service, short.apikey).expect(200).get('/users/me')
  await service.pool`update api_keys set last_used_at = '2026-01-02 03:04:05Z' where id = ${here.id}`
  const { body: keys } = await account.expect(200).get('/keys')
  assert.equal(keys.find(({ id }: { id: number }) => id === here.id).last_used_at, '2026-01-02T03:04:05.000Z')
})

test('a key is rotated with an overlap: both secrets work until it is over, and the first pair can be rotated like others', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const { body: made } = await account.expect(200).post('/keys', READ)
  const { body: rotated } = await account.expect(200).post(`/keys/${made.id}/rotate`, { overlap_seconds: 3_600 })
  assert.equal(rotated.id, made.id)
  assert.ok(Date.parse(rotated.previous_valid_until) > Date.now() + 3_000_000)
  for (const apikey of [made.apikey, rotated.apikey]) await withKey(service, apikey).expect(200).get('/users/me')
  await withKey(service, made.apikey).expect(403).get('/keys')

  const { body: again } = await account.expect(200).post(`/keys/${made.id}/rotate`, { overlap_seconds: 60 })
  await withKey(service, made.apikey).expect(401).get('/users/me')
  await withKey(service, rotated.apikey).expect(200).get('/users/me')
  await service.pool`update api_keys set expires_at = now() where replaced_by = ${made.id}`
  await service.pool`select pg_notify('callers_changed', ${`account ${account.id}`})`
  await eventually(async () => assert.equal((await withKey(service, rotated.apikey).get('/users/me')).status, 401))
  const { body: last } = await account.expect(200).post(`/keys/${made.id}/rotate`, {})
  assert.equal(last.previous_valid_until, null)
  await withKey(service, again.apikey).expect(401).get('/users/me')
  await withKey(service, last.apikey).expect(200).get('/users/me')

  const { body: keys } = await account.expect(200).get('/keys')
  const first = keys.find(({ is_first }: { is_first: boolean }) => is_first)
  const { body: renewed } = await account.expect(200).post(`/keys/${first.id}/rotate`, { overlap_seconds: 60 })
  for (const apikey of [account.apiKey, renewed.apikey]) await withKey(service, apikey).expect(200).get('/keys')
})

test('a new first key ends the secret of an earlier rotation as well, whether the account or its parent makes it', async (t) => {
  const service = await startService(t)
  const parent = await service.newAccount()
  const own = (key: string) => withKey(service, key).expect(200).post('/users/apikey/rotate', {})
  const sub = await parent.newSubAccount()
  const fromAbove = () => parent.expect(200).post(`/subaccount/${sub.id}/key`, {})
  for (const [account, renew] of [
    [sub, fromAbove],
    [parent, own]
  ] as const) {
    const { body: keys } = await account.expect(200).get('/keys')
    const { body: rotated } = await account.expect(200).post(`/keys/${keys[0].id}/rotate`, { overlap_seconds: 3_600 })
    await account.expect(200).get('/users/me')
    const { body: renewed } = await renew(rotated.apikey)
    for (const old of [account.apiKey, rotated.apikey]) await withKey(service, old).expect(401).get('/users/me')
    await withKey(service, renewed.apikey).expect(200).get('/users/me')
  }
})

test('what is changed of a key holds for its old secret too, while both work', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const { body: made } = await account.expect(200).post('/keys', { name: 'Shop', scopes: ['read', 'contacts'] })
  await account.expect(200).post(`/keys/${made.id}/rotate`, { overlap_seconds: 3_600 })
  const old = withKey(service, made.apikey)
  await old.expect(200).get('/users/me')
  const soon = new Date(Date.now() + 60_000).toISOString()
  await account.expect(200).put(`/keys/${made.id}`, { scopes: ['contacts'], expires_at: soon })
  await old.expect(403).get('/users/credits')
  await account.expect(200).put(`/keys/${made.id}`, { addresses: ['192.0.2.0/24'], expires_at: null })
  await old.expect(403).get('/contactlists')
  const { body: keys } = await account.expect(200).get('/keys')
  const replaced = keys.find(({ replaced_by: by }: { replaced_by: number | null }) => by === made.id)
  assert.deepEqual([replaced.scopes, replaced.addresses, replaced.expires_at], [['contacts'], ['192.0.2.0/24'], soon])
})

test('a key can’t give more than it has: scopes, networks, expiry', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const { body: made } = await account.expect(200).post('/keys', {
    name: 'Limited',
    scopes: ['people', 'read'],
    addresses: ['127.0.0.0/8'],
    expires_at: later
  })
  const key = withKey(service, made.apikey)
  const fine = { name: 'Below', scopes: ['read'], addresses: ['127.0.0.1'], expires_at: later }
  const { body: below } = await key.expect(200).post('/keys', fine)
  for (const more of [
    { scopes: ['send'] },
    { addresses: [] },
    { addresses: ['0.0.0.0/0'] },
    { expires_at: null },
    { expires_at: new Date(Date.now() + 7_200_000).toISOString() }
  ]) {
    await key.expect(403).post('/keys', { ...fine, ...more })
    await key.expect(403).put(`/keys/${below.id}`, more)
  }
  const { body: keys } = await account.expect(200).get('/keys')
  assert.equal(keys.length, 3)
  const first = keys.find(({ is_first }: { is_first: boolean }) => is_first)
  await key.expect(403).post(`/keys/${first.id}/rotate`, {})
  // Nor by another way: a first key, a person with a role, the first key of a sub-account.
  const sub = await account.newSubAccount()
  const reader = await addPerson(service, { accountId: account.id, role: 'reader' })
  await key.expect(403).post('/users/apikey/rotate', {})
  await key.expect(403).post(`/subaccount/${sub.id}/key`)
  await key.expect(403).put(`/people/${reader.id}`, { role: 'owner' })
  await key.expect(403).post('/people/invitations', { email: 'evil@test.example', role: 'owner' })
  assert.deepEqual((await account.get('/people/invitations')).body, [])
  await sub.expect(200).get('/users/me')
  await account.expect(200).get('/keys')
})

test('wrong keys are refused, and nothing changes', async (t) => {
  const { newAccount } = await startService(t)
  const [account, stranger] = [await newAccount(), await newAccount()]
  const cases: [object, string][] = [
    [{ ...READ, addresses: ['10.0.0.0/33'] }, 'addresses[0]'],
    [{ ...READ, addresses: ['127.0.0.1', 'office'] }, 'addresses[1]'],
    [{ ...READ, addresses: ['2001:db8::/129'] }, 'addresses[0]'],
    [{ ...READ, scopes: [] }, 'scopes'],
    [{ ...READ, scopes: ['admin'] }, 'scopes[0]'],
    [{ ...READ, name: '' }, 'name'],
    [{ ...READ, name: '   ' }, 'name'],
    [{ ...READ, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at']
  ]
  for (const [body, path] of cases) {
    const { body: answer } = await account.expect(400).post('/keys', body)
    assert.equal(answer.details[0].path, path)
  }
  const { body: keys } = await account.expect(200).get('/keys')
  assert.equal(keys.length, 1)
  await account.expect(409).delete(`/keys/${keys[0].id}`)
  await account.expect(409).put(`/keys/${keys[0].id}`, { scopes: ['read'] })
  await account.expect(400).post(`/keys/${keys[0].id}/rotate`, { overlap_seconds: 604_801 })
  for (const method of ['put', 'delete'] as const) await stranger.expect(404)[method](`/keys/${keys[0].id}`, {})
  for (let count = 1; count < 20; count++) await account.expect(200).post('/keys', READ)
  const { body } = await account.expect(409).post('/keys', READ)
  assert.match(body.error, /at most 20 keys/)
})

test('networks are read as they are written', () => {
  assert.deepEqual(readNetwork('192.0.2.0/24'), { address: '192.0.2.0', family: 'ipv4', bits: 24 })
  assert.deepEqual(readNetwork('2001:db8::/32'), { address: '2001:db8::', family: 'ipv6', bits: 32 })
  assert.deepEqual(readNetwork('192.0.2.7'), { address: '192.0.2.7', family: 'ipv4', bits: 32 })
  for (const text of ['', '10.0.0.0/', '10.0.0/8', '10.0.0.0/8/8', '::ffff:10.0.0.1', 'fe80::1%eth0', '10.0.0.0/-1']) {
    assert.equal(readNetwork(text), undefined, text)
  }
  assert.ok(areNetworksWithin(['10.1.0.0/16'], ['10.0.0.0/8']))
  assert.ok(!areNetworksWithin(['10.0.0.0/7'], ['10.0.0.0/8']))
  assert.ok(!areNetworksWithin(['::1'], ['0.0.0.0/0']))
})
