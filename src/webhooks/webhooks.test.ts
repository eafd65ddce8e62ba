import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { startReceiver } from '../../test/peers/receiver.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import type { Database } from '../database/database.ts'
import { pageWindow } from '../http/paging.ts'
import { countDeliveries, listDeliveriesOfPage } from './deliveries.store.ts'
import type { EventType } from './event-type.ts'
import { recordEvents } from './events.store.ts'
import { deleteLeftovers } from './webhooks.store.ts'

const TYPES = [
  'replies',
  'stops',
  'starts',
  'consents',
  'sms_status',
  'rcs_status',
  'clicks',
  'message_state',
  'limits',
  'balances',
  'credit_requests',
  'alarms'
]
// Unused addresses that count as public, so that no name is looked up.
const URL_1 = 'https://93.184.216.34/hooks'
const URL_2 = 'http://8.8.8.8:8080/hooks'

test('a configuration is read as it was given, with defaults', async (t) => {
  const { operator } = await startService(t)
  assert.deepEqual((await operator.expect(200).get('/webhooks')).body, { webhooks: [], available_types: TYPES })
  const given = [
    { type: 'replies', url: URL_1 },
    { type: 'replies', url: URL_2, method: 'POST', active: false, batch_size: 500, color: 'red' }
  ]
  const { body } = await operator.expect(200).put('/webhooks', { webhooks: given })
  const [first, second] = body.webhooks
  assert.match(first.created_at, /^\d{4}-/)
  assert.deepEqual(body.webhooks, [
    {
      id: first.id,
      type: 'replies',
      url: URL_1,
      method: 'POST',
      active: true,
      batch_size: 1,
      created_at: first.created_at,
      last_status: null,
      failing_since: null,
      disabled_reason: null
    },
    {
      id: second.id,
      type: 'replies',
      url: URL_2,
      method: 'POST',
      active: false,
      batch_size: 500,
      created_at: second.created_at,
      last_status: null,
      failing_since: null,
      disabled_reason: null
    }
  ])
  assert.deepEqual(body.available_types, TYPES)
  const { secret, ...config } = body
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual((await operator.expect(200).get('/webhooks')).body, config)
})

test('a shop plug-in configures by a form', async (t) => {
  const { operator } = await startService(t)
  const form = `webhooks[0][type]=stops&webhooks[0][url]=${encodeURIComponent(URL_1)}&webhooks[0][batch_size]=20`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { body } = await operator.expect(200).put('/webhooks', form, headers)
  assert.deepEqual([body.webhooks[0].type, body.webhooks[0].batch_size], ['stops', 20])
})

test('the secret is shown once: by the first configuration that has a webhook, or by the first rotation', async (t) => {
  const { operator, newAccount } = await startService(t)
  assert.equal((await configure(operator, [])).secret, undefined)
  assert.match((await configure(operator, [{ type: 'stops', url: URL_1 }])).secret, /^whsec_/)
  assert.equal((await configure(operator, [{ type: 'stops', url: URL_2 }])).secret, undefined)
  assert.ok(!(await operator.get('/webhooks')).text.includes('whsec_'))

  const other = await newAccount()
  const { body } = await other.expect(200).post('/webhooks/secret/rotate')
  assert.match(body.secret, /^whsec_/)
  assert.equal(body.previous_valid_until, null)
  assert.equal((await configure(other, [{ type: 'stops', url: URL_1 }])).secret, undefined)
})

test('a webhook that stays keeps its id and its health; a removed webhook loses its queue', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const before = await configure(operator, [
    { type: 'replies', url: 'https://93.184.216.34' },
    { type: 'stops', url: URL_2 }
  ])
  const [kept, gone] = before.webhooks
  await pool`update webhooks set last_status = 500, failing_since = now()`
  await happen(service, operator, 'replies')
  await happen(service, operator, 'stops')
  const { body: open } = await operator.expect(200).post('/webhooks/test', { type: 'stops' })

  const after = await configure(operator, [
    { type: 'clicks', url: URL_2 },
    { type: 'replies', url: 'HTTPS://93.184.216.34:443/', batch_size: 7 }
  ])
  const [first, second] = after.webhooks
  const [{ failingSince }] = await pool<[{ failingSince: Date }]>`
    select failing_since from webhooks where id = ${kept.id}
  `
  const health = { last_status: 500, failing_since: failingSince.toISOString() }
  assert.deepEqual(first, { ...kept, url: 'HTTPS://93.184.216.34:443/', batch_size: 7, ...health })
  assert.ok(second.id > gone.id)
  assert.deepEqual([...(await pool`select webhook_id from webhook_queue`)], [{ webhookId: kept.id }])
  const turns = await pool`select webhook_id, due_at <= now() as is_due from webhook_turns order by webhook_id`
  assert.deepEqual(
    [...turns],
    [
      { webhookId: kept.id, isDue: true },
      { webhookId: second.id, isDue: true }
    ]
  )
  const { body: history } = await operator.expect(200).get('/webhooks/deliveries')
  assert.deepEqual(
    [history.items[0].id, history.items[0].status, history.items[0].error, history.items[0].next_attempt_at],
    [open.id, 'failed', 'The webhook was removed.', null]
  )
  await operator.expect(409).post(`/webhooks/deliveries/${open.id}/replay`)
})

test('a disabled webhook stays so until it is given as active', async (t) => {
  const { operator, pool } = await startService(t)
  await configure(operator, [{ type: 'replies', url: URL_1 }])
  const disable = { isActive: false, disabledReason: 'Nothing arrived for five days.' }
  await pool`
    update webhooks
    set is_active = false, disabled_reason = ${disable.disabledReason}, failing_since = now() - interval '5 days'
  `
  await pool`update webhook_turns set due_at = now() + interval '1 minute'`
  const off = await configure(operator, [{ type: 'replies', url: URL_1, active: false }])
  assert.deepEqual([off.webhooks[0].active, off.webhooks[0].disabled_reason], [false, disable.disabledReason])
  await operator.expect(409).post('/webhooks/test', { type: 'replies' })

  const on = await configure(operator, [{ type: 'replies', url: URL_1 }])
  assert.deepEqual([on.webhooks[0].active, on.webhooks[0].disabled_reason], [true, null])
  assert.equal(on.webhooks[0].id, off.webhooks[0].id)
  const [row] = await pool`select failing_since, due_at <= now() as is_due from webhooks, webhook_turns`
  assert.deepEqual(row, { failingSince: null, isDue: true })
})

test('events are recorded of the types that an active webhook has, and of no others', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const recorded = async () => {
    await pool`delete from events`
    for (const type of ['replies', 'stops', 'clicks'] as const) await happen(service, operator, type)
    return (await pool<{ type: string }[]>`select type from events order by type`).map(({ type }) => type)
  }
  assert.deepEqual(await recorded(), [])
  await configure(operator, [
    { type: 'replies', url: URL_1 },
    { type: 'replies', url: URL_2 },
    { type: 'stops', url: URL_1, active: false }
  ])
  assert.deepEqual(await recorded(), ['replies'])
  await configure(operator, [
    { type: 'replies', url: URL_1 },
    { type: 'replies', url: URL_2, active: false }
  ])
  await pool`delete from webhook_queue`
  assert.deepEqual(await recorded(), ['replies'])
  assert.equal((await pool`select from webhook_queue`).length, 1, 'for the active one alone')
  await configure(operator, [{ type: 'stops', url: URL_1 }])
  assert.deepEqual(await recorded(), ['stops'])
  await configure(operator, [])
  assert.deepEqual(await recorded(), [])
})

test('twenty webhooks are taken, twenty-one are not', async (t) => {
  const { operator } = await startService(t)
  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ type: 'replies', url: `${URL_1}/${n}` }))
  const { body } = await operator.expect(400).put('/webhooks', { webhooks: many(21) })
  assert.deepEqual(body.details, [{ path: 'webhooks', message: 'must have at most 20 items' }])
  assert.equal((await configure(operator, many(20))).webhooks.length, 20)
  const huge = await operator.expect(400).put('/webhooks', { webhooks: many(15_000) })
  assert.equal(huge.body.details.length, 1)
  await operator.expect(413).put('/webhooks', { webhooks: many(40_000) })
  assert.equal((await operator.expect(200).get('/webhooks')).body.webhooks.length, 20)
})

test('every mistake is reported with its place, and none changes anything', async (t) => {
  const { operator, pool } = await startService(t)
  const before = await configure(operator, [{ type: 'replies', url: URL_1 }])
  const { body } = await operator.expect(400).put('/webhooks', {
    webhooks: [
      { type: 'replies', url: URL_1 },
      { type: 'calls', url: 'http://127.0.0.1/' },
      { type: 'replies', url: 'HTTPS://93.184.216.34:443/hooks' },
      { type: 'stops', url: 'ftp://93.184.216.34/', method: 'GET', active: 1, batch_size: 501 },
      { url: 'https://user:password@93.184.216.34/' },
      { type: 'stops' },
      { type: 'stops', url: 7, batch_size: 0 },
      { type: 'clicks', url: '' },
      null
    ]
  })
  assert.deepEqual(
    body.details.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`).sort(),
    [
      'webhooks[1].type must be one of "replies", "stops", "starts", "consents", "sms_status", "rcs_status", "clicks", "message_state", "limits", "balances", "credit_requests", "alarms"',
      'webhooks[1].url must not lead to a private address, as 127.0.0.1 does',
      'webhooks[2].url must differ from webhooks[0].url, which has the same type',
      'webhooks[3].active must be true or false',
      'webhooks[3].batch_size must be at most 500',
      'webhooks[3].method must be "POST"',
      'webhooks[3].url must start with https:// or http://',
      'webhooks[4].type is missing',
      'webhooks[4].url must not hold a user or a password',
      'webhooks[5].url is missing',
      'webhooks[6].batch_size must be at least 1',
      'webhooks[6].url must be a string, such as "https://shop.example/hooks/replies"',
      'webhooks[7].url must be a URL, such as https://example.com/webhooks',
      'webhooks[8] must be an object'
    ]
  )
  assert.deepEqual((await operator.expect(200).get('/webhooks')).body.webhooks, before.webhooks)
  for (const url of [
    'http://127.0.0.1:5432/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://localhost/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'gopher://93.184.216.34/',
    `https://93.184.216.34/${'a'.repeat(2100)}`
  ]) {
    const refused = await operator.expect(400).put('/webhooks', { webhooks: [{ type: 'stops', url }] })
    assert.equal(refused.body.details[0].path, 'webhooks[0].url', url)
  }
  assert.equal((await pool`select from webhooks`).length, 1)
})

test('receivers on private addresses are allowed for development', async (t) => {
  const { operator } = await startService(t, { settings: { CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' } })
  const { webhooks } = await configure(operator, [{ type: 'stops', url: 'http://127.0.0.1:9/' }])
  assert.equal(webhooks[0].url, 'http://127.0.0.1:9/')
})

test('of configurations at once one is left whole, with one secret', async (t) => {
  const { operator, pool } = await startService(t)
  const configs = Array.from({ length: 10 }, (_, n) =>
    ['replies', 'stops', 'clicks'].map((type) => ({ type, url: `${URL_1}/${n}` }))
  )
  const answers = await Promise.all(configs.map((webhooks) => operator.expect(200).put('/webhooks', { webhooks })))
  assert.equal(answers.filter(({ body }) => body.secret !== undefined).length, 1)
  const { webhooks } = (await operator.expect(200).get('/webhooks')).body
  assert.equal(webhooks.length, 3)
  assert.equal(new Set(webhooks.map(({ url }: { url: string }) => url)).size, 1)
  assert.equal((await pool`select from webhook_secrets`).length, 1)
  assert.equal((await pool`select from webhook_turns`).length, 3)
  assert.equal((await pool`select from event_subscriptions`).length, 3)
})

test('a rotated secret signs for another 24 hours, each of several in a row', async (t) => {
  const { operator, pool } = await startService(t)
  const first = (await operator.expect(200).post('/webhooks/secret/rotate')).body
  const second = (await operator.expect(200).post('/webhooks/secret/rotate')).body
  const third = (await operator.expect(200).post('/webhooks/secret/rotate')).body
  const inADay = Date.now() + 86_400_000
  assert.ok(Math.abs(Date.parse(second.previous_valid_until) - inADay) < 60_000)
  assert.ok(Date.parse(third.previous_valid_until) >= Date.parse(second.previous_valid_until))
  const rows = await pool`select secret, expires_at from webhook_secrets order by id`
  assert.deepEqual(
    [...rows],
    [
      { secret: first.secret, expiresAt: new Date(second.previous_valid_until) },
      { secret: second.secret, expiresAt: new Date(third.previous_valid_until) },
      { secret: third.secret, expiresAt: null }
    ]
  )
  await pool`update webhook_secrets set expires_at = now() where secret = ${first.secret}`
  await operator.expect(200).post('/webhooks/secret/rotate')
  const left = await pool<{ secret: string }[]>`select secret from webhook_secrets`
  assert.ok(!left.some(({ secret }) => secret === first.secret))
})

test('rotations at once leave one secret in use, and past twenty that sign there are no more', async (t) => {
  const { operator, pool } = await startService(t)
  const answers = await Promise.all(Array.from({ length: 22 }, () => operator.post('/webhooks/secret/rotate')))
  assert.equal(answers.filter(({ status }) => status === 200).length, 20)
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(refused.length, 2)
  assert.ok(Number(refused[0]?.headers.get('retry-after')) > 86_000)
  assert.equal(answers.filter(({ body }) => body.previous_valid_until === null).length, 1)
  assert.equal((await pool`select from webhook_secrets where expires_at is null`).length, 1)
})

test('a test posts an example to every active webhook of its type, and the feed does not show it', async (t) => {
  const { operator, pool } = await startService(t)
  await operator.expect(409).post('/webhooks/test', { type: 'stops' })
  await configure(operator, [
    { type: 'stops', url: URL_1 },
    { type: 'stops', url: URL_2 },
    { type: 'stops', url: `${URL_2}/off`, active: false },
    { type: 'clicks', url: URL_1 }
  ])
  const { body } = await operator.expect(200).post('/webhooks/test', { type: 'stops' })
  const [event] = await pool<[{ id: number }]>`select id from events`
  assert.deepEqual(body, {
    id: body.id,
    event_id: `evt_${body.id}`,
    type: 'stops',
    url: URL_1,
    test: true,
    status: 'pending',
    attempts: 0,
    response_status: null,
    response_ms: null,
    response: null,
    error: null,
    next_attempt_at: body.created_at,
    created_at: body.created_at,
    delivered_at: null,
    payload: {
      id: `evt_${body.id}`,
      type: 'stops',
      timestamp: body.created_at,
      test: true,
      data: [
        {
          id: 4,
          message_id: 7,
          recipient: '+33639980006',
          timestamp: '2026-11-15T09:30:00.000Z',
          source: 'reply',
          way: 'link',
          sender: 'CHAPPE',
          sequence: event.id
        }
      ]
    }
  })
  const { body: history } = await operator.expect(200).get('/webhooks/deliveries')
  assert.deepEqual(
    history.items.map(({ url }: { url: string }) => url),
    [URL_2, URL_1]
  )
  assert.deepEqual(history.items[1], body)
  assert.deepEqual((await operator.expect(200).get('/events')).body.items, [])
  for (const type of [...TYPES.slice(2), 'replies']) {
    await configure(operator, [{ type, url: URL_1 }])
    const { body } = await operator.expect(200).post('/webhooks/test', { type })
    assert.equal(typeof body.payload.data[0].message_id, 'number', type)
  }
})

test('the history is paged newest first, all of it or by type and status, with the bodies', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  await configure(operator, [
    { type: 'stops', url: URL_1 },
    { type: 'clicks', url: URL_1 }
  ])
  const ids: number[] = []
  for (const type of ['stops', 'clicks', 'stops', 'clicks', 'stops']) {
    ids.push((await operator.expect(200).post('/webhooks/test', { type })).body.id)
  }
  await pool`update webhook_deliveries set status = 'failed', next_attempt_at = null where id = ${ids[2] as number}`
  const read = async (query: string) => (await operator.expect(200).get(`/webhooks/deliveries${query}`)).body
  const idsOf = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id)
  assert.deepEqual(idsOf(await read('')), ids.toReversed())
  assert.deepEqual(idsOf(await read('?type=stops')), [ids[4], ids[2], ids[0]])
  assert.deepEqual(idsOf(await read('?status=failed')), [ids[2]])
  assert.deepEqual(idsOf(await read('?type=clicks&status=failed')), [])
  const last = await read('?type=stops&limit=2&page=2')
  assert.deepEqual(idsOf(last), [ids[0]])
  assert.deepEqual(last.meta, { itemCount: 1, totalItems: 3, itemsPerPage: 2, totalPages: 2, currentPage: 2 })
  assert.equal(last.items[0].payload.type, 'stops')
  await pool`delete from events`
  assert.equal((await read('')).items[0].payload, null)
  for (const query of ['?type=calls', '?status=lost', '?limit=1001', '?page=0']) {
    await operator.expect(400).get(`/webhooks/deliveries${query}`)
  }
  const other = await newAccount()
  assert.deepEqual((await other.expect(200).get('/webhooks/deliveries')).body.items, [])
  assert.deepEqual((await other.expect(200).get('/webhooks')).body.webhooks, [])
})

test('deliveries of a type or status are found without a look at the others, on the first page and on the last', async (t) => {
  const { operator, pool } = await startService(t)
  const fill = (type: string, status: string, count: number) => pool`
    insert into webhook_deliveries (account_id, id, webhook_id, event_id, type, url, event_ids, status)
    select ${operator.id}, nextval('webhook_delivery_ids'), 1, 'evt', ${type}, 'http://a', '{}', ${status}
    from generate_series(1, ${count})
  `
  await fill('sms_status', 'succeeded', 2_000)
  await fill('clicks', 'failed', 30)
  await fill('sms_status', 'succeeded', 2_000)
  await pool`vacuum analyze webhook_deliveries`
  // The figures of this connection since its last report; it does not report in the middle of a transaction.
  const rowsRead = async (database: Database) => {
    const [rows] = await database<[{ read: number }]>`
      select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
      from pg_stat_xact_user_tables
      where relname = 'webhook_deliveries'
    `
    return rows.read
  }
  for (const filter of [{ type: 'clicks' }, { status: 'failed' }, { type: 'clicks', status: 'failed' }] as const) {
    const scope = { accountId: operator.id, type: undefined, status: undefined, ...filter }
    for (const page of [1, 3]) {
      await pool.begin(async (database) => {
        const before = await rowsRead(database)
        const totalItems = await countDeliveries(database, scope)
        assert.equal(totalItems, 30)
        const found = await listDeliveriesOfPage(database, scope, pageWindow({ page, limit: 10, totalItems }))
        assert.equal(found.length, 10)
        const read = (await rowsRead(database)) - before
        assert.ok(read <= 60, `${read} rows were read for ${JSON.stringify(filter)}, page ${page}`)
      })
    }
  }
})

test('a page of very many events shows the bodies of as many as fit', async (t) => {
  const { operator, pool } = await startService(t)
  await configure(operator, [{ type: 'stops', url: URL_1 }])
  const { body } = await operator.expect(200).post('/webhooks/test', { type: 'stops' })
  await pool`
    insert into webhook_deliveries (account_id, id, webhook_id, event_id, type, url, event_ids, status)
    select account_id, id + n, webhook_id, event_id, type, url, array_fill(event_ids[1], array[500]), 'succeeded'
    from webhook_deliveries, generate_series(1, 30) as n
  `
  const { items } = (await operator.expect(200).get('/webhooks/deliveries?limit=1000')).body
  assert.equal(items.filter(({ payload }: { payload: object | null }) => payload === null).length, 11)
  assert.equal(items[0].payload.data.length, 500)
  assert.deepEqual([items[30].id, items[30].payload], [body.id, null])
})

test('a delivery is replayed by a new one with the same webhook-id', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  await configure(operator, [{ type: 'stops', url: URL_1 }])
  const { body: first } = await operator.expect(200).post('/webhooks/test', { type: 'stops' })
  await pool`
    update webhook_deliveries
    set status = 'failed', attempts = 11, error = 'x', response_status = 500, next_attempt_at = null
  `
  await pool`update webhook_turns set due_at = now() + interval '1 minute'`
  const { body: again } = await operator.expect(200).post(`/webhooks/deliveries/${first.id}/replay`)
  assert.ok(again.id > first.id)
  assert.deepEqual(again, {
    ...first,
    id: again.id,
    created_at: again.created_at,
    next_attempt_at: again.created_at,
    payload: { ...first.payload, timestamp: again.created_at }
  })
  assert.deepEqual([...(await pool`select due_at <= now() as is_due from webhook_turns`)], [{ isDue: true }])
  const { body: history } = await operator.expect(200).get('/webhooks/deliveries')
  assert.deepEqual(
    history.items.map(({ status }: { status: string }) => status),
    ['pending', 'failed']
  )

  const other = await newAccount()
  assert.equal((await other.post(`/webhooks/deliveries/${first.id}/replay`)).status, 404)
  assert.equal((await operator.post('/webhooks/deliveries/999999/replay')).status, 404)
  await configure(operator, [{ type: 'stops', url: URL_1, active: false }])
  const refused = await operator.expect(409).post(`/webhooks/deliveries/${first.id}/replay`)
  assert.equal(refused.body.error, 'The webhook of this delivery is gone or not active.')
  assert.equal((await pool`select from webhook_deliveries`).length, 2)
})

test('deliveries that failed since a moment are tried again from their first attempt, for existing webhooks', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const other = await newAccount()
  for (const account of [operator, other]) {
    await configure(account, [
      { type: 'stops', url: URL_1 },
      { type: 'clicks', url: URL_1 },
      { type: 'replies', url: URL_1 }
    ])
    for (const type of ['stops', 'stops', 'stops', 'clicks', 'replies']) {
      await account.expect(200).post('/webhooks/test', { type })
    }
  }
  await pool`update webhook_deliveries set status = 'failed', attempts = 11, next_attempt_at = null`
  const { items } = (await operator.get('/webhooks/deliveries')).body
  await pool`update webhook_deliveries set created_at = now() - interval '1 hour' where id = ${items[4].id}`
  await pool`update webhook_deliveries set status = 'succeeded' where id = ${items[3].id}`
  await configure(operator, [
    { type: 'stops', url: URL_1 },
    { type: 'clicks', url: URL_1 },
    { type: 'replies', url: URL_1, active: false }
  ])
  const since = new Date(Date.now() - 60_000).toISOString()
  const replay = async (body: object) => (await operator.expect(200).post('/webhooks/replay', body)).body
  assert.deepEqual(await replay({ since, type: 'stops' }), { replayed: 1 })
  assert.deepEqual(await replay({ since }), { replayed: 1 })
  assert.deepEqual(await replay({ since }), { replayed: 0 })
  assert.deepEqual(await replay({ since: '2026-01-01T00:00:00+02:00' }), { replayed: 1 })
  const open = await pool`
    select distinct attempts, next_attempt_at <= now() as is_due, account_id
    from webhook_deliveries
    where status = 'pending'
  `
  assert.deepEqual([...open], [{ attempts: 0, isDue: true, accountId: operator.id }])
  for (const body of [
    {},
    { since: 'yesterday' },
    { since: '2026-11-15' },
    { since: '2026-12-31T23:59:60Z' },
    { since, type: 'calls' }
  ]) {
    await operator.expect(400).post('/webhooks/replay', body)
  }
})

test('a test arrives, signed, and the history and the configuration say so', async (t) => {
  const receiver = await startReceiver(t)
  const settings = { CHAPPE_ROLES: 'api,webhooks', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  const { operator } = await startService(t, { settings })
  await configure(operator, [{ type: 'stops', url: receiver.url }])
  const { body: made } = await operator.expect(200).post('/webhooks/test', { type: 'stops' })
  const delivered = await eventually(async () => {
    const { body } = await operator.expect(200).get('/webhooks/deliveries?status=succeeded')
    assert.equal(body.items.length, 1)
    return body.items[0]
  })
  assert.deepEqual(receiver.posts[0]?.body, made.payload)
  assert.equal(receiver.posts[0]?.headers['webhook-id'], made.event_id)
  assert.deepEqual(delivered.payload, made.payload)
  assert.deepEqual([delivered.attempts, delivered.response_status, delivered.next_attempt_at], [1, 200, null])
  assert.equal((await operator.expect(200).get('/webhooks')).body.webhooks[0].last_status, 200)

  const { body: again } = await operator.expect(200).post(`/webhooks/deliveries/${made.id}/replay`)
  await eventually(() => assert.equal(receiver.posts.length, 2))
  assert.equal(receiver.posts[1]?.headers['webhook-id'], made.event_id)
  assert.notEqual(again.id, made.id)
})

test('events that were queued during the removal of their webhook are cleared away, and nothing else', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const { webhooks } = await configure(operator, [{ type: 'stops', url: URL_1 }])
  await happen(service, operator, 'stops')
  await operator.expect(200).post('/webhooks/test', { type: 'stops' })
  await pool`insert into webhook_queue (webhook_id, event_id, account_id) values (999, 1, ${operator.id})`
  await pool`
    insert into webhook_deliveries (account_id, id, webhook_id, event_id, type, url, event_ids, status)
    select account_id, 999, 999, event_id, type, url, event_ids, 'retrying'
    from webhook_deliveries
  `
  await deleteLeftovers(pool)
  assert.deepEqual([...(await pool`select webhook_id from webhook_queue`)], [{ webhookId: webhooks[0].id }])
  const rows = await pool`select status, error from webhook_deliveries order by id`
  assert.deepEqual(
    [...rows],
    [
      { status: 'pending', error: null },
      { status: 'failed', error: 'The webhook was removed.' }
    ]
  )
})

async function configure(account: TestAccount, webhooks: object[]) {
  return (await account.expect(200).put('/webhooks', { webhooks })).body
}

async function happen({ pool }: TestService, account: TestAccount, type: EventType): Promise<void> {
  await pool.begin((database) => recordEvents(database, [{ accountId: account.id, type, record: { message_id: 7 } }]))
}
