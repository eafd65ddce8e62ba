import { strict as assert } from 'node:assert'
import { assertInvariants } from '../checks/invariants.ts'
import { FALLBACK, readBalances, readSteps, sendRcs, startRcs, untilRcsSummary } from '../messages/rcs.ts'
import { mobiles, startDelivering } from '../messages/sending.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { test } from '../service/service.ts'

test('who no carrier of RCS leads to gets the SMS at once; without one the message is refused', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, mobiles(3))
  await untilRcsSummary(account, id, { delivered: 3 })
  assert.deepEqual(await readBalances(account), { sms: 7, rcs: 10 })
  assert.deepEqual(await readSteps(account, id), ['accepted', 'fallback', 'sent', 'delivered'])
  const contacts = mobiles(1).map((recipient) => ({ recipient }))
  const { body } = await account
    .expect(400)
    .post('/messages/rcs', { type: 'text', data: { text: 'Bonjour' }, contacts })
  assert.match(body.error, /no carrier for RCS/)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('what waits for a carrier of RCS that is taken out of the carriers file falls back', async (t) => {
  const service = await startRcs(t)
  service.rbm.apply('refuse messages with 429')
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, mobiles(2), { fallback: FALLBACK })
  await untilRcsSummary(account, id, { waiting: 2 })
  await service.file.write([carrierTo(service.smsc)])
  await service.reload()
  await untilRcsSummary(account, id, { delivered: 2 })
  assert.deepEqual(await readBalances(account), { sms: 8, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('while the platform can’t be reached at all, the SMS leaves when its time is over', async (t) => {
  const service = await startRcs(t, { rbm: { fallbackDelay: 1 } })
  service.rbm.apply('forget tokens\nrefuse tokens with 401')
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, mobiles(2))
  await untilRcsSummary(account, id, { delivered: 2 }, { withinMs: 20_000 })
  assert.deepEqual(await readBalances(account), { sms: 8, rcs: 10 })
  assert.equal(service.rbm.stats.messages, 0)
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})
