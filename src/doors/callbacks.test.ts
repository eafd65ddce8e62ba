import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { ask, startCallbackReceiver } from '../../test/peers/callback-receiver.ts'
import { carriersFile, carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { startNode } from '../../test/processes/nodes.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { deleteOldCallbacks } from '../callbacks/callbacks.store.ts'

const DOOR = { CHAPPE_DOORS: 'kannel', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }

function sendsms({ url }: TestService, { appId, apiKey }: TestAccount, fields: Record<string, string>) {
  const all = { username: appId, password: apiKey, text: 'Bonjour', 'dlr-mask': '31', ...fields }
  return ask(`${url}/cgi-bin/sendsms?${new URLSearchParams(all)}`)
}

test('a report outlives the process that was to make it, and the next one makes it, in order', async (t) => {
  const answers = Promise.withResolvers<object>()
  let isSilent = true
  const receiver = await startCallbackReceiver(t, () => (isSilent ? answers.promise : {}))
  const smsc = await startSmsc(t)
  const carriers = await carriersFile(t, [carrierTo(smsc)])
  const settings = { ...DOOR, CHAPPE_CARRIERS: carriers.path }
  // This process dies for good between the status and the callback: it never makes any.
  const service = await startService(t, { settings: { ...settings, CHAPPE_ROLES: 'api,delivery' } })
  const account = await service.newAccount({ credits: 10 })
  await sendsms(service, account, { to: '33639980013', 'dlr-url': `${receiver.url}/?d=%d` })
  await eventually(async () => assert.equal((await service.pool`select from callback_queue`).length, 2))

  const node = await startNode(t, service, { carriersPath: carriers.path, settings: { CHAPPE_ROLES: 'webhooks' } })
  await eventually(() => assert.equal(receiver.calls.length, 1))
  node.signal('SIGKILL')
  await node.exit
  isSilent = false
  const waiting = await service.pool`select report, attempts, due_at > now() as is_held from callback_queue order by id`
  assert.deepEqual(
    [...waiting],
    [
      { report: 8, attempts: 1, isHeld: true },
      { report: 1, attempts: 0, isHeld: false }
    ]
  )
  // The minute for which the dead process holds it.
  await service.pool`update callback_queue set due_at = now()`
  await service.startPeer(t, { settings: { ...settings, CHAPPE_ROLES: 'webhooks' } })
  await eventually(async () => assert.equal((await service.pool`select from callback_queue`).length, 0))
  assert.deepEqual(
    receiver.calls.map(({ query }) => query.d),
    ['8', '8', '1'],
    'the one that got no answer comes again, and nothing overtakes it'
  )
  answers.resolve({})
})

test('cancelled, erased and closed: callbacks tell it, or are gone', async (t) => {
  const receiver = await startCallbackReceiver(t)
  const service = await startService(t, { settings: { ...DOOR, CHAPPE_ROLES: 'api,webhooks' } })
  const { pool } = service
  const account = await service.newAccount({ credits: 10 })
  const send = async (account: TestAccount, to: string, path: string) => {
    await sendsms(service, account, { to, deferred: '60', 'dlr-url': `${receiver.url}/${path}?p=%p&d=%d` })
    return (await account.expect(200).get('/messages?limit=1')).body.items[0].id
  }
  const cancelled = await send(account, '33639980013 0639980014', 'cancelled')
  await account.expect(200).put(`/messages/${cancelled}/cancel`)
  const told = [
    { p: '33639980013', d: '16' },
    { p: '0639980014', d: '16' }
  ]
  await eventually(() => {
    const queries = receiver.calls.map(({ query }) => query)
    assert.deepEqual(
      queries.toSorted((a, b) => String(b.p).localeCompare(String(a.p))),
      told
    )
  })

  // Nothing is under way to these numbers any more.
  const alone = await send(account, '0639980015', 'alone')
  await account.expect(200).put(`/messages/${alone}/cancel`)
  await eventually(async () => assert.equal((await pool`select from callback_queue`).length, 0))
  const numbers = async (id: number) =>
    (await pool`select given_numbers from message_callbacks where message_id = ${id}`)[0]
  assert.deepEqual(await numbers(cancelled), { givenNumbers: { '+33639980014': '0639980014' } })
  await account.expect(200).delete('/contacts/by-number/0639980014')
  assert.deepEqual(await numbers(cancelled), { givenNumbers: {} })
  await account.expect(200).delete('/contacts/by-number/0639980015')
  assert.equal(await numbers(alone), undefined, 'its address may hold the number')

  const parent = await service.newAccount({ credits: 10 })
  const below = await parent.newSubAccount({ credits: 5 })
  await send(below, '33639980016', 'closed')
  await parent.expect(200).put(`/subaccount/${below.id}/standing`, { standing: 'closed', reason: 'The end.' })
  await eventually(async () => {
    assert.equal((await pool`select from message_callbacks where account_id = ${below.id}`).length, 0)
  })
})

test('an address that its values make too long is given up at once, and says why in the log', async (t) => {
  const service = await startService(t, { settings: { ...DOOR, CHAPPE_ROLES: 'api,webhooks' } })
  const account = await service.newAccount({ credits: 10 })
  const url = `http://127.0.0.1:9/${'%A'.repeat(900)}`
  await sendsms(service, account, { to: '33639980013', deferred: '60', 'dlr-url': url })
  const { body } = await account.expect(200).get('/messages?limit=1')
  await account.expect(200).put(`/messages/${body.items[0].id}/cancel`)
  const given = await eventually(() => {
    const line = service.logLines.find((line) => line.includes('callback given up'))
    assert.ok(line)
    return JSON.parse(line)
  })
  assert.deepEqual([given.attempts, given.reason], [1, 'The URL must have at most 2048 characters.'])
  await eventually(async () => assert.equal((await service.pool`select from callback_queue`).length, 0))
})

test('a slow receiver of one account delays no other account, and old callbacks go', async (t) => {
  const dead = Promise.withResolvers<object>()
  const receiver = await startCallbackReceiver(t, ({ path }) => (path === '/dead' ? dead.promise : {}))
  const service = await startService(t, { settings: { ...DOOR, CHAPPE_ROLES: 'api' } })
  const { pool } = service
  const [slow, quick] = [await service.newAccount({ credits: 1_000 }), await service.newAccount({ credits: 10 })]
  const many = Array.from({ length: 200 }, (_, index) => `336399${80_100 + index}`).join(' ')
  const cancel = async (account: TestAccount) => {
    const { body } = await account.expect(200).get('/messages?limit=1')
    await account.expect(200).put(`/messages/${body.items[0].id}/cancel`)
  }
  await sendsms(service, slow, { to: many, deferred: '60', 'dlr-url': `${receiver.url}/dead` })
  await cancel(slow)
  await sendsms(service, quick, { to: '33639980013', deferred: '60', 'dlr-url': `${receiver.url}/quick` })
  await cancel(quick)
  await service.startPeer(t, { settings: { ...DOOR, CHAPPE_ROLES: 'webhooks' } })
  await eventually(() => assert.ok(receiver.calls.some(({ path }) => path === '/quick')))
  const places = receiver.calls.filter(({ path }) => path === '/dead').length
  assert.ok(places <= 16, `${places} places of one account`)

  await pool`update message_callbacks set kept_until = now() - interval '1 s'`
  await eventually(async () => {
    assert.equal((await pool`select from callback_queue where account_id = ${quick.id}`).length, 0)
    await deleteOldCallbacks(pool, 10)
    const kept = await pool`select account_id from message_callbacks`
    assert.deepEqual([...kept], [{ accountId: slow.id }], 'reports are still to be made')
  })
  dead.resolve({})
})

test('slow receivers of an account and all its sub-accounts delay no other account', async (t) => {
  const dead = Promise.withResolvers<object>()
  const receiver = await startCallbackReceiver(t, ({ path }) => (path === '/dead' ? dead.promise : {}))
  const service = await startService(t, { settings: { ...DOOR, CHAPPE_ROLES: 'api' } })
  const parent = await service.newAccount({ credits: 1_000 })
  const quick = await service.newAccount({ credits: 10 })
  const cancelled = async (account: TestAccount, to: string, path: string) => {
    await sendsms(service, account, { to, deferred: '60', 'dlr-url': `${receiver.url}${path}` })
    const { body } = await account.expect(200).get('/messages?limit=1')
    await account.expect(200).put(`/messages/${body.items[0].id}/cancel`)
  }
  const many = Array.from({ length: 20 }, (_, index) => `336399${80_100 + index}`).join(' ')
  for (let below = 0; below < 8; below++) {
    await cancelled(await parent.newSubAccount({ credits: 100 }), many, `/dead?from=${below}`)
  }
  await service.startPeer(t, { settings: { ...DOOR, CHAPPE_ROLES: 'webhooks' } })
  await eventually(() => assert.ok(receiver.calls.length >= 50, `${receiver.calls.length} places of a family`))
  await cancelled(quick, '33639980013', '/quick')
  await eventually(() => assert.ok(receiver.calls.some(({ path }) => path === '/quick')))
  const places = receiver.calls.filter(({ path }) => path === '/dead').length
  assert.equal(places, 50, 'one half of all places stays free for others')
  dead.resolve({})
})
