import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { BindStatus } from '../../src/carriers/carrier.ts'
import { createLimits } from '../../src/carriers/limits.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { readMetrics } from '../checks/metrics.ts'
import {
  countDoubts,
  decideDoubts,
  mobiles,
  readMessage,
  readTimeline,
  send,
  startDelivering,
  untilReady,
  untilSummary
} from '../messages/sending.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { startService, type TestService, test } from '../service/service.ts'

async function readiness({ url }: TestService): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/health/ready`)
  return { status: answer.status, text: await answer.text() }
}

/** A port that nobody listens on, and that nobody else takes meanwhile. */
async function reservePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

test('a carrier that throttles gets everything in the end: nothing lost, nothing charged twice, nothing failed', async (t) => {
  // Less than its window: also a busy machine hands over more at once.
  const smsc = await startSmsc(t, { faults: 'throttle 40/s' })
  const service = await startDelivering(t, [carrierTo(smsc)])
  const account = await service.newAccount({ credits: 300 })
  const id = await send(account, { recipients: mobiles(300) })
  await untilSummary(account, id, { delivered: 300 }, { withinMs: 30_000 })
  assert.ok(smsc.stats.throttled > 0, 'it was throttled')
  assert.deepEqual([smsc.stats.accepted, smsc.repeated()], [300, []])
  const message = await readMessage(account, id)
  assert.deepEqual([message.state, message.credits_refunded], ['sent', 0])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 0)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('each way of a carrier to say that it is too busy is tried again and costs nothing', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const account = await service.newAccount({ credits: 30 })
  for (const status of ['ESME_RTHROTTLED', 'ESME_RMSGQFUL']) {
    smsc.apply(`refuse next 3 submits with ${status}`)
    const id = await send(account, { recipients: mobiles(5), content: status })
    await untilSummary(account, id, { delivered: 5 })
    const steps = (await readTimeline(account, id)).map(({ step, detail }) => `${step} ${detail}`)
    assert.equal(steps.filter((step) => step === `retry ${status}`).length, 1)
  }
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 20)
  assert.deepEqual(smsc.repeated(), [])
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('when the first carrier of a route is down the second takes over, and gives way when the first is back', async (t) => {
  const port = await reservePort()
  const second = await startSmsc(t)
  const service = await startDelivering(t, [
    carrierTo({ host: '127.0.0.1', port }, { name: 'first' }),
    carrierTo(second, { name: 'second' })
  ])
  const one = await send(service.operator, { recipients: mobiles(5) })
  await untilSummary(service.operator, one, { delivered: 5 })
  assert.equal(second.stats.accepted, 5)
  assert.equal((await readTimeline(service.operator, one)).find(({ step }) => step === 'sent')?.carrier, 'second')

  const first = await startSmsc(t, { port })
  await eventually(() => assert.equal(first.sessionCount, 1))
  const two = await send(service.operator, { recipients: mobiles(5, '+336130') })
  await untilSummary(service.operator, two, { delivered: 5 })
  assert.deepEqual([first.stats.accepted, second.stats.accepted], [5, 5])

  await first.stop()
  const three = await send(service.operator, { recipients: mobiles(5, '+336140') })
  await untilSummary(service.operator, three, { delivered: 5 })
  assert.deepEqual([first.stats.accepted, second.stats.accepted], [5, 10])
  await assertInvariants(service, { smscs: [first, second] })
})

test('what is in doubt at the first carrier is not sent through the second before its time', async (t) => {
  const first = await startSmsc(t, { faults: 'hold answers\nreceipts before answers\ndrop receipts' })
  const second = await startSmsc(t)
  const service = await startDelivering(t, [
    carrierTo(first, { name: 'first', window: 10 }),
    carrierTo(second, { name: 'second' })
  ])
  const id = await send(service.operator, { recipients: mobiles(30) })
  await eventually(() => assert.equal(first.stats.accepted, 10))
  await first.stop()
  await untilSummary(service.operator, id, { delivered: 20, waiting: 10 })
  assert.equal(await countDoubts(service), 10)
  assert.equal(second.stats.accepted, 20)
  await decideDoubts(service)
  await untilSummary(service.operator, id, { delivered: 30 })
  assert.equal(second.stats.accepted, 30)
  await assertInvariants(service, { smscs: [first, second] })
})

test('ready means that every route has a carrier that is up', async (t) => {
  const port = await reservePort()
  const one = await startSmsc(t)
  const service = await startDelivering(
    t,
    [carrierTo(one, { name: 'one' }), carrierTo({ host: '127.0.0.1', port }, { name: 'two' })],
    {
      routes: [
        { prefix: '33', carriers: ['one'] },
        { prefix: '', carriers: ['two'] }
      ],
      isWaitedFor: false
    }
  )
  await eventually(() => assert.equal(one.sessionCount, 1))
  const not = await readiness(service)
  assert.equal(not.status, 503)
  assert.match(not.text, /no carrier is up for all other numbers/)
  const two = await startSmsc(t, { port })
  await untilReady(service)
  await one.stop()
  await eventually(async () => assert.match((await readiness(service)).text, /no carrier is up for \+33/))
  assert.equal((await fetch(`${service.url}/health/live`)).status, 200)
  await assertInvariants(service, { smscs: [one, two] })
})

test('the operator sees carriers with their binds, and receipts without a match page by page; nobody else does', async (t) => {
  const smsc = await startSmsc(t, { faults: 'hold receipts' })
  const service = await startDelivering(
    t,
    [carrierTo(smsc, { name: 'main', sessions: 2, window: 7 }), carrierTo(smsc, { name: 'spare', systemId: 'other' })],
    {
      routes: [
        { prefix: '33', carriers: ['main', 'spare'] },
        { prefix: '', carriers: ['spare'] }
      ]
    }
  )
  const stranger = await service.newAccount()
  for (const path of ['/carriers', '/carriers/unmatched']) {
    await stranger.expect(403).get(path)
    await service.anonymous.expect(401).get(path)
  }
  // How a bind is doing is told when its lease is renewed, every three seconds.
  const body = await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/carriers')
    assert.deepEqual(
      body.map((carrier: { is_up: boolean; binds: unknown[] }) => [carrier.is_up, carrier.binds.length]),
      [
        [true, 2],
        [true, 1]
      ]
    )
    return body
  })
  const [main, spare] = body
  assert.deepEqual(
    [main.name, main.type, main.sessions, main.message_id_format, main.learned_id_form, main.routes],
    ['main', 'smpp', 2, 'auto', null, [{ channel: 'sms', prefix: '33', rank: 1 }]]
  )
  assert.deepEqual(spare.routes, [
    { channel: 'sms', prefix: '33', rank: 2 },
    { channel: 'sms', prefix: '', rank: 1 }
  ])
  const [bind] = main.binds
  assert.deepEqual([bind.slot, bind.state, bind.mode, bind.window], [1, 'bound', 'transceiver', 7])
  assert.doesNotMatch(JSON.stringify(body), /secret/, 'no password is shown')

  // Of two segments each: the process keeps the ids of single ones in memory, where they can't be lost.
  const id = await send(service.operator, { recipients: mobiles(25), content: 'x'.repeat(200) })
  await untilSummary(service.operator, id, { sent: 25 })
  await service.pool`update submissions set carrier_message_id = 'lost ' || carrier_message_id`
  smsc.apply('release receipts')
  await eventually(() => assert.equal(smsc.stats.receiptsAcknowledged, 50))
  const pages = await Promise.all(
    [1, 2, 3].map((page) => service.operator.expect(200).get(`/carriers/unmatched?page=${page}&limit=20`))
  )
  assert.deepEqual(
    pages.map(({ body }) => [body.items.length, body.meta.totalItems, body.meta.totalPages]),
    [
      [20, 50, 3],
      [20, 50, 3],
      [10, 50, 3]
    ]
  )
  const ids = pages.flatMap(({ body }) => body.items.map((item: { id: number }) => item.id))
  assert.equal(new Set(ids).size, 50)
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => b - a),
    'newest first'
  )
  await service.operator.expect(400).get('/carriers/unmatched?limit=0')
  await assertInvariants(service, { smscs: [smsc], awaited: 25 })
})

test('the carriers file read again under load drops nothing; one with mistakes changes nothing', async (t) => {
  const old = await startSmsc(t, { faults: 'delay answers 20ms' })
  const fresh = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(old, { window: 20 })])
  const ids = [await send(service.operator, { recipients: mobiles(600), content: 'First' })]
  await eventually(() => assert.ok(old.stats.accepted > 50))
  await service.file.writeText('{ "carriers": [ { "name": "main", "type": "smpp", "prot": 1 } ], "routes": [] }')
  await service.reload()
  assert.ok(service.logLines.some((line) => line.includes('carriers file has mistakes')))
  assert.equal((await readiness(service)).status, 200)
  const before = old.stats.accepted
  await eventually(() => assert.ok(old.stats.accepted > before))

  // A wider window: the same carrier again. Then another carrier, and a route that is gone.
  await service.file.write([carrierTo(old, { window: 30 })])
  await service.reload()
  ids.push(await send(service.operator, { recipients: mobiles(100, '+336130'), content: 'Second' }))
  await service.file.write([carrierTo(fresh, { name: 'fresh' })])
  await service.reload()
  for (const [index, id] of ids.entries()) {
    await untilSummary(service.operator, id, { delivered: index === 0 ? 600 : 100 }, { withinMs: 30_000 })
  }
  assert.ok(fresh.stats.accepted > 0, 'the rest went through the new one')
  assert.equal(old.stats.accepted + fresh.stats.accepted, 700)
  assert.equal(old.sessionCount, 0, 'the old one is unbound')
  const doubts = await service.pool`select from timeline_steps where step = 'in_doubt'`
  assert.equal(doubts.length, 0, 'nothing was ever in doubt')
  await assertInvariants(service, { smscs: [old, fresh] })
})

test('metrics tell what is sent, answered and received, what is in doubt, and how full queues and windows are', async (t) => {
  const smsc = await startSmsc(t, { faults: 'refuse next 2 submits with ESME_RINVDSTADR' })
  const service = await startDelivering(t, [carrierTo(smsc, { window: 50, answerTimeout: 0.2 })])
  const before = await readMetrics(service)
  const id = await send(service.operator, { recipients: mobiles(10) })
  await untilSummary(service.operator, id, { delivered: 8, failed: 2 })
  smsc.apply('drop answers\ndrop receipts')
  const doubtful = await send(service.operator, { recipients: mobiles(3, '+336130') })
  await eventually(async () => assert.equal(await countDoubts(service), 3))
  await service.operator.expect(200).post('/messages/sms', {
    recipients: mobiles(1, '+336140'),
    content: 'Later',
    scheduleAt: new Date(Date.now() + 3_600_000).toISOString()
  })
  await eventually(async () => {
    const value = await readMetrics(service)
    assert.deepEqual(
      Object.fromEntries(Object.keys(EXPECTED_METRICS).map((name) => [name, value(name)])),
      EXPECTED_METRICS
    )
    // These are of the process, which other tests share.
    for (const [name, expected] of GROWN_METRICS) {
      assert.equal((value(name) ?? 0) - (before(name) ?? 0), expected, String(name))
    }
    for (const name of READ_METRICS) assert.notEqual(value(name), undefined, name)
  })
  smsc.apply('behave')
  await decideDoubts(service)
  await untilSummary(service.operator, doubtful, { delivered: 3 })
  // Figures of the database are kept for some seconds.
  await eventually(async () => assert.equal((await readMetrics(service))('chappe_in_doubt'), 0))
  await assertInvariants(service, { smscs: [smsc], waiting: 1 })
})

const EXPECTED_METRICS = {
  'chappe_refusals_total{carrier="main",class="number",outcome="rejected"}': 2,
  'chappe_submits_total{carrier="main"}': 13,
  'chappe_submit_answers_total{carrier="main",status="ESME_ROK"}': 8,
  'chappe_submit_answers_total{carrier="main",status="ESME_RINVDSTADR"}': 2,
  'chappe_submit_silences_total{carrier="main"}': 3,
  'chappe_receipts_total{carrier="main"}': 8,
  'chappe_outcomes_total{carrier="main",outcome="accepted"}': 8,
  'chappe_outcomes_total{carrier="main",outcome="rejected"}': 2,
  'chappe_outcomes_total{carrier="main",outcome="in-doubt"}': 3,
  chappe_in_doubt: 3,
  chappe_receipts_parked: 0,
  'chappe_queue_batches{lane="transactional"}': 0,
  'chappe_queue_age_seconds{lane="transactional"}': 0,
  'chappe_window_size{carrier="main"}': 50,
  'chappe_window_used{carrier="main"}': 0,
  'chappe_carrier_up{carrier="main"}': 1
}

/** Of any country: the process may have met too many of them before. */
const GROWN_METRICS: [string | RegExp, number][] = [
  ['chappe_message_to_carrier_seconds_count{lane="transactional"}', 8],
  ['chappe_message_to_phone_seconds_count{lane="transactional"}', 8],
  [/^chappe_recipients_reported_total\{carrier="main",country="(FR|other)",state="delivered"\}$/, 8],
  [/^chappe_receipt_delay_seconds_count\{carrier="main",country="(FR|other)"\}$/, 8]
]

/** Each statement behind a gauge works. */
const READ_METRICS = [
  'chappe_credits_reserved{channel="sms"}',
  'chappe_queue_recipients{lane="transactional"}',
  'chappe_receipts_parked_age_seconds',
  'chappe_webhook_queue_events',
  'chappe_webhook_queue_age_seconds',
  'chappe_webhooks{state="failing"}',
  'chappe_database_size_bytes',
  'chappe_database_oldest_transaction_seconds',
  'chappe_database_dead_rows{table="batches"}',
  'chappe_database_connections{pool="requests",state="idle"}',
  'chappe_database_statement_seconds_count{pool="delivering"}'
]

test('a bind that is given back is free at once, also when a renewal of it is still on its way', async (t) => {
  const { pool } = await startService(t)
  const { leases } = createLimits(pool, { owner: randomUUID() })
  const claim = () => leases.claim('main', 1, { isOfferedWanted: false, isShareWanted: false })
  const lease = await claim()
  assert.ok(lease)
  await leases.release('main', lease)
  // Over another connection it may come after the release, however they were sent.
  const renewed = await leases.renew('main', lease, { state: 'unbinding' } as BindStatus)
  assert.equal(renewed, undefined)
  assert.ok(await claim(), 'nobody holds it, so anybody may take it')
})

test('a test goes through the carrier it names, wherever the routes lead, and shows whether its alphabet is the right one', async (t) => {
  const smscs = new Map<string, Awaited<ReturnType<typeof startSmsc>>>()
  const carrier = async (name: string, encoding: string, alphabet: string) => {
    const smsc = await startSmsc(t, { faults: `alphabet ${alphabet}` })
    smscs.set(name, smsc)
    return carrierTo(smsc, { name, encoding })
  }
  const service = await startDelivering(t, [
    await carrier('gsm', 'gsm', 'gsm'),
    await carrier('latin', 'latin1', 'latin1'),
    await carrier('mistaken', 'gsm', 'latin1')
  ])
  const { operator, newAccount } = service
  const [phone = ''] = mobiles(1)
  /** Which of the texts the phone shows to the letter. */
  const shownRight = async (carrier: string) => {
    const { body } = await operator.expect(200).post(`/carriers/${carrier}/test`, { recipient: phone })
    const sent = body.messages as { message_id: number; content: string }[]
    for (const { message_id } of sent) await untilSummary(operator, message_id, { delivered: 1 })
    const shown =
      smscs
        .get(carrier)
        ?.phones.inboxOf(phone)
        .map(({ content }) => content) ?? []
    assert.equal(shown.length, 3)
    return sent.filter(({ content }) => shown.includes(content)).map(({ content }) => content.split(' ')[0])
  }
  assert.deepEqual(await shownRight('gsm'), ['GSM', 'Latin', 'Unicode'])
  assert.deepEqual(await shownRight('latin'), ['GSM', 'Latin', 'Unicode'])
  assert.deepEqual(await shownRight('mistaken'), ['Unicode'])

  await operator.expect(404).post('/carriers/nobody/test', { recipient: '+33612000000' })
  await operator.expect(400).post('/carriers/gsm/test', { recipient: '01 45' })
  await operator.expect(400).post('/carriers/gsm/test', {})
  await (await newAccount()).expect(403).post('/carriers/gsm/test', { recipient: '+33612000000' })
})
