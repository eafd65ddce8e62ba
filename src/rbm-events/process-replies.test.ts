import { strict as assert } from 'node:assert'
import { dayAhead, instantOf } from '../../test/checks/days-ahead.ts'
import { eventually } from '../../test/checks/eventually.ts'
import {
  AGENT,
  type EventService,
  insertRcs,
  messageOf,
  PHONE,
  personEventOf,
  postEvent,
  startEventService
} from '../../test/messages/rbm-events.ts'
import { type TestAccount, test } from '../../test/service/service.ts'
import { recordReply } from '../replies/record-reply.ts'
import { processReplies } from './process-replies.ts'
import { insertEvents, lockDue } from './rbm-events.store.ts'
import { forgetOld } from './rbm-events.ts'

interface ReplySeen {
  message_id: number | null
  recipient: string
  to: string
  channel: string
  content: string
  is_stop: boolean
}

/** Newest first. */
const repliesOf = async (account: TestAccount): Promise<ReplySeen[]> =>
  (await account.expect(200).get('/messages/replies?limit=100')).body.items

const contentsOf = async (account: TestAccount) => (await repliesOf(account)).map(({ content }) => content)

const stopsOf = async (account: TestAccount): Promise<{ recipient: string; source: string }[]> =>
  (await account.expect(200).get('/stops/all')).body.items

const openEvents = ({ pool }: EventService) => pool`select from rbm_events where next_try_at is not null`

test('what somebody writes to an agent belongs to the account that last wrote to them through it', async (t) => {
  const service = await startEventService(t)
  const [first, last, other] = [await service.newAccount(), await service.newAccount(), await service.newAccount()]
  await insertRcs(service, { accountId: first.id })
  const messageId = await insertRcs(service, { accountId: last.id })
  await insertRcs(service, { accountId: other.id, sender: 'other@rbm.goog', carrier: 'other' })
  await insertRcs(service, { accountId: other.id, phones: ['+33612000009'] })
  await service.post(messageOf('Oui, merci'))
  await service.process()
  const [reply] = await repliesOf(last)
  assert.deepEqual(reply && { ...reply, id: 0, timestamp: '' }, {
    id: 0,
    message_id: messageId,
    recipient: PHONE,
    to: AGENT,
    channel: 'rcs',
    content: 'Oui, merci',
    is_stop: false,
    timestamp: ''
  })
  for (const account of [first, other]) assert.deepEqual(await repliesOf(account), [])
  const { body } = await last.expect(200).get(`/messages/${messageId}`)
  assert.equal(body.replied, 1)
  assert.equal((await openEvents(service)).length, 0)
})

test('a tap, a place and a file are replies too; a reply to nobody is the operator’s', async (t) => {
  const service = await startEventService(t)
  const nothing = { text: undefined }
  await service.post(
    messageOf('', { ...nothing, suggestionResponse: { postbackData: 'yes', text: 'Oui', type: 'REPLY' } })
  )
  await service.post(messageOf('', { ...nothing, location: { latitude: 48.8584, longitude: 2.2945 } }))
  await service.post(
    messageOf('', { ...nothing, userFile: { payload: { fileName: 'a.jpg', fileUri: 'https://files.example/a.jpg' } } })
  )
  await service.process()
  assert.deepEqual((await contentsOf(service.operator)).sort(), [
    '48.8584,2.2945',
    'Oui',
    'a.jpg https://files.example/a.jpg'
  ])
})

test('the sender of a fallback is answered too, and an RCS that fell back but arrived', async (t) => {
  const service = await startEventService(t)
  const account = await service.newAccount()
  const fallen = { accountId: account.id, state: 0, channel: 'sms' as const, fallbackSender: 'MYSHOP' }
  const messageId = await insertRcs(service, fallen)
  await service.post(messageOf('It came'))
  await service.process()
  await recordReply(service.pool, { carrier: 'other', from: PHONE, to: 'MYSHOP', text: 'By SMS' })
  assert.deepEqual(
    (await repliesOf(account)).map((reply) => [reply.content, reply.message_id, reply.channel]),
    [
      ['By SMS', messageId, 'sms'],
      ['It came', messageId, 'rcs']
    ]
  )
})

test('a keyword and an event in either order, each twice, are one STOP and are told once', async (t) => {
  const service = await startEventService(t)
  const word = messageOf('stop', { messageId: 'word' })
  const event = personEventOf('UNSUBSCRIBE', { eventId: 'event' })
  for (const order of [
    [word, event],
    [event, word],
    [word, event, word, event],
    [event, event, word]
  ]) {
    await service.pool`delete from rbm_events`
    const account = await service.newAccount({ credits: 10 })
    await account.expect(200).put('/webhooks', { webhooks: [{ type: 'stops', url: 'https://shop.example/in' }] })
    await insertRcs(service, { accountId: account.id })
    const later = { recipients: [PHONE], content: 'Later', scheduleAt: instantOf(dayAhead(), '10:00') }
    const { body: scheduled } = await account.expect(200).post('/messages/sms', later)
    for (const data of order) {
      await service.post(data)
      await service.process()
    }
    assert.deepEqual(
      (await stopsOf(account)).map(({ recipient, source }) => [recipient, source]),
      [[PHONE, 'reply']]
    )
    const told = await service.pool`select from events where account_id = ${account.id} and type = 'stops'`
    assert.equal(told.length, 1)
    assert.deepEqual(await contentsOf(account), ['stop'], 'an unsubscription is no reply')
    const { body } = await account.expect(200).get(`/messages/${scheduled.message_id}`)
    assert.deepEqual([body.summary.stopped, body.credits_refunded], [1, 1])
  }
})

test('who unsubscribes without a word is opted out, with no reply', async (t) => {
  const service = await startEventService(t)
  const account = await service.newAccount()
  await insertRcs(service, { accountId: account.id })
  await service.post(personEventOf('UNSUBSCRIBE'))
  await service.process()
  assert.equal((await stopsOf(account)).length, 1)
  assert.deepEqual(await repliesOf(account), [])
})

test('a reply and its being done are one transaction: what fails in between is neither lost nor doubled', async (t) => {
  const service = await startEventService(t)
  await service.pool.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.next_try_at is null then raise exception 'not now'; end if;
      return new;
    end
    $$;
    create trigger refuse before update on rbm_events for each row execute function refuse()
  `)
  await service.post(messageOf('Bonjour'))
  await service.process()
  assert.deepEqual(await repliesOf(service.operator), [])
  assert.equal((await openEvents(service)).length, 1)
  assert.ok(service.logLines.some((line) => line.includes('could not be stored')))

  await service.pool.unsafe('drop trigger refuse on rbm_events')
  await service.pool`update rbm_events set next_try_at = now()`
  await service.process()
  await service.pool`update rbm_events set next_try_at = now() where next_try_at is not null`
  await service.process()
  assert.deepEqual(await contentsOf(service.operator), ['Bonjour'])
})

test('what somebody wrote is kept as a reply alone: of the event, its id stays', async (t) => {
  const service = await startEventService(t)
  await service.post(messageOf('Ici Martin'))
  await service.post(personEventOf('SUBSCRIBE'))
  await service.process()
  const events = await service.pool<{ body: string }[]>`select body from rbm_events`
  assert.deepEqual(
    events.map(({ body }) => body),
    ['', '']
  )
  assert.deepEqual(await contentsOf(service.operator), ['Ici Martin'])
})

test('several at work pass each reply on once, and what one person wrote in its order', async (t) => {
  const service = await startEventService(t)
  const people = Array.from({ length: 10 }, (_, index) => `+336120000${10 + index}`)
  const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`)
  for (const text of texts) {
    await Promise.all(people.map((senderPhoneNumber) => service.post(messageOf(text, { senderPhoneNumber }))))
  }
  await processReplies(service.parts)
  await Promise.all(Array.from({ length: 4 }, () => processReplies(service.parts)))
  const replies = await repliesOf(service.operator)
  for (const phone of people) {
    const own = replies.filter(({ recipient }) => recipient === phone).map(({ content }) => content)
    assert.deepEqual(own.toReversed(), texts)
  }
})

test('of a START and a STOP that come together, the one that was written last counts, in whatever order they come', async (t) => {
  const service = await startEventService(t)
  const account = await service.newAccount()
  await insertRcs(service, { accountId: account.id })
  const writtenAt = (second: number) => ({ sendTime: new Date(Date.now() - 60_000 + second * 1_000).toISOString() })
  const start = messageOf('START', { messageId: 'b', ...writtenAt(10) })
  const stop = messageOf('STOP', { messageId: 'a', ...writtenAt(30) })
  for (const order of [
    [start, stop],
    [stop, start]
  ]) {
    await service.pool`delete from rbm_events`
    await service.pool`delete from stops`
    for (const data of order) await service.post(data)
    await service.process()
    assert.deepEqual(
      (await stopsOf(account)).map(({ recipient }) => recipient),
      [PHONE]
    )
    assert.deepEqual((await contentsOf(account)).slice(0, 2), ['STOP', 'START'])
  }
})

test('while another process stores what a person wrote first, what the person wrote after it waits', async (t) => {
  const service = await startEventService(t)
  const account = await service.newAccount()
  await insertRcs(service, { accountId: account.id })
  await service.post(messageOf('START', { messageId: 'first' }))
  await service.post(messageOf('STOP', { messageId: 'second' }))
  await service.post(messageOf('Oui', { messageId: 'other', senderPhoneNumber: '+33612000009' }))
  await service.pool.begin(async (other) => {
    assert.equal(await lockDue(other, { carrier: 'rcs', eventId: 'first' }), true)
    await processReplies(service.parts)
    assert.deepEqual(await contentsOf(service.operator), ['Oui'], 'other people do not wait')
    assert.deepEqual(await contentsOf(account), [])
  })
  await processReplies(service.parts)
  assert.deepEqual(await contentsOf(account), ['STOP', 'START'])
  assert.equal((await stopsOf(account)).length, 1)
})

test('what was stored by a process that is gone is worked on by another, once', async (t) => {
  const service = await startEventService(t)
  const account = await service.newAccount()
  const messageId = await insertRcs(service, { accountId: account.id })
  await service.post(messageOf('Bonjour', { messageId: 'm1' }))
  await service.stop()
  assert.deepEqual(await postEvent(service.url, messageOf('x')).catch(() => 'gone'), 'gone')

  const settings = { CHAPPE_ROLES: 'api,delivery', CHAPPE_CARRIERS: service.carriersPath }
  const peer = await service.startPeer(t, { settings })
  const reader = peer.anonymous.as({ 'x-api-key': account.apiKey })
  await eventually(async () => {
    const { body } = await reader.expect(200).get(`/messages/replies?message_id=${messageId}`)
    assert.equal(body.items.length, 1)
  })
  // The platform did not see the answer.
  assert.equal(await postEvent(peer.url, messageOf('Bonjour', { messageId: 'm1' })), 200)
  assert.equal(await postEvent(peer.url, messageOf('Encore', { messageId: 'm2' })), 200)
  await eventually(async () => {
    const { body } = await reader.expect(200).get('/messages/replies')
    assert.deepEqual(
      body.items.map(({ content }: ReplySeen) => content),
      ['Encore', 'Bonjour']
    )
  })
})

test('events are forgotten when they can’t come again, capabilities when they are old', async (t) => {
  const service = await startEventService(t)
  const event = { carrier: 'rcs', isReport: false, dueInSeconds: null, body: '{}' }
  await insertEvents(
    service.pool,
    ['old', 'young'].map((eventId) => ({ ...event, eventId }))
  )
  await service.pool`update rbm_events set received_at = now() - interval '9 days' where event_id = 'old'`
  await service.pool`
    insert into rcs_capabilities (carrier, phone, is_capable, checked_at)
    values ('rcs', '+33612000001', true, now() - interval '41 days'), ('rcs', '+33612000002', true, now())
  `
  assert.deepEqual(await forgetOld(service.pool), { isMoreDue: false })
  assert.deepEqual([...(await service.pool`select event_id from rbm_events`)], [{ eventId: 'young' }])
  assert.deepEqual([...(await service.pool`select phone from rcs_capabilities`)], [{ phone: '+33612000002' }])
})
