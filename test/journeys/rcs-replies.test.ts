import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { Phones } from '../../simulator/phones/phones.ts'
import { eventually } from '../checks/eventually.ts'
import { magic, sendRcs, startRcs, tellEvents, untilEventsDone, untilRcsSummary } from '../messages/rcs.ts'
import { mobiles, send, startDelivering, untilSummary } from '../messages/sending.ts'
import { carrierToRbm, startRbm } from '../peers/rbm.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { type TestAccount, test } from '../service/service.ts'

/* Whose an answer is when the message left otherwise than its record says: by another agent, or by SMS. */

const [WITHOUT_RCS = ''] = magic('07')
const [FRENCH = ''] = mobiles(1)
const BELGIAN = '+32470123456'
const SHORT_CODE = '36111'

const repliesOf = async (account: TestAccount): Promise<string[]> =>
  (await account.expect(200).get('/messages/replies')).body.items.map(({ content }: { content: string }) => content)

const stopsOf = async (account: TestAccount): Promise<string[]> =>
  (await account.expect(200).get('/stops/all')).body.items.map(({ recipient }: { recipient: string }) => recipient)

const startWithShortCode = (t: TestContext) => startRcs(t, { smpp: { sender: SHORT_CODE, numbers: [SHORT_CODE] } })

test('an answer to the SMS of an RCS is for its account, also where the carrier’s own sender wrote it', async (t) => {
  const service = await startWithShortCode(t)
  const [before, account] = [await service.newAccount({ credits: 10 }), await service.newAccount({ credits: 10 })]
  await untilSummary(before, await send(before, { recipients: [WITHOUT_RCS] }), { delivered: 1 })
  const id = await sendRcs(account, [WITHOUT_RCS], { fallback: { content: 'Bonjour par SMS' } })
  await untilRcsSummary(account, id, { delivered: 1 })
  assert.deepEqual(
    service.phones.inboxOf(WITHOUT_RCS).map(({ from }) => from),
    [SHORT_CODE, SHORT_CODE]
  )
  service.phones.reply({ from: WITHOUT_RCS, to: SHORT_CODE, content: 'Oui' })
  await eventually(() => assert.equal(service.smsc.stats.repliesAcknowledged, 1))
  assert.deepEqual([await repliesOf(account), await repliesOf(before)], [['Oui'], []])
  service.phones.reply({ from: WITHOUT_RCS, to: SHORT_CODE, content: 'STOP' })
  await eventually(() => assert.equal(service.smsc.stats.repliesAcknowledged, 2))
  assert.deepEqual([await stopsOf(account), await stopsOf(before)], [[WITHOUT_RCS], [WITHOUT_RCS]])
})

test('a STOP to the number that the SMS of an RCS names is for its account, whoever else writes from that number', async (t) => {
  const service = await startWithShortCode(t)
  const [before, account] = [await service.newAccount({ credits: 10 }), await service.newAccount({ credits: 10 })]
  await untilSummary(before, await send(before, { recipients: [WITHOUT_RCS] }), { delivered: 1 })
  const fallback = { content: `Bonjour par SMS. STOP au ${SHORT_CODE}`, sender: 'CHAPPE' }
  await untilRcsSummary(account, await sendRcs(account, [WITHOUT_RCS], { fallback }), { delivered: 1 })
  service.phones.reply({ from: WITHOUT_RCS, to: SHORT_CODE, content: 'STOP' })
  await eventually(() => assert.equal(service.smsc.stats.repliesAcknowledged, 1))
  assert.deepEqual([await stopsOf(account), await stopsOf(before)], [[WITHOUT_RCS], [WITHOUT_RCS]])
})

test('who answers an agent answers the accounts whose RCS that agent brought, whichever agent the message names', async (t) => {
  const phones = new Phones()
  const red = await startRbm(t, { phones, agentId: 'red@rbm.goog' })
  const blue = await startRbm(t, { phones, agentId: 'blue@rbm.goog' })
  const smsc = await startSmsc(t, { phones })
  const carriers = [
    carrierTo(smsc),
    await carrierToRbm(t, red, { name: 'red' }),
    await carrierToRbm(t, blue, { name: 'blue' })
  ]
  const service = await startDelivering(t, carriers, {
    routes: [
      { prefix: '', carriers: ['main'] },
      { channel: 'rcs', prefix: '', carriers: ['red'] },
      { channel: 'rcs', prefix: '32', carriers: ['blue'] }
    ]
  })
  await tellEvents(red, service, 'red')
  await tellEvents(blue, service, 'blue')
  const [before, account] = [await service.newAccount({ credits: 10 }), await service.newAccount({ credits: 10 })]
  await untilRcsSummary(before, await sendRcs(before, [BELGIAN]), { delivered: 1 })
  await untilRcsSummary(account, await sendRcs(account, [FRENCH, BELGIAN]), { delivered: 2 })
  await blue.sendEvent({ phone: BELGIAN, text: 'Oui' })
  await untilEventsDone(service)
  assert.deepEqual([await repliesOf(account), await repliesOf(before)], [['Oui'], []])
  await blue.sendEvent({ phone: BELGIAN, text: 'STOP' })
  await untilEventsDone(service)
  assert.deepEqual([await stopsOf(account), await stopsOf(before)], [[BELGIAN], [BELGIAN]])
})
