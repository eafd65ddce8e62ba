import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { giveUp, magic, sendRcs, startRcs, untilRcsSummary } from '../../test/messages/rcs.ts'
import { mobiles, send, startDelivering, untilSummary } from '../../test/messages/sending.ts'
import { carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { startService, test } from '../../test/service/service.ts'
import { deleteOldHistory } from './history.store.ts'
import { CarrierHistory } from './history.ts'
import { storeHistory } from './store-history.ts'

const FR = { country: 'FR', seconds: 2 }

test('answers and receipts of a carrier are in its history, by country and error, also those of its last seconds', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const { operator } = service
  const id = await send(operator, { recipients: [...mobiles(6), '+447400123456'] })
  await untilSummary(operator, id, { delivered: 7 })
  smsc.apply('refuse next 2 submits with ESME_RINVDSTADR')
  const refused = await send(operator, { recipients: mobiles(2) })
  await untilSummary(operator, refused, { failed: 2 })
  await service.stop()
  const { operator: again, newAccount } = await service.startPeer(t, {})
  for (const period of ['hour', 'day', 'month']) {
    const { body } = await again.expect(200).get(`/carriers/history?period=${period}`)
    const [main, ...others] = body.carriers
    assert.deepEqual([others, main.carrier, main.accepted, main.rejected], [[], 'main', 7, 2])
    assert.deepEqual([main.delivered, main.undelivered, main.delivery_rate], [7, 0, 1])
    assert.ok(main.answer_seconds >= 0 && main.receipt_seconds >= 0)
    // Two rows where the minutes change meanwhile.
    assert.equal(
      main.points.reduce((sum: number, { accepted }: { accepted: number }) => sum + accepted, 0),
      7
    )
    assert.deepEqual(
      body.countries.map(({ country, accepted }: { country: string; accepted: number }) => [country, accepted]),
      [
        ['FR', 6],
        ['GB', 1]
      ]
    )
    assert.deepEqual(body.errors, [{ carrier: 'main', country: 'FR', error: 'ESME_RINVDSTADR', recipients: 2 }])
  }
  assert.deepEqual((await again.expect(200).get('/carriers/history?name=other')).body.carriers, [])
  await again.expect(400).get('/carriers/history?period=year')
  await (await newAccount()).expect(403).get('/carriers/history')
})

test('an RCS is in the history once: delivered by its first report, undelivered when it falls back', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const [offline = ''] = magic('08')
  const id = await sendRcs(account, [...magic('12', 2), offline])
  // Two are delivered, and read a moment later.
  await untilRcsSummary(account, id, { read: 2, sent: 1 })
  await giveUp(service)
  await untilRcsSummary(account, id, { read: 2, delivered: 1 })
  await service.stop()
  const { operator } = await service.startPeer(t, {})
  const { body } = await operator.expect(200).get('/carriers/history?period=hour')
  const figures = body.carriers.map((row: Record<string, unknown>) => [
    row.carrier,
    row.accepted,
    row.delivered,
    row.undelivered
  ])
  assert.deepEqual(figures, [
    ['main', 1, 1, 0],
    ['rcs', 3, 2, 1]
  ])
  assert.ok(body.carriers[1].receipt_seconds > 0)
  assert.deepEqual(body.errors, [{ carrier: 'rcs', country: 'FR', error: 'rcs_not_delivered', recipients: 1 }])
})

test('two processes add to the same rows, what could not be stored is stored next, and old rows go', async (t) => {
  const { operator, pool } = await startService(t)
  const [one, other] = [new CarrierHistory(), new CarrierHistory()]
  for (const history of [one, other]) {
    for (const country of ['GB', 'FR']) {
      history.onOutcome('main', { kind: 'accepted', carrierMessageIds: [] }, { ...FR, country })
      history.onReceipt('main', { country, isDelivered: false, errorCode: 'x'.repeat(500), seconds: 1 })
    }
  }
  const lost = { begin: () => Promise.reject(new Error('away')) } as unknown as typeof pool
  await assert.rejects(storeHistory(lost, one))
  one.onOutcome('main', { kind: 'retry', reason: 'ESME_RTHROTTLED', delaySeconds: 1 }, FR)
  await Promise.all([storeHistory(pool, one), storeHistory(pool, other)])
  await Promise.all([storeHistory(pool, one), storeHistory(pool, other)])
  const { body } = await operator.expect(200).get('/carriers/history?period=month')
  const [{ accepted, retried, undelivered, answer_seconds: seconds }] = body.carriers
  assert.deepEqual([accepted, retried, undelivered, seconds], [4, 1, 4, 2])
  assert.deepEqual(
    body.errors.map(({ error, recipients }: { error: string; recipients: number }) => [error, recipients]),
    [
      ['x'.repeat(64), 2],
      ['x'.repeat(64), 2],
      ['ESME_RTHROTTLED', 1]
    ]
  )
  await pool`update carrier_figures set begins_at = begins_at - interval '4 days'`
  await deleteOldHistory(pool)
  assert.deepEqual(await pool`select distinct span from carrier_figures`, [{ span: 'day' }])
})

test('the queue is told by route, category and age', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  await send(operator, { recipients: mobiles(3) })
  await send(operator, { recipients: mobiles(2), category: 'transactional' })
  await pool`
    update batches
    set due_at = now() - interval '10 minutes' - make_interval(secs => head_start_seconds), is_ready = true
    where cardinality(positions) = 3
  `
  await eventually(async () => {
    const { body } = await operator.expect(200).get('/carriers/queue')
    const [{ carriers, recipients, up_to_hour: upToHour, oldest_seconds: oldest }] = body
    assert.ok(carriers.length > 0 && oldest >= 600)
    assert.deepEqual([recipients, upToHour], [5, 3])
  })
  await (await newAccount()).expect(403).get('/carriers/queue')
})
