import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { insertRcs, messageOf, postEvent, reportOf, startEventService } from '../messages/rbm-events.ts'
import { startDelivering, untilSummary } from '../messages/sending.ts'
import { carrierToRbm, startRbm } from '../peers/rbm.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { startChild } from '../processes/children.ts'
import { test } from '../service/service.ts'

test('over the real way: the address is set up, what is sent is delivered, read and answered, and lists are checked', async (t) => {
  const [smsc, rbm] = [await startSmsc(t), await startRbm(t)]
  const service = await startDelivering(t, [carrierTo(smsc), await carrierToRbm(t, rbm)])
  assert.equal(await rbm.setWebhook(`${service.url}/carriers/rbm/rcs/events`), true)
  const account = await service.newAccount({ credits: 10 })
  const { body } = await account.expect(200).post('/messages/rcs', {
    type: 'text',
    data: { text: 'Viendrez-vous ?', choices: [{ type: 'text', text: 'Oui' }] },
    contacts: [{ recipient: '+33639980012' }, { recipient: '+33639980020' }]
  })
  await untilSummary(account, body.message_id, { read: 1, delivered: 1 })
  await eventually(async () => {
    const { body: replies } = await account.expect(200).get(`/messages/replies?message_id=${body.message_id}`)
    const [reply] = replies.items
    assert.deepEqual([reply?.content, reply?.channel, reply?.to], ['Oui', 'rcs', rbm.agentId])
  })

  const { body: list } = await account.expect(200).post('/contactlists', { name: 'List' })
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: '+33639980007' }] })
  await eventually(async () => {
    const { body: seen } = await account.expect(200).get(`/contactlists/${list.id}`)
    assert.equal(seen.rcsCapabilityStatus, 'ready')
  })
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /chappe_rbm_events_total\{carrier="rcs",kind="delivered"\} 2/)
  assert.match(metrics, /chappe_rbm_reports_total\{carrier="rcs",result="applied"\} [23]/)
  assert.match(metrics, /chappe_rbm_events_waiting 0/)
})

const COUNT = 300
const AT_ONCE = 30

test('killed with -9 in a burst of events: what was answered is not lost, and what comes again is not doubled', async (t) => {
  const service = await startEventService(t)
  const account = await service.newAccount()
  const phones = Array.from({ length: COUNT }, (_, index) => `+336120${String(index).padStart(5, '0')}`)
  const messageId = await insertRcs(service, { accountId: account.id, phones })
  const events = phones.flatMap((phone, index) => [
    reportOf('DELIVERED', { messageId, position: index + 1, phone }),
    messageOf(`text ${index}`, { senderPhoneNumber: phone })
  ])

  const killed = await startChild(t, service, service.carriersPath)
  const unanswered = new Set<object>(events)
  const queue = [...events]
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let event = queue.shift(); event; event = queue.shift()) {
        // The platform knows only what was answered; of what was not, some is stored.
        if ((await postEvent(killed.url, event).catch(() => 0)) === 200) unanswered.delete(event)
        if (unanswered.size === COUNT) killed.child.kill('SIGKILL')
      }
    })
  )
  await killed.exit
  t.diagnostic(`${unanswered.size} of ${events.length} were not answered`)
  assert.ok(unanswered.size > 0 && unanswered.size <= COUNT)

  const second = await startChild(t, service, service.carriersPath)
  const again = [...unanswered, ...events.slice(0, 50)]
  for (let start = 0; start < again.length; start += AT_ONCE) {
    const statuses = await Promise.all(again.slice(start, start + AT_ONCE).map((event) => postEvent(second.url, event)))
    assert.deepEqual(new Set(statuses), new Set([200]))
  }
  await eventually(
    async () => assert.equal((await service.pool`select from rbm_events where next_try_at is not null`).length, 0),
    { withinMs: 30_000 }
  )
  const { body } = await account.expect(200).get(`/messages/${messageId}`)
  assert.deepEqual([body.summary.delivered, body.replied], [COUNT, COUNT])
  const replies = await service.pool<{ content: string }[]>`select content from replies`
  assert.equal(replies.length, COUNT)
  assert.equal(new Set(replies.map(({ content }) => content)).size, COUNT)
})
