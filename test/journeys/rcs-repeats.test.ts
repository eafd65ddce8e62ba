import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { postEvent, reportOf } from '../messages/rbm-events.ts'
import {
  channelsOf,
  magic,
  rbmIdOf,
  readBalances,
  readRcsRecipients,
  readSteps,
  sendRcs,
  startRcs,
  untilRcsSummary
} from '../messages/rcs.ts'
import { mobiles, readMessage, untilReady } from '../messages/sending.ts'
import { carrierToRbm, startRbm } from '../peers/rbm.ts'
import { carrierTo } from '../peers/smsc.ts'
import { test } from '../service/service.ts'

// A process that was paused past its leases takes its own batches again.
test('who is told twice that somebody has no RCS sends one SMS, and takes its credits once', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 1_000 })
  service.rbm.apply('hold answers')
  const id = await sendRcs(account, [...magic('07', 3), ...mobiles(30)])
  await eventually(async () =>
    assert.equal((await service.pool`select from batches where cardinality(submitting) = 33`).length, 1)
  )
  await service.pool`update batches set leased_until = now() - interval '1 second'`
  await eventually(async () =>
    assert.equal((await service.pool`select from batches where leased_until > now()`).length, 1)
  )
  await sleep(500)
  service.rbm.apply('release answers')
  await untilRcsSummary(account, id, { delivered: 33 })
  assert.deepEqual(await readBalances(account), { sms: 997, rcs: 970 })
  for (const phone of magic('07', 3)) assert.deepEqual(channelsOf(service, phone), ['sms'])
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('when a carrier of RCS fails, what it may have is not sent through the next one', async (t) => {
  const service = await startRcs(t, { faults: 'cut answers\nrepeats answer 503' })
  const other = await startRbm(t, { phones: service.phones })
  const carriers = [
    carrierTo(service.smsc),
    await carrierToRbm(t, service.rbm, { fallbackDelay: 3_600 }),
    await carrierToRbm(t, other, { name: 'rcs2', fallbackDelay: 3_600 })
  ]
  await service.file.write(carriers, [
    { prefix: '', carriers: ['main'] },
    { channel: 'rcs', prefix: '', carriers: ['rcs', 'rcs2'] }
  ])
  await service.reload()
  await untilReady(service)
  const account = await service.newAccount({ credits: 100 })
  const phones = mobiles(15)
  const id = await sendRcs(account, phones)
  await untilRcsSummary(account, id, { delivered: 15 }, { withinMs: 20_000 })
  for (const phone of phones) assert.deepEqual(channelsOf(service, phone), ['rcs'], 'once, whichever way')
  assert.deepEqual(await readBalances(account), { sms: 100, rcs: 85 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('when the token of a carrier changes, what is on its way is still followed, and still revoked', async (t) => {
  const service = await startRcs(t, { faults: 'hold events' })
  const account = await service.newAccount({ credits: 100 })
  const [online = ''] = mobiles(1)
  const delivered = await sendRcs(account, [online])
  const revoked = await sendRcs(account, magic('08'))
  for (const id of [delivered, revoked]) await untilRcsSummary(account, id, { sent: 1 })
  const rcs = await carrierToRbm(t, service.rbm, { fallbackDelay: 3_600, webhookToken: 'another token' })
  await service.file.write([carrierTo(service.smsc), rcs])
  await service.reload()
  await untilReady(service)

  const [{ id: rbmId }] = await service.pool<[{ id: string }]>`
    select carrier_message_ids[1] as id from recipients where message_id = ${delivered}
  `
  const report = reportOf('DELIVERED', { messageId: delivered, phone: online })
  const { agentId } = service.rbm
  assert.equal(await postEvent(service.url, { ...report, messageId: rbmId, agentId }, { token: 'another token' }), 200)
  await untilRcsSummary(account, delivered, { delivered: 1 })
  await account.expect(200).put(`/messages/${revoked}/cancel`)
  await untilRcsSummary(account, revoked, { cancelled: 1 })
  assert.equal((await readMessage(account, revoked)).credits_refunded, 1, 'the platform knew it by its id')
})

test('what the platform may have, although its answer was lost, is revoked when the person opts out or its time is over', async (t) => {
  const service = await startRcs(t, { faults: 'drop next 1 events\ncut next 4 answers\nrepeats answer 503' })
  const { pool, rbm, operator: account } = service
  const before = await readBalances(account)
  const [byHand = '', byReply = '', late = ''] = magic('08', 3)
  const [there = ''] = mobiles(1)
  const id = await sendRcs(account, [byHand, byReply, there])
  const expiring = await sendRcs(account, [late])
  await eventually(async () => {
    const perhaps = await pool`select from recipients where state = 0 and carrier = 'rcs'`
    assert.equal(perhaps.length, 4)
  })
  await rbm.sendEvent({ phone: byReply, text: 'STOP' })
  for (const recipient of [byHand, there]) await account.expect(200).post('/stops', { recipient })
  await eventually(
    async () => {
      await pool`update batches set due_at = now()`
      await pool`update batches set expires_at = now() where message_id = ${expiring}`
      assert.deepEqual((await readMessage(account, expiring)).summary.failed, 1)
      const { summary } = await readMessage(account, id)
      assert.deepEqual([summary.waiting, summary.stopped, summary.sent], [0, 2, 1])
    },
    { withinMs: 20_000 }
  )
  assert.equal(rbm.stats.revoked, 3)
  const [expired] = await readRcsRecipients(account, expiring)
  assert.deepEqual([expired?.deliver, expired?.errorcode, expired?.channel], [4, 'expired', 'rcs'])
  assert.deepEqual(
    (await readSteps(account, id)).filter((step) => step !== 'retry'),
    ['accepted', 'sent', 'stopped']
  )
  for (const phone of [byHand, byReply, late]) rbm.apply(`phone ${phone} is online`)
  for (const phone of [byHand, byReply, late]) assert.deepEqual(channelsOf(service, phone), [])
  // It had arrived before it could be revoked: its report says so, and it is paid.
  await rbm.sendEvent({ phone: there, eventType: 'DELIVERED', messageId: rbmIdOf(service, there) })
  await untilRcsSummary(account, id, { stopped: 2, delivered: 1 })
  assert.deepEqual(await readBalances(account), { sms: before.sms, rcs: before.rcs - 1 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('what the platform may have is revoked when its message is cancelled, though its repeat is told to come later', async (t) => {
  const service = await startRcs(t, { faults: 'cut next 1 answers\nrepeats answer 429' })
  const account = await service.newAccount({ credits: 100 })
  const [phone = ''] = magic('08')
  const id = await sendRcs(account, [phone])
  await eventually(async () =>
    assert.equal((await service.pool`select from recipients where state = 0 and carrier = 'rcs'`).length, 1)
  )
  service.rbm.apply('hold answers')
  const { repeats } = service.rbm.stats
  await eventually(async () => {
    await service.pool`update batches set due_at = now()`
    assert.ok(service.rbm.stats.repeats > repeats)
  })
  await account.expect(200).put(`/messages/${id}/cancel`)
  service.rbm.apply('release answers')
  await untilRcsSummary(account, id, { cancelled: 1 })
  assert.equal(service.rbm.stats.revoked, 1)
  service.rbm.apply(`phone ${phone} is online`)
  assert.deepEqual(channelsOf(service, phone), [], 'nothing comes after the cancel')
  assert.deepEqual(await readBalances(account), { sms: 100, rcs: 100 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('what is being handed to the platform when its message is cancelled is revoked as soon as it is there', async (t) => {
  const service = await startRcs(t, { faults: 'hold answers' })
  const account = await service.newAccount({ credits: 100 })
  const [phone = ''] = magic('08')
  const id = await sendRcs(account, [phone])
  await eventually(() => assert.equal(service.rbm.stats.capabilityChecks, 1))
  assert.equal((await account.expect(200).put(`/messages/${id}/cancel`)).body.state, 'cancelled')
  service.rbm.apply('release answers')
  await untilRcsSummary(account, id, { cancelled: 1 })
  assert.equal((await readMessage(account, id)).credits_refunded, 1)
  service.rbm.apply(`phone ${phone} is online`)
  assert.deepEqual(channelsOf(service, phone), [])
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})
