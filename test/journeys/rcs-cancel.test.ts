import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import {
  channelsOf,
  hurryWaits,
  magic,
  readBalances,
  readRcsRecipients,
  readSteps,
  sendRcs,
  startRcs,
  untilRcsSummary
} from '../messages/rcs.ts'
import { mobiles, readMessage } from '../messages/sending.ts'
import { startSmsc } from '../peers/smsc.ts'
import { type TestAccount, test } from '../service/service.ts'

const cancel = async (account: TestAccount, id: number) =>
  (await account.expect(200).put(`/messages/${id}/cancel`)).body

const refuseCancel = async (account: TestAccount, id: number) =>
  assert.equal((await account.expect(409).put(`/messages/${id}/cancel`)).body.code, 'state_conflict')

test('a scheduled RCS that is cancelled never leaves, and all its credits come back', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 100 })
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const id = await sendRcs(account, mobiles(20), { scheduleAt, type: 'card', data: { title: 'Bonjour' } })
  assert.deepEqual(await readBalances(account), { sms: 100, rcs: 60 })
  const { state, summary, credits_refunded } = await cancel(account, id)
  assert.deepEqual([state, summary.cancelled, credits_refunded], ['cancelled', 20, 40])
  assert.deepEqual(await readBalances(account), { sms: 100, rcs: 100 })
  await refuseCancel(account, id)
  await service.pool`update batches set due_at = now()`
  assert.equal(service.rbm.stats.messages, 0)
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('cancelled while it is being sent: what arrived is paid, and whatever else was on its way is taken back', async (t) => {
  const service = await startRcs(t, { faults: 'delay answers 100ms' })
  const account = await service.newAccount({ credits: 500 })
  const [offline, others] = [magic('08', 30), mobiles(300)]
  const id = await sendRcs(account, [...offline, ...others, ...magic('07', 30)])
  await eventually(() => assert.ok(service.rbm.stats.delivered >= 50), { everyMs: 1 })
  await cancel(account, id)
  await eventually(async () => {
    const { summary } = await readMessage(account, id)
    assert.deepEqual([summary.waiting, summary.sent], [0, 0])
  })
  const { state, summary } = await readMessage(account, id)
  const arrived = others.filter((phone) => channelsOf(service, phone).length > 0)
  assert.deepEqual([state, summary.delivered], ['cancelled', arrived.length], 'what arrived, and nothing else')
  assert.equal(summary.cancelled, 360 - arrived.length)
  assert.deepEqual(await readBalances(account), { sms: 500, rcs: 500 - arrived.length })
  for (const phone of offline) service.rbm.apply(`phone ${phone} is online`)
  assert.deepEqual(
    offline.filter((phone) => channelsOf(service, phone).length > 0),
    [],
    'who was offline gets nothing when they are back'
  )
  assert.equal(service.smsc.stats.submits, 0)
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('cancelled after all of it has left: what is not delivered is revoked, and its credits come back once', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 20 })
  const [online, offline] = [mobiles(3), magic('08', 4)]
  const id = await sendRcs(account, [...online, ...offline])
  await untilRcsSummary(account, id, { delivered: 3, sent: 4 })
  assert.equal((await readMessage(account, id)).state, 'sent')
  assert.equal((await readMessage(account, id)).cancelled_at, null)
  const { state, cancelled_at: cancelledAt } = await cancel(account, id)
  assert.equal(state, 'sent', 'as a whole it has left')
  assert.ok(cancelledAt, 'and it was cancelled')
  await untilRcsSummary(account, id, { delivered: 3, cancelled: 4 })
  assert.deepEqual([service.rbm.stats.revoked, (await readMessage(account, id)).credits_refunded], [4, 4])
  assert.deepEqual(await readBalances(account), { sms: 20, rcs: 17 })
  for (const phone of offline) service.rbm.apply(`phone ${phone} is online`)
  assert.deepEqual(
    offline.map((phone) => channelsOf(service, phone)),
    offline.map(() => [])
  )
  assert.deepEqual(await readSteps(account, id, 3), ['accepted', 'sent', 'cancelled'])
  await refuseCancel(account, id)
  assert.deepEqual(await readBalances(account), { sms: 20, rcs: 17 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('what is all delivered can’t be cancelled', async (t) => {
  const service = await startRcs(t)
  const id = await sendRcs(service.operator, [...mobiles(1), ...magic('07')])
  await untilRcsSummary(service.operator, id, { delivered: 2 })
  await refuseCancel(service.operator, id)
  assert.equal((await readMessage(service.operator, id)).state, 'sent')
  await assertInvariants(service, { smscs: [service.smsc] })
})

test('cancelled, but delivered already, though its report has not come: it stays delivered, and paid', async (t) => {
  const service = await startRcs(t, { faults: 'hold events' })
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, [...mobiles(2), ...magic('08')])
  await untilRcsSummary(account, id, { sent: 3 })
  await cancel(account, id)
  await untilRcsSummary(account, id, { sent: 2, cancelled: 1 })
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 8 })
  service.rbm.apply('release events')
  await untilRcsSummary(account, id, { delivered: 2, cancelled: 1 })
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 8 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('cancelled while the platform fails: it is asked until it says that it is revoked', async (t) => {
  const service = await startRcs(t, { faults: 'revokes answer 503' })
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, magic('08'))
  await untilRcsSummary(account, id, { sent: 1 })
  await cancel(account, id)
  await eventually(async () => {
    await service.pool`update rcs_waits set due_at = now()`
    assert.ok(service.rbm.stats.revokes > 1)
  })
  await untilRcsSummary(account, id, { sent: 1 })
  service.rbm.apply('revokes tell the truth')
  await eventually(async () => {
    await service.pool`update rcs_waits set due_at = now()`
    assert.equal((await readMessage(account, id)).summary.cancelled, 1)
  })
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('cancelled while an SMS waits to take the place of an RCS: it never leaves, and neither is paid', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  await service.smsc.stop()
  const id = await sendRcs(account, [...magic('07', 3), ...mobiles(2)])
  await untilRcsSummary(account, id, { waiting: 3, delivered: 2 })
  assert.deepEqual(await readBalances(account), { sms: 7, rcs: 8 })
  const { state, summary } = await cancel(account, id)
  assert.deepEqual([state, summary.cancelled, summary.delivered], ['cancelled', 3, 2])
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 8 })
  const back = await startSmsc(t, { port: service.smsc.port, phones: service.phones })
  await eventually(() => assert.equal(back.sessionCount, 1))
  const [recipient] = await readRcsRecipients(account, id)
  assert.deepEqual([recipient?.deliver, recipient?.channel], [6, 'sms'])
  assert.equal(back.stats.submits, 0)
  await refuseCancel(account, id)
  await assertInvariants(service, { smscs: [service.smsc, back], accounts: [account] })
})

test('the same while the rest of the campaign is still being sent by RCS', async (t) => {
  const service = await startRcs(t, { faults: 'delay answers 200ms' })
  const account = await service.newAccount({ credits: 500 })
  await service.smsc.stop()
  const id = await sendRcs(account, [...magic('07', 30), ...mobiles(300)])
  await eventually(async () => {
    assert.equal((await readBalances(account)).sms, 470)
    assert.ok(service.rbm.stats.messages >= 20)
  })
  await cancel(account, id)
  await eventually(async () => {
    const { summary } = await readMessage(account, id)
    assert.deepEqual([summary.waiting, summary.sent], [0, 0])
  })
  const { summary } = await readMessage(account, id)
  assert.deepEqual(await readBalances(account), { sms: 500, rcs: 500 - summary.delivered })
  await assertInvariants(service, { accounts: [account] })
})

test('cancelled after the platform took it back already: it is cancelled, and its credits come back', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, magic('08', 2))
  await untilRcsSummary(account, id, { sent: 2 })
  await hurryWaits(service, 'report')
  await eventually(() => assert.equal(service.rbm.stats.revoked, 2))
  await cancel(account, id)
  await hurryWaits(service, 'revoked')
  await untilRcsSummary(account, id, { cancelled: 2 })
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('cancelled at the moment in which it is being taken back for its SMS: it is cancelled, and its credits come back', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, magic('08', 2))
  await untilRcsSummary(account, id, { sent: 2 })
  service.rbm.apply('hold answers')
  await hurryWaits(service, 'report')
  await eventually(() => assert.equal(service.rbm.stats.revoked, 2))
  await cancel(account, id)
  service.rbm.apply('release answers')
  await hurryWaits(service, 'revoked')
  await untilRcsSummary(account, id, { cancelled: 2 })
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 10 })
  assert.equal(service.smsc.stats.submits, 0)
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})
