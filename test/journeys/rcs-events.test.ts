import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { signatureOf, toPush } from '../messages/rbm-events.ts'
import {
  channelsOf,
  giveUp,
  magic,
  rbmIdOf,
  readBalances,
  readRcsRecipients,
  readSteps,
  sendRcs,
  startRcs,
  startRcsWorld,
  tellEvents,
  untilEventsDone,
  untilRcsSummary
} from '../messages/rcs.ts'
import { mobiles, readMessage, send, untilReady } from '../messages/sending.ts'
import { startReceiver } from '../peers/receiver.ts'
import { startService, type TestAccount, test } from '../service/service.ts'

interface ReplySeen {
  message_id: number | null
  recipient: string
  to: string
  channel: string
  content: string
  is_stop: boolean
}

/** Oldest first. */
const readReplies = async (account: TestAccount): Promise<ReplySeen[]> =>
  (await account.expect(200).get('/messages/replies?limit=100')).body.items.toReversed()

const readFeed = async (account: TestAccount, type: string) =>
  (await account.expect(200).get(`/events?types=${type}`)).body.items

test('events that come twice, late and in any order leave everybody where they are, once', async (t) => {
  const service = await startRcs(t, { faults: 'events twice\nreorder events 7\nevents before answers' })
  const account = await service.newAccount({ credits: 100 })
  const [plain, reading] = [mobiles(40), magic('12', 10)]
  const id = await sendRcs(account, [...plain, ...reading], {
    data: { text: 'Vous venez ?', choices: [{ type: 'text', text: 'Oui' }] }
  })
  await untilRcsSummary(account, id, { delivered: 40, read: 10 })
  await eventually(async () => assert.equal((await readReplies(account)).length, 10))
  await untilEventsDone(service)
  for (const { deliver, delivered_at, read_at } of await readRcsRecipients(account, id)) {
    assert.ok(delivered_at !== null && (deliver === 8) === (read_at !== null))
  }
  assert.equal((await readMessage(account, id)).replied, 10)
  // The last copies may still be on their way.
  await eventually(() => assert.ok(service.rbm.stats.eventsSent >= 2 * 70))
  await untilEventsDone(service)
  assert.deepEqual(await readBalances(account), { sms: 100, rcs: 50 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('read before delivered is read; the same event again, one for an unknown id and one for another’s phone change nothing', async (t) => {
  const service = await startRcs(t, { faults: 'hold events' })
  const { rbm } = service
  const account = await service.newAccount({ credits: 10 })
  const [phone = '', other = ''] = mobiles(2)
  const id = await sendRcs(account, [phone, other])
  await untilRcsSummary(account, id, { sent: 2 })
  rbm.apply('drop events\nrelease events\nkeep events')
  const messageId = rbmIdOf(service, phone)
  const eventId = randomUUID()
  for (let copy = 0; copy < 3; copy++) await rbm.sendEvent({ phone, eventType: 'READ', messageId, eventId })
  await untilRcsSummary(account, id, { sent: 1, read: 1 })
  await rbm.sendEvent({ phone, eventType: 'DELIVERED', messageId })
  await rbm.sendEvent({ phone, eventType: 'DELIVERED', messageId: randomUUID() })
  await rbm.sendEvent({ phone, eventType: 'TTL_EXPIRATION_REVOKED', messageId: 'nothing of ours' })
  await rbm.sendEvent({ phone, eventType: 'DELIVERED', messageId: rbmIdOf(service, other) })
  await untilEventsDone(service)
  await untilRcsSummary(account, id, { sent: 1, read: 1 })
  const [recipient] = await readRcsRecipients(account, id)
  assert.deepEqual([recipient?.deliver, recipient?.delivered_at], [8, recipient?.read_at])
  await rbm.sendEvent({ phone: other, eventType: 'DELIVERED', messageId: rbmIdOf(service, other) })
  await untilRcsSummary(account, id, { delivered: 1, read: 1 })
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 8 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('who says STOP and unsubscribes, in either order, has opted out once, and gets nothing of what was waiting', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 20 })
  await readFeed(account, 'stops') // From now on they are kept.
  const phones = mobiles(2)
  const [first = '', second = ''] = phones
  const written = await sendRcs(account, phones)
  await untilRcsSummary(account, written, { delivered: 2 })
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const rcs = await sendRcs(account, [...phones, '+33613000000'], { scheduleAt })
  const sms = await send(account, { recipients: phones, scheduleAt })
  assert.deepEqual(await readBalances(account), { sms: 18, rcs: 15 })

  await service.rbm.sendEvent({ phone: first, text: 'STOP' })
  await untilEventsDone(service)
  await service.rbm.sendEvent({ phone: first, eventType: 'UNSUBSCRIBE' })
  await service.rbm.sendEvent({ phone: second, eventType: 'UNSUBSCRIBE' })
  await untilEventsDone(service)
  await service.rbm.sendEvent({ phone: second, text: 'stop' })
  await untilEventsDone(service)

  const { body } = await account.expect(200).get('/stops/all')
  assert.deepEqual(
    body.items.map(({ recipient, source }: { recipient: string; source: string }) => [recipient, source]).toSorted(),
    phones.map((phone) => [phone, 'reply'])
  )
  await eventually(async () => {
    const told = await readFeed(account, 'stops')
    assert.deepEqual(told.map(({ data }: { data: { recipient: string } }) => data.recipient).toSorted(), phones)
  })
  await untilRcsSummary(account, rcs, { stopped: 2, waiting: 1 })
  await untilRcsSummary(account, sms, { stopped: 2 })
  assert.deepEqual(await readBalances(account), { sms: 20, rcs: 17 })
  assert.deepEqual(
    (await readReplies(account)).map(({ recipient, is_stop }) => [recipient, is_stop]),
    [
      [first, true],
      [second, true]
    ]
  )
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account], waiting: 1 })
})

test('what is forged, or altered on its way, is refused and changes nothing; a challenge is answered only to who knows the token', async (t) => {
  const service = await startRcs(t, { faults: 'forge events' })
  const { rbm } = service
  const account = await service.newAccount({ credits: 10 })
  const [phone = ''] = mobiles(1)
  const id = await sendRcs(account, [phone])
  await untilRcsSummary(account, id, { sent: 1 })
  await eventually(() => assert.ok(rbm.stats.eventsFailed > 0))
  assert.equal(rbm.stats.eventsAcknowledged, 0)

  const post = async (body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.url}/carriers/rbm/rcs/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body)
    })
    return { status: answer.status, text: await answer.text() }
  }
  const messageId = rbmIdOf(service, phone)
  const event = { senderPhoneNumber: phone, eventType: 'READ', eventId: 'one', messageId, agentId: rbm.agentId }
  const stop = { senderPhoneNumber: phone, messageId: 'two', text: 'STOP', agentId: rbm.agentId }
  for (const told of [event, stop]) {
    const text = JSON.stringify(told)
    const signed = { 'x-goog-signature': signatureOf(text, rbm.webhookToken) }
    assert.equal((await post(toPush(text))).status, 401, 'not signed')
    assert.equal((await post(toPush(`${text} `), signed)).status, 401, 'altered')
    assert.equal((await post(toPush(text), { 'x-goog-signature': signatureOf(text, 'another') })).status, 401)
  }
  assert.equal((await post({ clientToken: 'another', secret: 'abc' })).status, 401)
  assert.deepEqual(await post({ clientToken: rbm.webhookToken, secret: 'abc' }), { status: 200, text: 'abc' })

  assert.equal((await service.pool`select from rbm_events`).length, 0, 'nothing of it was stored')
  await untilRcsSummary(account, id, { sent: 1 })
  assert.equal((await account.expect(200).get('/stops/all')).body.meta.totalItems, 0)
  rbm.apply('sign events')
  await rbm.sendEvent({ phone, eventType: 'DELIVERED', messageId })
  await untilRcsSummary(account, id, { delivered: 1 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('our address is down for a while: what the platform tells meanwhile comes in one burst, and all of it counts', async (t) => {
  const world = await startRcsWorld(t)
  const settings = { CHAPPE_CARRIERS: world.file.path }
  const api = await startService(t, { settings })
  const delivering = await api.startPeer(t, { settings: { ...settings, CHAPPE_ROLES: 'delivery' } })
  await untilReady(delivering)
  await tellEvents(world.rbm, api)
  const account = await api.newAccount({ credits: 300 })
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const id = await sendRcs(account, [...mobiles(200), ...magic('12', 5)], { scheduleAt })
  await api.stop()
  await delivering.pool`update messages set scheduled_at = now(), state = 'sending'`
  await delivering.pool`update batches set due_at = now()`
  await eventually(async () => {
    const sent = await delivering.pool`select from recipients where state = 2`
    assert.equal(sent.length, 205, 'nobody is thought to be lost')
    assert.ok(world.rbm.stats.eventsFailed > 0)
  })
  const back = await api.startPeer(t, { settings })
  await tellEvents(world.rbm, back)
  const there = { ...account, ...back.anonymous.as({ 'x-api-key': account.apiKey }) }
  await untilRcsSummary(there, id, { delivered: 200, read: 5 }, { withinMs: 15_000 })
  assert.equal(world.smsc.stats.submits, 0)
  await assertInvariants(back, { smscs: [world.smsc], accounts: [there] })
})

test('what people write by RCS comes back as replies: a choice by its text, a place, a file, and no tap that only opens something', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const [phone = ''] = mobiles(1)
  const id = await sendRcs(account, [phone], {
    type: 'card',
    data: {
      title: 'Votre avis ?',
      choices: [
        { type: 'text', text: 'Très bien' },
        { type: 'url', title: 'Voir', url: 'https://shop.example' }
      ]
    }
  })
  await untilRcsSummary(account, id, { delivered: 1 })
  const { rbm } = service
  service.phones.reply({ from: phone, to: rbm.agentId, content: 'Très bien' })
  await eventually(async () => assert.equal((await readReplies(account)).length, 1))
  await rbm.sendEvent({
    phone,
    suggestionResponse: { text: 'Voir', postbackData: 'chappe:action:url', type: 'ACTION' }
  })
  await rbm.sendEvent({ phone, eventType: 'IS_TYPING' })
  await rbm.sendEvent({ phone, location: { latitude: 48.85, longitude: 2.35 }, messageId: 'place' })
  await rbm.sendEvent({ phone, location: { latitude: 48.85, longitude: 2.35 }, messageId: 'place' })
  await untilEventsDone(service)
  const file = { mimeType: 'image/jpeg', fileSizeBytes: 9, fileName: 'colis.jpg', fileUri: 'https://rcs.example/f/1' }
  await rbm.sendEvent({ phone, userFile: { payload: file } })
  await untilEventsDone(service)
  const reply = { message_id: id, recipient: phone, to: rbm.agentId, channel: 'rcs', is_stop: false }
  assert.deepEqual(
    (await readReplies(account)).map(({ message_id, recipient, to, channel, is_stop, content }) => ({
      message_id,
      recipient,
      to,
      channel,
      is_stop,
      content
    })),
    ['Très bien', '48.85,2.35', 'colis.jpg https://rcs.example/f/1'].map((content) => ({ ...reply, content }))
  )
  assert.equal((await readMessage(account, id)).replied, 1, 'it is one person')
  assert.deepEqual(await readSteps(account, id), ['accepted', 'sent', 'delivered'])
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('a webhook for rcs_status is told each change once, in order, with the whole record and the way it came', async (t) => {
  const receiver = await startReceiver(t)
  const service = await startRcs(t, { settings: { CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }, faults: 'events twice' })
  const account = await service.newAccount({ credits: 20 })
  const webhooks = [{ type: 'rcs_status', url: receiver.url, batch_size: 10 }]
  await account.expect(200).put('/webhooks', { webhooks })
  const phones = [...mobiles(2), ...magic('07'), ...magic('08')]
  const [, reading = '', , offline = ''] = phones
  const id = await sendRcs(account, phones)
  await untilRcsSummary(account, id, { delivered: 3, sent: 1 })
  await service.rbm.sendEvent({ phone: reading, eventType: 'READ', messageId: rbmIdOf(service, reading) })
  await giveUp(service)
  await untilRcsSummary(account, id, { delivered: 3, read: 1 })
  const changesOf = (phone: string) =>
    receiver
      .records()
      .filter(({ recipient }) => recipient === phone)
      .toSorted((one, other) => one.sequence - other.sequence)
  const expected = [
    ['2 rcs', '1 rcs'],
    ['2 rcs', '1 rcs', '8 rcs'],
    ['0 sms', '2 sms', '1 sms'],
    ['2 rcs', '0 sms', '2 sms', '1 sms']
  ]
  await eventually(() => {
    const seen = phones.map((phone) => changesOf(phone).map(({ deliver, channel }) => `${deliver} ${channel}`))
    assert.deepEqual(seen, expected)
  })
  const recipients = await readRcsRecipients(account, id)
  for (const [index, phone] of phones.entries()) {
    const changes = changesOf(phone)
    assert.equal(new Set(changes.map(({ sequence }) => sequence)).size, changes.length, 'the sequence rises')
    const { message_id, sequence: _sequence, ...last } = changes.at(-1)
    assert.deepEqual([message_id, last], [id, recipients[index]], 'the last record is what the operation shows')
  }
  assert.deepEqual(channelsOf(service, offline), ['sms'])
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})
