import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { connect } from '../../src/database/database.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { assertConventional, readMetrics } from '../checks/metrics.ts'
import { giveUp, magic, sendRcs, startRcsWorld, tellEvents, untilRcsSummary } from '../messages/rcs.ts'
import { mobiles, send, untilSummary } from '../messages/sending.ts'
import { carrierToRbm } from '../peers/rbm.ts'
import { startReceiver } from '../peers/receiver.ts'
import { carrierTo } from '../peers/smsc.ts'
import { atEnd } from '../service/cleanup.ts'
import { startService, type TestService, test } from '../service/service.ts'

/** Figures of the database are kept for up to 15 s. */
const KEPT = { withinMs: 20_000, everyMs: 500 }

/** A webhook for each way to fail, and one that works. */
async function failingWebhooks(t: TestContext): Promise<Record<string, string>> {
  const answering = async (status: number) => (await startReceiver(t, () => status)).url
  const hanging = await startReceiver(t, () => new Promise<number>(() => undefined))
  return {
    succeeded: await answering(200),
    redirect: await answering(302),
    refused: await answering(404),
    gone: await answering(410),
    'server-error': await answering(503),
    timeout: hanging.url,
    connection: 'http://127.0.0.1:9/hook',
    tls: (await answering(200)).replace('http:', 'https:')
  }
}

test('a full carrier, lost receipts, failing webhooks and a busy pool show in the metrics', async (t) => {
  const { smsc, rbm, file } = await startRcsWorld(t, { smscFaults: 'receipts before answers\nhold answers' })
  const byRcs = await carrierToRbm(t, rbm, { fallbackDelay: 3_600 })
  const carriers = [
    carrierTo(smsc, { window: 2, answerTimeout: 60 }),
    carrierTo({ host: '127.0.0.1', port: 9 }, { name: 'down' }),
    byRcs
  ]
  await file.write(carriers, [
    { prefix: '34', carriers: ['down'] },
    { prefix: '', carriers: ['main'] },
    { channel: 'rcs', prefix: '', carriers: ['rcs'] }
  ])
  const service = await startService(t, {
    settings: {
      CHAPPE_ROLES: 'all',
      CHAPPE_CARRIERS: file.path,
      CHAPPE_SMPP_PORT: '0',
      CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true',
      // Nobody is there: its metrics are.
      CHAPPE_READ_URL: 'postgres://chappe@127.0.0.1:9/chappe'
    }
  })
  await eventually(async () => {
    const value = await readMetrics(service)
    const up = ['main', 'down', 'rcs'].map((name) => value(`chappe_carrier_up{carrier="${name}"}`))
    assert.deepEqual(up, [1, 0, 1])
  })
  await tellEvents(rbm, service)
  const account = await service.newAccount({ credits: 1_000 })
  const urls = await failingWebhooks(t)
  const webhooks = Object.values(urls).map((url) => ({ type: 'rcs_status', url }))
  await account.expect(200).put('/webhooks', { webhooks })
  const before = await readMetrics(service)
  // Alerts on their increase see the first one only when 0 was there before it.
  for (const carrier of ['main', 'down', 'rcs']) {
    assert.equal(before(`chappe_delivery_restarts_total{carrier="${carrier}"}`), 0)
    assert.equal(before(`chappe_refusals_total{carrier="${carrier}",class="access",outcome="rejected"}`), 0)
    assert.equal(before(`chappe_refusals_total{carrier="${carrier}",class="access",outcome="retry"}`), 0)
  }
  for (const reason of ['gone', 'failing']) {
    assert.equal(before(`chappe_webhooks_disabled_total{reason="${reason}"}`), 0)
  }

  // The window is full from the first message on. Its receipts come before its answers, and match nothing.
  const first = await send(account, { recipients: mobiles(2) })
  await eventually(() => assert.equal(smsc.stats.receiptsSent, 2))
  const second = await send(account, { recipients: mobiles(3, '+336130') })
  // Their carrier is down, so they wait in the queue.
  const waiting = [
    await send(account, { recipients: ['+34612000001', '+34612000002', '+34612000003'] }),
    await send(account, { recipients: ['+34612000004'], content: 'Rebajas STOP 36111', category: 'marketing' })
  ]
  // To the United Kingdom: the hours of marketing are those of France.
  const abroad = ['+447911100001', '+447911100002', '+447911100003', '+447911100004']
  const campaign = await send(account, { recipients: abroad, content: 'Sale STOP 36111', category: 'marketing' })
  const arrived = await sendRcs(account, magic('01', 2))
  await untilRcsSummary(account, arrived, { delivered: 2 })
  const offline = await sendRcs(account, magic('08'))
  await untilRcsSummary(account, offline, { sent: 1 })
  await giveUp(service)
  await assertPoolShows(t, service)

  await eventually(async () => {
    const value = await readMetrics(service)
    const above = (least: number, name: string) => assert.ok((value(name) ?? 0) >= least, `${name}: ${value(name)}`)
    above(1, 'chappe_queue_batches{lane="transactional"}')
    above(3, 'chappe_queue_recipients{lane="transactional"}')
    above(1, 'chappe_queue_batches{lane="marketing"}')
    above(1, 'chappe_queue_recipients{lane="marketing"}')
    for (const lane of ['transactional', 'marketing']) above(0.001, `chappe_queue_age_seconds{lane="${lane}"}`)
    assert.equal(value('chappe_window_used{carrier="main"}'), 2)
    assert.equal(value('chappe_receipts_parked'), 2)
    above(0.001, 'chappe_receipts_parked_age_seconds')
    above(13, 'chappe_credits_reserved{channel="sms"}')
    for (const outcome of Object.keys(urls)) above(1, `chappe_webhook_posts_total{outcome="${outcome}"}`)
    above(1, 'chappe_webhook_queue_events')
    above(0.001, 'chappe_webhook_queue_age_seconds')
    above(1, 'chappe_webhooks{state="failing"}')
    above(1, 'chappe_webhooks{state="disabled"}')
    above(1, 'chappe_webhooks_disabled_total{reason="gone"}')
    assert.ok((value(/^chappe_database_dead_rows\{/) ?? 0) > 0, 'dead rows')
    assert.ok((value(/^chappe_database_live_rows\{/) ?? 0) > 0, 'live rows')
    for (const pool of ['requests', 'delivering']) {
      above(1, `chappe_database_statement_seconds_count{pool="${pool}"}`)
      above(1e-6, `chappe_database_statement_seconds_sum{pool="${pool}"}`)
    }
    above(1e-6, 'nodejs_eventloop_lag_max_seconds')
    above(1e-6, 'nodejs_eventloop_lag_p99_seconds')
    assertGrown(value, before, RCS_METRICS)
  }, KEPT)
  assertConventional(await (await fetch(`${service.url}/metrics`)).text())

  for (const id of waiting) await account.expect(200).put(`/messages/${id}/cancel`)
  smsc.apply('behave\nrelease answers')
  await untilSummary(account, second, { delivered: 3 })
  await untilSummary(account, campaign, { delivered: 4 })
  await service.pool`update parked_receipts set next_try_at = now() where next_try_at is not null`
  await untilSummary(account, first, { delivered: 2 })
  assertGrown(await readMetrics(service), before, [
    ['chappe_message_to_carrier_seconds_count{lane="marketing"}', 4],
    ['chappe_message_to_phone_seconds_count{lane="marketing"}', 4]
  ])
  await untilRcsSummary(account, offline, { delivered: 1 })
  await assertInvariants(service, { smscs: [smsc] })
})

type Metrics = Awaited<ReturnType<typeof readMetrics>>

/** Of the process, which other tests share. Of any country: it may have met too many of them before. */
const RCS_METRICS: [RegExp, number][] = [
  [/^chappe_recipients_reported_total\{carrier="rcs",country="(FR|other)",state="delivered"\}$/, 2],
  [/^chappe_recipients_reported_total\{carrier="rcs",country="(FR|other)",state="failed"\}$/, 1],
  [/^chappe_receipt_delay_seconds_count\{carrier="rcs",country="(FR|other)"\}$/, 2]
]

function assertGrown(value: Metrics, before: Metrics, expected: [string | RegExp, number][]): void {
  for (const [name, by] of expected) assert.equal((value(name) ?? 0) - (before(name) ?? 0), by, String(name))
}

/** A pool of one connection, which a transaction holds while a statement waits. */
async function assertPoolShows(t: TestContext, service: TestService): Promise<void> {
  const pool = connect({ url: service.databaseUrl, applicationName: 'chappe 1 narrow', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const transaction = pool.begin(async (sql) => {
    await sql`select 1`
    begin()
    await held
  })
  await begun
  const waiting = pool`select 1`.then((rows) => rows)
  const during = await readMetrics(service)
  assert.equal(during('chappe_database_pool_waiting{pool="narrow"}'), 1)
  assert.equal(during('chappe_database_connections{pool="narrow",state="busy"}'), 1)
  release()
  await Promise.all([transaction, waiting])
  const after = await readMetrics(service)
  assert.equal(after('chappe_database_pool_waiting{pool="narrow"}'), 0)
  assertGrown(after, during, [['chappe_database_pool_wait_seconds_count{pool="narrow"}', 1]])
  assert.ok((after('chappe_database_pool_wait_seconds_sum{pool="narrow"}') ?? 0) > 0)
}
