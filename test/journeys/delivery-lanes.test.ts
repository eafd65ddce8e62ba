import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import {
  mobiles,
  readMessage,
  readRecipients,
  readTimeline,
  send,
  startDelivering,
  untilSummary
} from '../messages/sending.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { test } from '../service/service.ts'

/** In the order in which phones received them. */
function recordOrder(smsc: Awaited<ReturnType<typeof startSmsc>>): string[] {
  const order: string[] = []
  smsc.phones.onMessage((_number, { content }) => order.push(content))
  return order
}

const WINDOW = 50

/** Sends while the carrier answers nobody, so that a slow machine gives the others no head start. Returns how many had left. */
async function sendMeanwhile(
  smsc: Awaited<ReturnType<typeof startSmsc>>,
  order: readonly string[],
  sendOne: () => Promise<number>
): Promise<{ id: number; before: number }> {
  smsc.apply('hold answers')
  const id = await sendOne()
  const before = order.length
  smsc.apply('release answers')
  return { id, before }
}

test('one account’s code leaves at once, whatever another account has in the queue', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const order = recordOrder(smsc)
  const service = await startDelivering(t, [carrierTo(smsc, { window: WINDOW })])
  const [large, small] = [await service.newAccount({ credits: 20_000 }), await service.newAccount({ credits: 10 })]
  const campaigns = [
    await send(large, { recipients: mobiles(1_500), content: 'Campaign' }),
    await send(large, { recipients: mobiles(1_500, '+336130'), content: 'Campaign' })
  ]
  for (const [index, wait] of [200, 900, 1_600].entries()) {
    await eventually(() => assert.ok(order.length >= wait))
    const { id: code, before } = await sendMeanwhile(smsc, order, () =>
      send(small, { recipients: mobiles(1, '+336140'), content: `Code ${index}` })
    )
    await eventually(async () => assert.equal((await readMessage(small, code)).summary.delivered, 1))
    const place = order.indexOf(`Code ${index}`) - before
    // What is in the window has left; as much may have been made ready while the code was accepted.
    assert.ok(place <= 8 * WINDOW, `code ${index} left after ${place} of the campaign`)
  }
  assert.ok(order.length < 3_000, 'the campaign was still running')
  for (const id of campaigns) await untilSummary(large, id, { delivered: 1_500 }, { withinMs: 30_000 })
  await assertInvariants(service, { smscs: [smsc], accounts: [large, small] })
})

test('an account’s code passes its own campaign, also while a carrier has enough of it', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const order = recordOrder(smsc)
  const service = await startDelivering(t, [carrierTo(smsc, { window: 10 })])
  const account = await service.newAccount({ credits: 2_000 })
  const campaign = await send(account, { recipients: mobiles(1_500), content: 'Campaign' })
  for (const [index, wait] of [50, 200].entries()) {
    await eventually(() => assert.ok(order.length >= wait))
    const { id: code, before } = await sendMeanwhile(smsc, order, () =>
      send(account, { recipients: mobiles(1, '+336140'), content: `Code ${index}` })
    )
    await eventually(async () => assert.equal((await readMessage(account, code)).summary.delivered, 1))
    const place = order.indexOf(`Code ${index}`) - before
    assert.ok(place <= 80, `code ${index} left after ${place} of the campaign`)
  }
  assert.ok(order.length < 1_500, 'the campaign was still running')
  await untilSummary(account, campaign, { delivered: 1_500 }, { withinMs: 60_000 })
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('thousands of scheduled messages that come due at once do not hold up a code', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const order = recordOrder(smsc)
  const service = await startDelivering(t, [carrierTo(smsc, { window: WINDOW })])
  const [large, small] = [await service.newAccount({ credits: 20_000 }), await service.newAccount({ credits: 10 })]
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const scheduled: number[] = []
  for (let index = 0; index < 10; index++) {
    const recipients = mobiles(300, `+336120${index}`)
    scheduled.push(await send(large, { recipients, content: 'Scheduled', scheduleAt }))
  }
  const early = await send(small, { recipients: mobiles(1, '+336140'), content: 'Before' })
  await untilSummary(small, early, { delivered: 1 })
  assert.deepEqual(order, ['Before'], 'what is due later does not leave')

  await service.pool`update batches set due_at = now()`
  await service.pool`update messages set scheduled_at = now() where state = 'scheduled'`
  await eventually(() => assert.ok(order.length >= 100))
  const { id: code, before } = await sendMeanwhile(smsc, order, () =>
    send(small, { recipients: mobiles(1, '+336150'), content: 'Code' })
  )
  await untilSummary(small, code, { delivered: 1 })
  const place = order.indexOf('Code') - before
  assert.ok(place <= 8 * WINDOW, `the code left after ${place} of the scheduled ones`)
  assert.ok(order.length < 3_000, 'which were still leaving')
  for (const id of scheduled) await untilSummary(large, id, { delivered: 300 }, { withinMs: 30_000 })
  assert.equal((await readMessage(large, scheduled[0] as number)).state, 'sent')
  await assertInvariants(service, { smscs: [smsc], accounts: [large, small] })
})

test('transactional messages overtake a marketing campaign of the same account', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const order = recordOrder(smsc)
  const service = await startDelivering(t, [carrierTo(smsc, { window: WINDOW })])
  const account = await service.newAccount({ credits: 20_000 })
  // To the United Kingdom: the hours of marketing are those of France.
  const recipients = Array.from({ length: 2_000 }, (_, index) => `+4479111${String(index).padStart(5, '0')}`)
  const campaign = await send(account, { recipients, content: 'Sale STOP 36111', category: 'marketing' })
  await eventually(() => assert.ok(order.length >= 200))
  const { id, before } = await sendMeanwhile(smsc, order, () =>
    send(account, { recipients: mobiles(20), content: 'Code' })
  )
  await untilSummary(account, id, { delivered: 20 })
  const place = order.lastIndexOf('Code') - before
  assert.ok(place <= 8 * WINDOW, `the last of them left after ${place} of the campaign`)
  await untilSummary(account, campaign, { delivered: 2_000 }, { withinMs: 30_000 })
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('what could not leave in time does not leave after an outage, and its credits come back', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const account = await service.newAccount({ credits: 10 })
  await smsc.stop()
  await eventually(async () => assert.equal((await fetch(`${service.url}/health/ready`)).status, 503))
  const stale = await send(account, { recipients: mobiles(5), content: 'Your code' })
  const long = await send(account, { recipients: mobiles(1, '+336130'), content: 'x'.repeat(200) })
  assert.equal((await readMessage(account, stale)).summary.waiting, 5)
  await service.pool`
    update batches set expires_at = now() - interval '1 hour', due_at = now() - interval '25 hours'
  `
  const fresh = await send(account, { recipients: mobiles(1, '+336140'), content: 'Fresh' })
  const back = await startSmsc(t, { port: smsc.port })
  await untilSummary(account, fresh, { delivered: 1 })
  await untilSummary(account, stale, { failed: 5 })
  await untilSummary(account, long, { failed: 1 })
  assert.equal(back.stats.accepted, 1)
  assert.deepEqual(
    (await readRecipients(account, stale)).map(({ deliver, errorcode, sent_at }) => [deliver, errorcode, sent_at]),
    Array(5).fill([4, 'expired', null])
  )
  assert.deepEqual(
    [(await readMessage(account, stale)).state, (await readMessage(account, long)).state],
    ['failed', 'failed']
  )
  const steps = (await readTimeline(account, stale)).map(({ step }) => step)
  assert.deepEqual(steps, ['accepted', 'expired'])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 9)
  await assertInvariants(service, { smscs: [smsc, back], accounts: [account] })
})
