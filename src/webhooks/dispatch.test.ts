import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../../test/checks/eventually.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { type ReceivedPost, startReceiver } from '../../test/peers/receiver.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { claimWebhooks, findServed, takeFromQueue } from './dispatch.store.ts'
import { CONNECTIONS_PER_RECEIVER, startDispatch } from './dispatch-events.ts'
import { createPoster } from './post.ts'
import { deleteOldDeliveries, deleteOldEvents, dropOldEvents } from './retention.store.ts'
import { lockWebhooksOf } from './webhooks.store.ts'

const settings = { CHAPPE_ROLES: 'api,webhooks', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
const start = (t: TestContext) => startService(t, { settings })

const phone = (index: number) => `+3363998${String(index).padStart(4, '0')}`

async function configure(account: TestAccount, webhooks: Record<string, unknown>[]): Promise<string> {
  return (await account.expect(200).put('/webhooks', { webhooks })).body.secret
}

async function addStops(account: TestAccount, count: number, from = 0): Promise<void> {
  for (let index = from; index < from + count; index++) {
    await account.expect(200).post('/stops', { recipient: phone(index) })
  }
}

const verify = (secret: string, { text, headers }: ReceivedPost) =>
  new Webhook(secret).verify(text, headers as Record<string, string>)

/** Makes waiting deliveries due now. */
async function hurry({ pool }: TestService): Promise<void> {
  await pool`update webhook_deliveries set next_attempt_at = now() where next_attempt_at is not null`
  await pool`update webhook_turns set due_at = now()`
}

test('an event is posted once, complete and signed, to each receiver of its type', async (t) => {
  const service = await start(t)
  const [first, second, other] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)]
  const secret = await configure(service.operator, [
    { type: 'stops', url: first.url },
    { type: 'stops', url: second.url },
    { type: 'replies', url: other.url }
  ])
  await addStops(service.operator, 1)
  await service.operator.expect(200).post('/stops', { recipient: phone(0) }) // Is there already: no event.
  await eventually(() => assert.deepEqual([first.posts.length, second.posts.length], [1, 1]))
  for (const { posts } of [first, second]) {
    const [post] = posts
    assert.ok(post)
    verify(secret, post)
    assert.equal(post.headers['webhook-id'], post.body.id)
    const { data, ...head } = post.body
    assert.deepEqual(Object.keys(head), ['id', 'type', 'timestamp'])
    assert.equal(head.type, 'stops')
    const [{ sequence, id, timestamp, ...record }] = data
    assert.deepEqual(record, { message_id: null, recipient: phone(0), source: 'manual', way: 'manual', sender: null })
    assert.ok(Number.isInteger(sequence) && Number.isInteger(id) && /^20/.test(timestamp))
  }
  assert.throws(() => verify(secret.replace(/.{4}$/, 'AAA='), first.posts[0] as ReceivedPost))
  assert.deepEqual(other.posts, [])
  await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/webhooks/deliveries?status=succeeded')
    assert.deepEqual([body.meta.totalItems, body.items[0]?.response_status, body.items[0]?.attempts], [2, 200, 1])
    assert.equal(body.items[0].response, 'thank you')
  })
})

test('events share a request up to batch_size, in their order', async (t) => {
  const service = await start(t)
  const receiver = await startReceiver(t)
  await configure(service.operator, [{ type: 'stops', url: receiver.url, batch_size: 10 }])
  const phones = Array.from({ length: 25 }, (_, index) => phone(index))
  // All in one transaction: they wait together.
  await service.operator.expect(200).post('/stops/file', fileForm(phones.join('\n')))
  await eventually(() => assert.equal(receiver.records().length, 25))
  const posts = receiver.posts.toSorted((a, b) => a.body.data[0].sequence - b.body.data[0].sequence)
  assert.deepEqual(
    posts.map(({ body }) => body.data.length),
    [10, 10, 5]
  )
  const sequences = posts.flatMap(({ body }) => body.data.map(({ sequence }: { sequence: number }) => sequence))
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b)
  )
  assert.deepEqual(
    receiver
      .records()
      .map(({ recipient }) => recipient)
      .sort(),
    phones
  )
})

test('a receiver that is down gets everything when it is back, each with the id of its first attempt', async (t) => {
  const service = await start(t)
  let isUp = false
  const receiver = await startReceiver(t, () => (isUp ? 200 : 503))
  const secret = await configure(service.operator, [{ type: 'stops', url: receiver.url }])
  await addStops(service.operator, 5)
  await eventually(() => assert.ok(receiver.posts.length > 0))
  await addStops(service.operator, 20, 5)
  const { body } = await service.operator.expect(200).get('/webhooks')
  await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/webhooks')
    assert.equal(body.webhooks[0].last_status, 503)
  })
  assert.equal(body.webhooks[0].active, true)
  const before = receiver.posts.length
  assert.ok(before <= 25, 'it is not hammered')
  await service.pool`update webhook_deliveries set created_at = now() - interval '1 hour'`
  isUp = true
  await hurry(service)
  await eventually(async () => {
    await hurry(service)
    const arrived = new Set(receiver.records().map(({ recipient }) => recipient))
    assert.equal(arrived.size, 25)
    const { body } = await service.operator.expect(200).get('/webhooks/deliveries?status=succeeded')
    assert.equal(body.meta.totalItems, 25)
  })
  const ids = Map.groupBy(receiver.posts, ({ body }) => body.data[0].recipient)
  for (const posts of ids.values()) assert.equal(new Set(posts.map(({ body }) => body.id)).size, 1)
  // The library refuses a time of more than five minutes ago.
  for (const post of receiver.posts) verify(secret, post)
})

test('an outcome counts only from the holder of the webhook; the next one posts it again, under the same id', async (t) => {
  const { operator, pool } = await start(t)
  const { promise: firstAnswer, resolve } = Promise.withResolvers<number>()
  const receiver = await startReceiver(t, () => (receiver.posts.length === 1 ? firstAnswer : 200))
  await configure(operator, [{ type: 'stops', url: receiver.url }])
  await addStops(operator, 1)
  await eventually(() => assert.equal(receiver.posts.length, 1))
  await pool`update webhook_turns set leased_by = ${randomUUID()}`
  resolve(200)
  await pool`update webhook_turns set leased_by = null, leased_until = null, due_at = now()`
  await eventually(async () => {
    const { body } = await operator.expect(200).get('/webhooks/deliveries?status=succeeded')
    assert.deepEqual([body.items[0]?.attempts, receiver.posts.length], [1, 2])
  })
  assert.equal(new Set(receiver.posts.map(({ body }) => body.id)).size, 1)
})

/** Opt-outs in one transaction: no event can leave before all are stored. */
async function importStops(account: TestAccount, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) => phone(index))
  await account.expect(200).post('/stops/file', fileForm(['tel', ...lines].join('\n')))
}

const failingSince = async (account: TestAccount): Promise<string | null> =>
  (await account.expect(200).get('/webhooks')).body.webhooks[0].failing_since

test('an event that is refused delays no other event, and is tried again when it is due', async (t) => {
  const service = await start(t)
  const refused = phone(7)
  let isRefusing = true
  const later = { status: 429, headers: { 'retry-after': '7200' } }
  const receiver = await startReceiver(t, ({ body }) => {
    return isRefusing && body.data[0].recipient === refused ? later : 200
  })
  await configure(service.operator, [{ type: 'stops', url: receiver.url }])
  await importStops(service.operator, 600)
  await eventually(() => assert.equal(receiver.posts.length, 600))
  await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/webhooks/deliveries?status=retrying')
    assert.deepEqual([body.meta.totalItems, body.items[0]?.attempts], [1, 1])
    assert.ok(Date.parse(body.items[0].next_attempt_at) > Date.now() + 7_000_000, 'when the receiver wants it')
  })
  assert.equal(await failingSince(service.operator), null)

  // Refused again, and alone in its round: new events do not wait for it.
  await hurry(service)
  await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/webhooks/deliveries?status=retrying')
    assert.equal(body.items[0]?.attempts, 2)
  })
  assert.equal(await failingSince(service.operator), null)
  await addStops(service.operator, 1, 600)
  await eventually(() => assert.equal(receiver.posts.length, 602), { withinMs: 4_000 })

  isRefusing = false
  await hurry(service)
  await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/webhooks/deliveries?status=succeeded')
    assert.equal(body.meta.totalItems, 601)
  })
  assert.equal(receiver.posts.length, 603)
})

test('a receiver that refuses most of its events fails, and gets one at a time', async (t) => {
  const service = await start(t)
  const receiver = await startReceiver(t, ({ body }) => (body.data[0].recipient.endsWith('0') ? 200 : 500))
  await configure(service.operator, [{ type: 'stops', url: receiver.url }])
  await importStops(service.operator, 600)
  await eventually(async () => assert.notEqual(await failingSince(service.operator), null))
  assert.ok(receiver.posts.length <= 200, 'one round')
})

test('a slow post delays no other event, is made once, and its outcome is stored when it ends', async (t) => {
  const service = await start(t)
  const slow = Promise.withResolvers<number>()
  const receiver = await startReceiver(t, ({ body }) => (body.data[0].recipient === phone(7) ? slow.promise : 200))
  await configure(service.operator, [{ type: 'stops', url: receiver.url }])
  await importStops(service.operator, 600)
  await eventually(() => assert.equal(receiver.posts.length, 600), { withinMs: 5_000 })
  const statuses = async () => {
    const rows = await service.pool`select status, count(*)::integer as count from webhook_deliveries group by 1`
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  }
  await eventually(async () => assert.deepEqual(await statuses(), { succeeded: 599, pending: 1 }))
  await addStops(service.operator, 1, 600)
  await eventually(() => assert.equal(receiver.posts.length, 601), { withinMs: 5_000 })

  slow.resolve(200)
  await eventually(async () => assert.deepEqual(await statuses(), { succeeded: 601 }))
  assert.equal(receiver.posts.length, 601)
  assert.equal(await failingSince(service.operator), null)
})

test('slow posts use no more connections than a receiver may have, and a stop waits for them', async (t) => {
  const service = await startService(t, { settings: { ...settings, CHAPPE_ROLES: 'api' } })
  const { pool, operator } = service
  let [open, openMax] = [0, 0]
  const receiver = await startReceiver(t, async ({ body }) => {
    openMax = Math.max(openMax, ++open)
    if (body.data[0].recipient.endsWith('0')) await new Promise((resolve) => setTimeout(resolve, 1_500))
    open--
    return 200
  })
  await configure(operator, [{ type: 'stops', url: receiver.url }])
  await importStops(operator, 300)
  const poster = createPoster({ allowPrivate: true, connectionsPerHost: 100 })
  const dispatch = startDispatch({ pool, poster, allowPrivate: true, log: pino({ level: 'silent' }) })
  t.after(async () => {
    await dispatch.stop()
    poster.close()
  })
  await eventually(() => assert.ok(receiver.posts.length > 200))
  await dispatch.stop()
  assert.deepEqual([open, openMax], [0, CONNECTIONS_PER_RECEIVER])
  const [stored] = await pool`select count(*)::integer as count from webhook_deliveries where status = 'succeeded'`
  assert.equal(stored?.count, receiver.posts.length, 'what was posted is stored')
  const ids = new Set(receiver.posts.map(({ body }) => body.id))
  assert.equal(ids.size, receiver.posts.length, 'each once')
  const [turn] = await pool`select leased_by from webhook_turns`
  assert.equal(turn?.leasedBy, null)
})

test('a 410 beside a slow post disables the webhook, and no delivery stays open', async (t) => {
  const service = await start(t)
  const receiver = await startReceiver(t, async ({ body }) => {
    if (body.data[0].recipient === phone(0)) return 410
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return 500
  })
  await configure(service.operator, [{ type: 'stops', url: receiver.url }])
  await importStops(service.operator, 10)
  await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/webhooks')
    assert.equal(body.webhooks[0].disabled_reason, 'The receiver answered 410 Gone.')
  })
  const rows = await service.pool`select distinct status from webhook_deliveries`
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['failed']
  )
})

test('410 disables a webhook with a reason; made active again, it gets the events of its queue', async (t) => {
  const service = await start(t)
  let status = 410
  const receiver = await startReceiver(t, () => status)
  const webhooks = [{ type: 'stops', url: receiver.url }]
  await configure(service.operator, webhooks)
  await service.pool.begin(async (database) => {
    // As a configuration that is being stored: it and the end of the webhook wait for each other.
    await lockWebhooksOf(database, service.operator.id)
    await addStops(service.operator, 1)
    await untilWaiting(service.pool, 1)
  })
  await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/webhooks')
    assert.deepEqual(
      [body.webhooks[0].active, body.webhooks[0].disabled_reason],
      [false, 'The receiver answered 410 Gone.']
    )
  })
  assert.deepEqual([...(await service.pool`select type from event_subscriptions`)], [], 'nothing is recorded for it')
  await eventually(async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(text, /^chappe_webhook_posts_total\{outcome="gone"\} 1$/m)
    assert.match(text, /^chappe_webhooks_disabled_total\{reason="gone"\} 1$/m)
    assert.match(text, /^chappe_webhooks\{state="disabled"\} 1$/m)
  })
  await addStops(service.operator, 1, 1)
  status = 200
  await configure(service.operator, webhooks)
  await service.operator.expect(200).post('/webhooks/replay', { since: '2026-01-01T00:00:00Z' })
  await addStops(service.operator, 1, 2)
  await eventually(async () => {
    await hurry(service)
    assert.deepEqual(
      [...new Set(receiver.records().map(({ recipient }) => recipient))].sort(),
      [phone(0), phone(2)],
      'what happened while it was off was not asked for'
    )
  })
})

test('five days of failure end a webhook', async (t) => {
  const service = await start(t)
  const receiver = await startReceiver(t, () => 500)
  await configure(service.operator, [{ type: 'stops', url: receiver.url }])
  await addStops(service.operator, 1)
  await eventually(async () => assert.notEqual(await failingSince(service.operator), null))
  const since = await failingSince(service.operator)
  const before = receiver.posts.length
  await eventually(async () => {
    await hurry(service)
    assert.ok(receiver.posts.length > before + 2)
  })
  assert.deepEqual(await failingSince(service.operator), since, 'since the first of these failures')
  await eventually(async () => {
    await service.pool`update webhooks set failing_since = now() - interval '5 days 1 minute' where failing_since is not null`
    await hurry(service)
    const { body } = await service.operator.expect(200).get('/webhooks')
    assert.deepEqual(body.webhooks[0].disabled_reason, 'Nothing arrived for five days.')
  })
})

test('the days in which a webhook was not active are no days of failure', async (t) => {
  const service = await start(t)
  const receiver = await startReceiver(t, () => 500)
  const webhook = { type: 'stops', url: receiver.url }
  const read = async () => (await service.operator.expect(200).get('/webhooks')).body.webhooks[0]
  await configure(service.operator, [webhook])
  await addStops(service.operator, 1)
  await eventually(async () => assert.notEqual((await read()).failing_since, null))
  await configure(service.operator, [{ ...webhook, active: false }])
  await service.pool`update webhooks set failing_since = now() - interval '6 days'`
  await configure(service.operator, [webhook])
  await addStops(service.operator, 1, 1)
  await eventually(async () => {
    await hurry(service)
    assert.ok(receiver.records().some(({ recipient }) => recipient === phone(1)))
    assert.notEqual((await read()).failing_since, null)
  })
  const { active, disabled_reason, failing_since } = await read()
  assert.deepEqual([active, disabled_reason], [true, null])
  assert.ok(Date.now() - Date.parse(failing_since) < 3_600_000)
})

test('a receiver that never answers delays no other receiver', async (t) => {
  const service = await start(t)
  const slow = await startReceiver(t, () => new Promise(() => undefined))
  const quick = await startReceiver(t)
  await configure(service.operator, [
    { type: 'stops', url: slow.url },
    { type: 'stops', url: quick.url }
  ])
  const account = await service.newAccount()
  await configure(account, [{ type: 'stops', url: quick.url }])
  await addStops(service.operator, 50)
  await addStops(account, 5)
  await eventually(() => assert.equal(quick.records().length, 55), { withinMs: 5_000 })
  assert.ok(slow.posts.length <= 16)
})

test('events that were queued before a restart are posted after it', async (t) => {
  const service = await startService(t, { settings: { ...settings, CHAPPE_ROLES: 'api' } })
  const receiver = await startReceiver(t)
  await configure(service.operator, [{ type: 'stops', url: receiver.url }])
  await addStops(service.operator, 5)
  assert.deepEqual(receiver.posts, [])
  await service.startPeer(t, { settings })
  await eventually(() => assert.equal(receiver.records().length, 5))
})

test('deliveries of a process that died are posted again, under the same id, and nothing is lost', async (t) => {
  const service = await startService(t, { settings: { ...settings, CHAPPE_ROLES: 'api' } })
  const { pool, operator } = service
  const receiver = await startReceiver(t)
  await configure(operator, [{ type: 'stops', url: receiver.url }])
  await addStops(operator, 3)
  // It has leased the webhook and made deliveries; there is no record of a post.
  const lease = { workerId: randomUUID(), leaseSeconds: 0 }
  const [turn] = (await claimWebhooks(pool, { ...lease, slots: 2, held: new Map() })).claimed
  const webhook = turn && (await findServed(pool, turn))
  assert.ok(webhook)
  const made = await takeFromQueue(pool, webhook, { deliveriesMax: 2 })
  assert.equal(made.length, 2)

  await service.startPeer(t, { settings })
  await eventually(() => assert.equal(receiver.records().length, 3))
  const ids = new Set(receiver.posts.map(({ body }) => body.id))
  for (const { eventId } of made) assert.ok(ids.has(eventId))
})

test('slots are shared between top-level accounts, however many sub-accounts have webhooks', async (t) => {
  const service = await startService(t, { settings: { ...settings, CHAPPE_ROLES: 'api' } })
  const { pool, operator } = service
  const [parent, stranger] = [await service.newAccount(), await service.newAccount()]
  const children = await Promise.all(Array.from({ length: 6 }, () => parent.newSubAccount()))
  for (const account of [...children, stranger]) {
    await configure(
      account,
      [1, 2, 3].map((path) => ({ type: 'stops', url: `http://127.0.0.1:9/${path}` }))
    )
    await addStops(account, 1)
  }
  const lease = { workerId: randomUUID(), leaseSeconds: 60, slots: 12 }
  const first = await claimWebhooks(pool, { ...lease, held: new Map() })
  // Two accounts have work: a third of the slots for each, and a third for the next account.
  assert.equal(first.share, 4)
  const holders = first.claimed.map(({ topLevelId }) => topLevelId)
  assert.equal(holders.filter((id) => id === parent.id).length, 4)
  assert.equal(holders.filter((id) => id === stranger.id).length, 3)

  const held = new Map([
    [parent.id, 4],
    [stranger.id, 3]
  ])
  assert.deepEqual(await claimWebhooks(pool, { ...lease, held }), { claimed: [], share: 4 })
  await configure(operator, [{ type: 'stops', url: 'http://127.0.0.1:9/late' }])
  await addStops(operator, 1)
  const late = await claimWebhooks(pool, { ...lease, held })
  assert.deepEqual(
    late.claimed.map(({ accountId }) => accountId),
    [operator.id]
  )
})

test('webhooks of an account that has more of them than slots take turns', async (t) => {
  const service = await startService(t, { settings: { ...settings, CHAPPE_ROLES: 'api' } })
  const { pool, operator } = service
  const order: string[] = []
  const receivers = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      startReceiver(t, async () => {
        order.push(name)
        await new Promise((resolve) => setTimeout(resolve, 20))
        return 200
      })
    )
  )
  await configure(
    operator,
    receivers.map(({ url }) => ({ type: 'stops', url }))
  )
  await addStops(operator, 50)
  const poster = createPoster({ allowPrivate: true, connectionsPerHost: CONNECTIONS_PER_RECEIVER })
  // Of two slots, one for the account and one for the next account.
  const dispatch = startDispatch({
    pool,
    poster,
    allowPrivate: true,
    log: pino({ level: 'silent' }),
    slots: 2,
    turnMs: 1
  })
  t.after(async () => {
    await dispatch.stop()
    poster.close()
  })
  await eventually(() => assert.equal(order.length, 150))
  const firsts = ['a', 'b', 'c'].map((name) => order.indexOf(name))
  const lasts = ['a', 'b', 'c'].map((name) => order.lastIndexOf(name))
  assert.ok(Math.max(...firsts) < Math.min(...lasts), `each began before another was done: ${order.join('')}`)
  for (const { records } of receivers) assert.equal(records().length, 50)
})

test('during a rotation both secrets verify; the old one ends after 24 hours', async (t) => {
  const service = await start(t)
  const receiver = await startReceiver(t)
  const first = await configure(service.operator, [{ type: 'stops', url: receiver.url }])
  const { body: rotated } = await service.operator.expect(200).post('/webhooks/secret/rotate')
  await addStops(service.operator, 1)
  await eventually(() => assert.equal(receiver.posts.length, 1))
  for (const secret of [first, rotated.secret]) verify(secret, receiver.posts[0] as ReceivedPost)
  await service.pool`update webhook_secrets set expires_at = now() - interval '1 second' where expires_at is not null`
  await addStops(service.operator, 1, 1)
  await eventually(() => assert.equal(receiver.posts.length, 2))
  verify(rotated.secret, receiver.posts[1] as ReceivedPost)
  assert.throws(() => verify(first, receiver.posts[1] as ReceivedPost))
})

test('each step of a message is an event: it begins, each recipient moves, it has left, a reply and a STOP come', async (t) => {
  const service = await startService(t, { settings: { ...settings, CHAPPE_ROLES: 'all' } })
  const receiver = await startReceiver(t)
  const types = ['message_state', 'sms_status', 'replies', 'stops']
  await configure(
    service.operator,
    types.map((type) => ({ type, url: receiver.url, batch_size: 50 }))
  )
  const { body } = await service.operator
    .expect(200)
    .post('/messages/sms', { recipients: [phone(20), phone(1), phone(6)], content: 'Bonjour' })
  const told = (type: string) =>
    receiver.posts
      .filter(({ body }) => body.type === type)
      .flatMap(({ body }) => body.data)
      .toSorted((a, b) => a.sequence - b.sequence)
  await eventually(() => assert.deepEqual([told('replies').length, told('stops').length], [1, 1]))
  await eventually(() => assert.equal(told('sms_status').length, 6))
  const steps = (recipient: string) =>
    told('sms_status')
      .filter((record) => record.recipient === recipient)
      .map(({ deliver_label }) => deliver_label)
  assert.deepEqual(steps(phone(20)), ['sent', 'delivered'])
  assert.deepEqual(steps(phone(1)), ['sent', 'failed'])
  const [status] = told('sms_status')
  const { body: page } = await service.operator.expect(200).get(`/messages/${body.message_id}/recipients/sms`)
  assert.deepEqual(
    Object.keys(page.items[0]).sort(),
    Object.keys(status)
      .filter((name) => name !== 'message_id' && name !== 'sequence')
      .sort()
  )
  assert.equal(status.message_id, body.message_id)
  assert.deepEqual(
    told('message_state').map(({ id, state }) => [id, state]),
    [
      [body.message_id, 'sending'],
      [body.message_id, 'sent']
    ]
  )
  assert.deepEqual(
    [told('stops')[0].source, told('stops')[0].message_id, told('replies')[0].is_stop],
    ['reply', body.message_id, true]
  )
})

test('a cancel is an event of the message and of each cancelled recipient', async (t) => {
  const service = await start(t)
  const receiver = await startReceiver(t)
  await configure(service.operator, [
    { type: 'sms_status', url: receiver.url },
    { type: 'message_state', url: receiver.url }
  ])
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const send = { recipients: [phone(1), phone(2)], content: 'Bonjour', scheduleAt }
  const { body } = await service.operator.expect(200).post('/messages/sms', send)
  await service.operator.expect(200).put(`/messages/${body.message_id}/cancel`)
  await eventually(() => assert.equal(receiver.records().length, 3))
  const labels = receiver.records().map((record) => record.deliver_label ?? record.state)
  assert.deepEqual(labels.sort(), ['cancelled', 'cancelled', 'cancelled'])
})

test('events and deliveries are kept for the retention time, events that wait for a webhook longer', async (t) => {
  const { operator, pool } = await start(t)
  const receiver = await startReceiver(t, ({ body }) => (body.data[0].recipient === phone(1) ? 500 : 200))
  await configure(operator, [{ type: 'stops', url: receiver.url }])
  await addStops(operator, 2)
  await eventually(async () => {
    const { body } = await operator.expect(200).get('/webhooks/deliveries')
    assert.deepEqual(body.items.map(({ status }: { status: string }) => status).sort(), ['retrying', 'succeeded'])
  })
  const retention = { days: 400, limit: 10 }
  assert.deepEqual([await deleteOldEvents(pool, retention), await deleteOldDeliveries(pool, retention)], [0, 0])
  await pool`update events set created_at = now() - interval '401 days'`
  await pool`update webhook_deliveries set created_at = now() - interval '401 days'`
  assert.deepEqual([await deleteOldEvents(pool, retention), await deleteOldDeliveries(pool, retention)], [1, 1])
  assert.equal((await pool`select from events`).length, 1, 'what is still to be delivered stays')

  // A range of events goes as a whole, once no webhook waits for one of them.
  await pool`update id_ranges set opened_at = now() - interval '409 days', closed_at = now() - interval '401 days' where first_id = 0`
  await pool`insert into events (account_id, id, type, record) values (${operator.id}, 20_000, 'stops', '{}')`
  assert.equal(await dropOldEvents(pool, retention), 0)
  await pool`update webhooks set is_active = false`
  assert.equal(await deleteOldEvents(pool, retention), 0, 'they wait for the drop')
  assert.equal((await Promise.all([dropOldEvents(pool, retention), dropOldEvents(pool, retention)])).sort()[1], 1)
  assert.deepEqual([...(await pool`select id from events`)], [{ id: 20_000 }])
})

test('an old event is removed only when no delivery needs it, and an empty delivery is never posted', async (t) => {
  const service = await start(t)
  const { operator, pool } = service
  let status = 503
  const receiver = await startReceiver(t, () => status)
  await configure(operator, [{ type: 'stops', url: receiver.url }])
  await addStops(operator, 1)
  await eventually(async () => assert.equal((await pool`select from webhook_deliveries where attempts > 0`).length, 1))
  // The receiver fails: the first is to be tried again, the others wait in the queue.
  await addStops(operator, 2, 1)
  const retention = { days: 400, limit: 10 }
  const age = () => pool`update events set created_at = now() - interval '401 days'`
  await age()
  assert.equal(await deleteOldEvents(pool, retention), 0)
  status = 200
  await eventually(async () => {
    await hurry(service)
    assert.equal((await pool`select from webhook_deliveries where status = 'succeeded'`).length, 3)
  })
  assert.ok(receiver.posts.every(({ body }) => body.data.length === 1))
  assert.equal(await deleteOldEvents(pool, retention), 3)

  const [delivery] = (await operator.expect(200).get('/webhooks/deliveries')).body.items
  await operator.expect(409).post(`/webhooks/deliveries/${delivery.id}/replay`)
  await pool`update webhook_deliveries set status = 'failed', next_attempt_at = null`
  const { body } = await operator.expect(200).post('/webhooks/replay', { since: '2020-01-01T00:00:00Z' })
  assert.equal(body.replayed, 0)

  // Events that wait for an inactive webhook are removed in time; once active again, it gets the rest.
  status = 410
  await addStops(operator, 1, 3)
  await eventually(async () => assert.equal((await pool`select from webhooks where is_active`).length, 0))
  await pool`insert into webhook_queue (webhook_id, event_id, account_id)
    select webhooks.id, events.id, events.account_id from events cross join webhooks`
  await age()
  assert.equal(await deleteOldEvents(pool, retention), 1)
  const posts = receiver.posts.length
  // As a retention that comes between the making of a delivery and its post leaves it.
  await pool`update webhook_deliveries set status = 'pending', next_attempt_at = now()`
  status = 200
  await configure(operator, [{ type: 'stops', url: receiver.url, active: true }])
  await addStops(operator, 1, 4)
  await eventually(async () => {
    await hurry(service)
    assert.equal((await pool`select from webhook_deliveries where status in ('pending', 'retrying')`).length, 0)
    assert.equal(receiver.posts.length, posts + 1)
  })
  assert.equal(receiver.posts.at(-1)?.body.data[0].recipient, phone(4))
  assert.equal((await pool`select from webhook_queue`).length, 0)
  const { body: failed } = await operator.expect(200).get('/webhooks/deliveries?status=failed')
  assert.match(failed.items[0].error, /events were removed/)
})
