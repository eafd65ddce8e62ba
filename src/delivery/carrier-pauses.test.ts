import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertInvariants } from '../../test/checks/invariants.ts'
import { mobiles, send, startDelivering, untilSummary } from '../../test/messages/sending.ts'
import { carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { startService, test } from '../../test/service/service.ts'

interface Entry {
  object_id: string
  changes: { before: string; after: string }[]
}

test('a draining carrier gets nothing more and its window ends; a paused one is waited for, also after a restart', async (t) => {
  const first = await startSmsc(t, { faults: 'hold answers' })
  const second = await startSmsc(t)
  const service = await startDelivering(
    t,
    [carrierTo(first, { name: 'first', window: 10, answerTimeout: 60 }), carrierTo(second, { name: 'second' })],
    {
      routes: [
        { prefix: '', carriers: ['first', 'second'] },
        { prefix: '44', carriers: ['second'] }
      ]
    }
  )
  const { operator } = service
  const explain = async () => (await operator.expect(200).get('/routes/explain?to=%2B33612345678')).body
  const one = await send(operator, { recipients: mobiles(10) })
  await eventually(() => assert.equal(first.stats.accepted, 10))
  const rest = await send(operator, { recipients: mobiles(20) })
  const { body: draining } = await operator.expect(200).put('/carriers/first/sending', { sending: 'draining' })
  assert.deepEqual([draining.name, draining.sending], ['first', 'draining'])
  await untilSummary(operator, rest, { delivered: 20 })
  await untilSummary(operator, one, { waiting: 10 })
  const [listed] = (await operator.expect(200).get('/carriers')).body
  assert.deepEqual([listed.sending, listed.sending_since, listed.is_up], ['draining', draining.sending_since, true])
  const { carrier, is_waiting: isWaiting, route } = await explain()
  assert.deepEqual([carrier, isWaiting, route.carriers[0].sending], ['second', false, 'draining'])
  first.apply('release answers')
  await untilSummary(operator, one, { delivered: 10 })
  assert.deepEqual([first.stats.accepted, second.stats.accepted], [10, 20])

  const { body: paused } = await operator.expect(200).put('/carriers/first/sending', { sending: 'paused' })
  const again = await operator.expect(200).put('/carriers/first/sending', { sending: 'paused' })
  assert.deepEqual(again.body, paused, 'a repeat changes nothing')
  await service.stop()
  const restarted = await service.startPeer(t)
  await eventually(() => assert.equal(first.sessionCount, 1))
  const two = await send(restarted.operator, { recipients: mobiles(5) })
  const other = await send(restarted.operator, { recipients: ['+447911123456'] })
  await untilSummary(restarted.operator, other, { delivered: 1 })
  await untilSummary(restarted.operator, two, { waiting: 5 })
  assert.equal(first.stats.accepted, 10)
  const explained = (await restarted.operator.expect(200).get('/routes/explain?to=%2B33612345678')).body
  assert.deepEqual([explained.carrier, explained.is_waiting], ['first', true])
  await restarted.operator.expect(200).post('/carriers/first/test', { recipient: '+33612345678' })
  await eventually(() => assert.equal(first.stats.accepted, 13))

  await restarted.operator.expect(200).put('/carriers/first/sending', { sending: 'on' })
  await untilSummary(restarted.operator, two, { delivered: 5 })
  assert.equal(first.stats.accepted, 18)
  const { body: trail } = await restarted.operator.expect(200).get('/audit?operation=changeCarrierSending')
  assert.deepEqual(
    trail.items.map(({ object_id: id, changes }: Entry) => [id, changes[0]]),
    [
      ['paused', 'on'],
      ['draining', 'paused'],
      ['on', 'draining']
    ].map(([before, after]) => ['first', { field: 'sending', hidden: false, before, after }])
  )
  await assertInvariants(restarted, { smscs: [first, second] })
})

test('only the operator pauses carriers, only those that there are, and two at once are told apart', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  await (await newAccount()).expect(403).put('/carriers/sandbox/sending', { sending: 'paused' })
  await operator.expect(404).put('/carriers/nobody/sending', { sending: 'paused' })
  const [{ name }] = (await operator.expect(200).get('/carriers')).body
  await operator.expect(400).put(`/carriers/${name}/sending`, { sending: 'off' })
  assert.deepEqual(await pool`select from carrier_pauses`, [])
  const put = (sending: string) => operator.expect(200).put(`/carriers/${name}/sending`, { sending })
  await Promise.all(['paused', 'draining', 'paused', 'on', 'draining'].map(put))
  const { items } = (await operator.expect(200).get('/audit?operation=changeCarrierSending')).body
  const changes: Entry['changes'] = items.toReversed().flatMap((entry: Entry) => entry.changes)
  assert.deepEqual(
    changes.map(({ before }) => before),
    ['on', ...changes.slice(0, -1).map(({ after }) => after)],
    'each change begins where the last one ended'
  )
  const [listed] = (await operator.expect(200).get('/carriers')).body
  assert.equal(listed.sending, changes.at(-1)?.after)
})
