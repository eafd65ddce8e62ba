import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { TestContext } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { connect } from '../database/database.ts'
import type { EventType } from './event-type.ts'
import { recordEvents } from './events.store.ts'

test('the feed begins with the first call and tells everything after it once, in order', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  await happen(service, operator, 'replies', 0)
  const look = (await operator.expect(200).get('/events?subscribe=false')).body
  assert.deepEqual([look.items, look.recording], [[], false])
  assert.deepEqual([...(await pool`select from event_subscriptions`)], [], 'a look switches nothing on')
  const first = (await operator.expect(200).get('/events')).body
  assert.equal(first.recording, true)
  assert.equal((await operator.expect(200).get('/events?subscribe=false')).body.recording, true)
  assert.deepEqual(first.items, [])
  assert.equal((await operator.expect(200).get('/events')).body.next, first.next)

  for (const n of [1, 2, 3]) await happen(service, operator, n === 2 ? 'stops' : 'replies', n)
  const { items, next } = await told(operator, `?after=${first.next}`, [1, 2, 3])
  assert.deepEqual(items[0], {
    id: items[0].id,
    type: 'replies',
    timestamp: items[0].timestamp,
    data: { message_id: 1, sequence: items[0].id }
  })
  assert.deepEqual((await operator.expect(200).get(`/events?after=${next}`)).body, { items: [], next, recording: true })
  await told(operator, '', [1, 2, 3])
  const page = await told(operator, '?limit=2', [1, 2])
  await told(operator, `?after=${page.next}`, [3])
})

test('the feed shows only the types asked for, and passes over the others', async (t) => {
  const service = await startService(t)
  const { operator } = service
  await operator.expect(200).get('/events')
  for (const [type, n] of [
    ['replies', 1],
    ['stops', 2],
    ['clicks', 3],
    ['replies', 4]
  ] as const) {
    await happen(service, operator, type, n)
  }
  await told(operator, '?types=replies,%20clicks', [1, 3, 4])
  const stops = await told(operator, '?types=stops', [2])
  assert.deepEqual((await operator.expect(200).get(`/events?after=${stops.next}`)).body.items, [])
})

test('a rare type is found behind thousands of others', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  await operator.expect(200).get('/events')
  await pool`
    insert into events (account_id, id, type, record)
    select ${operator.id}, nextval('event_ids'), 'sms_status', '{}'
    from generate_series(1, 12000)
  `
  await happen(service, operator, 'stops', 1)
  await told(operator, '?types=stops', [1])
  const last = (await operator.expect(200).get('/events?types=clicks')).body
  assert.deepEqual(last.items, [])
  assert.deepEqual((await operator.expect(200).get(`/events?after=${last.next}`)).body.items, [])
})

test('an event whose transaction ends late is not passed over', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const { next } = (await operator.expect(200).get('/events')).body
  const { promise: canEnd, resolve: end } = Promise.withResolvers<void>()
  const { promise: hasBegun, resolve: begun } = Promise.withResolvers<void>()
  const late = pool.begin(async (database) => {
    await recordEvents(database, [{ accountId: operator.id, type: 'replies', record: { message_id: 1 } }])
    begun()
    await canEnd
  })
  await hasBegun
  await happen(service, operator, 'replies', 2)
  const early = (await operator.expect(200).get(`/events?after=${next}`)).body
  assert.deepEqual(early, { items: [], next, recording: true })
  end()
  await late
  await told(operator, `?after=${early.next}`, [1, 2])
})

test('another account’s events do not show, even with its cursor', async (t) => {
  const service = await startService(t)
  const { operator } = service
  const other = await service.newAccount()
  const { next } = (await operator.expect(200).get('/events')).body
  await other.expect(200).get('/events')
  await happen(service, operator, 'replies', 1)
  await told(operator, '', [1])
  assert.deepEqual((await other.expect(200).get(`/events?after=${next}`)).body.items, [])
})

test('a bad cursor, type, limit or wait is refused', async (t) => {
  const { operator } = await startService(t)
  const cursor = (text: string) => Buffer.from(text).toString('base64url')
  for (const query of [
    'after=x',
    'after=',
    `after=${cursor('1')}`,
    `after=${cursor('1.x')}`,
    `after=${cursor('99999999999999999999.1')}`,
    `after=${cursor('1.9999999999999999')}`,
    `after=${cursor('-1.1')}`,
    'types=calls',
    'types=replies,calls',
    'limit=0',
    'limit=1001',
    'wait=31',
    'wait=-1',
    'wait=soon'
  ]) {
    const { body } = await operator.expect(400).get(`/events?${query}`)
    assert.equal(body.details[0].path, query.split('=', 1)[0], query)
  }
  assert.deepEqual((await operator.expect(200).get(`/events?after=${cursor('18446744073709551615.1')}`)).body.items, [])
  await operator.expect(400).get('/events/stream?types=calls')
  await operator.expect(400).get('/events/stream', { 'last-event-id': 'x' })
})

test('a request that waits is answered when something happens, or when its time is over', async (t) => {
  const service = await startService(t)
  const { operator } = service
  const startedMs = performance.now()
  const nothing = (await operator.expect(200).get('/events?wait=1')).body
  const waitedMs = performance.now() - startedMs
  assert.ok(waitedMs >= 1000 && waitedMs < 5000, `waited ${waitedMs} ms`)
  const answer = operator.expect(200).get(`/events?after=${nothing.next}&wait=30`)
  await happen(service, operator, 'stops', 1)
  assert.deepEqual(numbersOf((await answer).body.items), [1])
})

test('ten requests of an account may wait; the next gets 429, and other accounts are not affected', async (t) => {
  const service = await startService(t)
  const { operator } = service
  const other = await service.newAccount()
  const { next } = (await operator.expect(200).get('/events')).body
  const waiting = Array.from({ length: 11 }, () => operator.get(`/events?after=${next}&wait=30`))
  const refused = await Promise.race(waiting)
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
  await operator.expect(200).get(`/events?after=${next}`)
  await other.expect(200).get('/events?wait=1')
  await happen(service, operator, 'stops', 1)
  const answers = await Promise.all(waiting)
  assert.equal(answers.filter(({ status }) => status === 200).length, 10)
  assert.equal((await operator.expect(200).get(`/events?after=${next}&wait=1`)).body.items.length, 1)
})

test('a client that goes away leaves its place, and the database is asked nothing more for it', async (t) => {
  const service = await startService(t)
  const { operator } = service
  const { next } = (await operator.expect(200).get('/events')).body
  for (let n = 0; n < 12; n++) {
    const controller = new AbortController()
    const asked = fetch(`${service.url}/events?after=${next}&wait=30`, {
      headers: { 'x-api-key': operator.apiKey },
      signal: controller.signal
    })
    await eventually(async () => assert.match(await metrics(service), /requests_in_progress 1\n/))
    controller.abort()
    await assert.rejects(asked)
    await eventually(async () => assert.match(await metrics(service), /requests_in_progress 0\n/))
  }
  // On a connection of its own, so that it does not take the place of the one it looks for.
  const onlooker = connect({ url: service.databaseUrl, applicationName: 'onlooker', connectionsMax: 1 })
  atEnd(t, () => onlooker.close(1))
  await eventually(async () => {
    const asked = await onlooker`
      select
      from pg_stat_activity
      where datname = current_database()
        and pid <> pg_backend_pid()
        and query like '%scanned as%'
        and query_start > now() - interval '750 ms'
    `
    assert.equal(asked.length, 0)
  })
})

test('a stream shows past and new events, and goes on at the position of its client', async (t) => {
  const service = await startService(t)
  const { operator } = service
  await operator.expect(200).get('/events')
  await happen(service, operator, 'replies', 1)
  const stream = await openStream(t, service, operator)
  assert.equal(stream.response.headers['content-type'], 'text/event-stream; charset=utf-8')
  await eventually(() => assert.deepEqual(numbersOf(stream.items()), [1]))
  await happen(service, operator, 'stops', 2)
  await eventually(() => assert.deepEqual(numbersOf(stream.items()), [1, 2]))
  const [first] = stream.events()
  assert.equal(first?.type, 'replies')
  assert.deepEqual(stream.items(), (await operator.expect(200).get('/events')).body.items)

  const id = first?.id ?? ''
  const back = await openStream(t, service, operator, { headers: { 'last-event-id': id } })
  await eventually(() => assert.deepEqual(numbersOf(back.items()), [2]))
  const after = await openStream(t, service, operator, { query: `?after=${id}&types=clicks,stops` })
  await eventually(() => assert.deepEqual(numbersOf(after.items()), [2]))
  assert.equal((await operator.expect(200).get(`/events?after=${id}`)).body.items.length, 1)
})

test('a client that leaves its stream leaves its place', async (t) => {
  const service = await startService(t)
  for (let n = 0; n < 12; n++) {
    const stream = await openStream(t, service, service.operator)
    stream.response.destroy()
    await eventually(async () => assert.match(await metrics(service), /requests_in_progress 0\n/))
  }
})

test('a stop ends streams cleanly and answers waiting requests, at once', async (t) => {
  const service = await startService(t)
  const { operator } = service
  const stream = await openStream(t, service, operator)
  const waiting = operator.expect(200).get('/events?wait=30')
  await eventually(async () => assert.match(await metrics(service), /requests_in_progress 2\n/))
  const startedMs = performance.now()
  await service.stop()
  assert.ok(performance.now() - startedMs < 5_000)
  assert.deepEqual((await waiting).body.items, [])
  await stream.ended
  assert.ok(stream.response.complete)
})

test('a stream ends with the token or the key that it was asked with, and only then', async (t) => {
  const service = await startService(t)
  const { anonymous, operator } = service
  const { email, password } = operator
  const { token } = (await anonymous.expect(200).post('/auth/login', { email, password })).body
  const authorization = `Bearer ${token}`
  const byKey = await openStream(t, service, operator)
  const byToken = await openStream(t, service, { apiKey: '' }, { headers: { authorization } })
  await anonymous.expect(200).post('/auth/logout', undefined, { authorization })
  await byToken.ended
  assert.ok(byToken.response.complete)
  await happen(service, operator, 'replies', 1)
  await eventually(() => assert.deepEqual(numbersOf(byKey.items()), [1]))
  await operator.expect(200).post('/users/apikey/rotate', {})
  await byKey.ended
})

test('the feed and its stream need credentials', async (t) => {
  const { anonymous } = await startService(t)
  await anonymous.expect(401).get('/events/stream')
  await anonymous.expect(401).get('/events')
})

/** The events of the feed, once no older transaction runs; transactions in other tests' databases count too. */
function told(account: TestAccount, query: string, numbers: number[]) {
  return eventually(async () => {
    const { body } = await account.expect(200).get(`/events${query}`)
    assert.deepEqual(numbersOf(body.items), numbers)
    return body
  })
}

interface StreamedEvent {
  id: string
  type: string
  data: string
}

async function openStream(
  t: TestContext,
  { url }: TestService,
  { apiKey }: Pick<TestAccount, 'apiKey'>,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {}
) {
  const asked = request(`${url}/events/stream${query}`, { headers: { 'x-api-key': apiKey, ...headers } })
  asked.on('error', () => undefined).end() // For requests that the test itself cuts off.
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  atEnd(t, () => response.destroy())
  assert.equal(response.statusCode, 200)
  let text = ''
  response
    .setEncoding('utf8')
    .on('data', (chunk) => {
      text += chunk
    })
    .on('error', () => undefined)
  const ended = once(response, 'end')
  ended.catch(() => undefined)
  const events = () => text.split('\n\n').flatMap((block) => readEvent(block) ?? [])
  return { response, ended, events, items: () => events().map(({ data }) => JSON.parse(data)) }
}

function readEvent(block: string): StreamedEvent | undefined {
  const [, id = '', type = '', data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? []
  return data === undefined ? undefined : { id, type, data }
}

function numbersOf(items: { data: { message_id: number } }[]): number[] {
  return items.map(({ data }) => data.message_id)
}

async function metrics({ url }: TestService): Promise<string> {
  return (await fetch(`${url}/metrics`)).text()
}

async function happen({ pool }: TestService, account: TestAccount, type: EventType, n: number): Promise<void> {
  await pool.begin((database) => recordEvents(database, [{ accountId: account.id, type, record: { message_id: n } }]))
}
