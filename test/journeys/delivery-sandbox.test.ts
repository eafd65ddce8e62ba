import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { mobiles, readMessage, readRecipients, readTimeline, send, untilSummary } from '../messages/sending.ts'
import { startService, type TestAccount, test } from '../service/service.ts'

const SANDBOX = { settings: { CHAPPE_ROLES: 'all' } }
const magic = (digits: string) => `+336399800${digits}`

const credits = async (account: TestAccount): Promise<number> =>
  (await account.expect(200).get('/users/credits')).body[0].credits

test('every number of the sandbox does what it is known for', async (t) => {
  const service = await startService(t, SANDBOX)
  assert.equal((await fetch(`${service.url}/health/ready`)).status, 200, 'ready as soon as it has started')
  const account = await service.newAccount({ credits: 20 })
  const expected: [digits: string, deliver: number, errorcode: string | RegExp][] = [
    ['00', 1, ''],
    ['01', 3, '001'],
    ['02', 5, 'ESME_RINVDSTADR'],
    ['03', 4, '003'],
    ['04', 2, ''],
    ['05', 1, ''],
    ['06', 1, ''],
    ['09', 1, ''],
    ['10', 1, ''],
    ['11', 2, ''],
    ['99', 1, '']
  ]
  const id = await send(account, { recipients: expected.map(([digits]) => magic(digits)), content: 'Bonjour' })
  await untilSummary(account, id, { delivered: 6, failed: 3, sent: 2 })
  assert.deepEqual(
    (await readRecipients(account, id)).map(({ recipient, deliver, errorcode }) => [recipient, deliver, errorcode]),
    expected.map(([digits, deliver, errorcode]) => [magic(digits), deliver, errorcode])
  )
  // The one that was rejected comes back; the one that was throttled is charged once.
  assert.equal((await readMessage(account, id)).credits_refunded, 1)
  assert.equal(await credits(account), 10)
  const throttled = expected.findIndex(([digits]) => digits === '09')
  assert.ok((await readTimeline(account, id, throttled)).some(({ step }) => step === 'retry'))

  await eventually(async () => assert.equal((await readMessage(account, id)).replied, 2))
  const { body: replies } = await account.expect(200).get('/messages/replies')
  assert.deepEqual(
    replies.items
      .map((reply: Record<string, unknown>) => [reply.recipient, reply.content, reply.is_stop, reply.message_id])
      .sort(),
    [
      [magic('05'), 'OK', false, id],
      [magic('06'), 'STOP', true, id]
    ]
  )
  const { body: stops } = await account.expect(200).get('/stops/all')
  assert.deepEqual(
    stops.items.map(({ recipient }: { recipient: string }) => recipient),
    [magic('06')]
  )
  await assertInvariants(service, { awaited: 2, accounts: [account] })
})

test('a phone shows what it received from the caller’s account alone, newest first, with its parts joined', async (t) => {
  const service = await startService(t, SANDBOX)
  const [account, stranger] = [await service.newAccount({ credits: 20 }), await service.newAccount({ credits: 20 })]
  const phone = magic('13')
  const long = `${'Très long. '.repeat(20)}€ [fin]`
  const first = await send(account, { recipients: [phone], content: long, sender: 'Boutique' })
  await untilSummary(account, first, { delivered: 1 })
  const second = await send(account, { recipients: [phone], content: 'Bonjour 😀' })
  await untilSummary(account, second, { delivered: 1 })
  const theirs = await send(stranger, { recipients: [phone], content: 'Theirs' })
  await untilSummary(stranger, theirs, { delivered: 1 })

  for (const written of [phone, '0639980013', '06%2039%2098%2000%2013', phone.slice(1)]) {
    const { body } = await account.expect(200).get(`/sandbox/phones/${written}`)
    assert.deepEqual(
      body.items.map((item: Record<string, unknown>) => [item.channel, item.from, item.content, item.message_id]),
      [
        ['sms', 'CHAPPE', 'Bonjour 😀', second],
        ['sms', 'Boutique', long, first]
      ],
      written
    )
    assert.match(body.items[0].received_at, /^20/)
  }
  const { body: seen } = await stranger.expect(200).get(`/sandbox/phones/${phone}`)
  assert.deepEqual(
    seen.items.map(({ content }: { content: string }) => content),
    ['Theirs']
  )
  assert.deepEqual((await account.expect(200).get(`/sandbox/phones/${mobiles(1)[0]}`)).body, { items: [] })
  for (const bad of ['12', 'abc', '+33']) await account.expect(400).get(`/sandbox/phones/${bad}`)
  await service.anonymous.expect(401).get(`/sandbox/phones/${phone}`)
  await assertInvariants(service, { accounts: [account, stranger] })
})

test('an answer from a phone comes back as a reply to the sender it was written from; STOP opts it out', async (t) => {
  const service = await startService(t, SANDBOX)
  const [account, stranger] = [await service.newAccount({ credits: 20 }), await service.newAccount()]
  const phone = magic('13')
  const id = await send(account, { recipients: [phone], sender: 'Boutique' })
  await untilSummary(account, id, { delivered: 1 })
  const answer = (content: string) => account.expect(200).post(`/sandbox/phones/${phone}/replies`, { content })
  await answer(`Oui, ${'volontiers '.repeat(30)}!`)
  const replies = await eventually(async () => {
    const { body } = await account.expect(200).get('/messages/replies')
    assert.equal(body.items.length, 1)
    return body.items
  })
  assert.deepEqual(
    [replies[0].message_id, replies[0].to, replies[0].content],
    [id, 'Boutique', `Oui, ${'volontiers '.repeat(30)}!`]
  )
  await answer('STOP')
  await eventually(async () => assert.equal((await account.expect(200).get('/stops/all')).body.items.length, 1))
  await account.expect(400).post('/messages/sms', { recipients: [phone], content: 'Nobody is left' })
  assert.deepEqual((await stranger.expect(200).get('/messages/replies')).body.items, [])

  await account.expect(400).post('/sandbox/phones/12/replies', { content: 'x' })
  await account.expect(400).post(`/sandbox/phones/${phone}/replies`, { content: '' })
  await account.expect(400).post(`/sandbox/phones/${phone}/replies`, {})
  await service.anonymous.expect(401).post(`/sandbox/phones/${phone}/replies`, { content: 'x' })
  // A phone that nobody wrote to writes to the short code; it is the operator who sees that.
  await stranger.expect(200).post(`/sandbox/phones/${magic('14')}/replies`, { content: 'Who are you?' })
  await eventually(async () => {
    const { body } = await service.operator.expect(200).get('/messages/replies')
    assert.deepEqual(
      body.items.map((reply: Record<string, unknown>) => [reply.to, reply.content, reply.message_id]),
      [['36111', 'Who are you?', null]]
    )
  })
  await assertInvariants(service, { accounts: [account] })
})

test('the phones are in the sandbox only', async (t) => {
  const service = await startService(t)
  assert.equal((await service.operator.get(`/sandbox/phones/${magic('00')}`)).status, 404)
})

test('the timeline of a recipient tells every step, to its own account only', async (t) => {
  const service = await startService(t, SANDBOX)
  const [account, stranger] = [await service.newAccount({ credits: 50 }), await service.newAccount()]
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const id = await send(account, { recipients: [magic('13'), magic('09'), magic('01'), magic('02')] })
  await untilSummary(account, id, { delivered: 2, failed: 2 })
  const steps = async (message: number, recipient: number) =>
    (await readTimeline(account, message, recipient)).map(({ step }) => step)
  assert.deepEqual(await steps(id, 0), ['accepted', 'sent', 'delivered'])
  assert.deepEqual(await steps(id, 1), ['accepted', 'retry', 'sent', 'delivered'])
  assert.deepEqual(await steps(id, 2), ['accepted', 'sent', 'receipt'])
  assert.deepEqual(await steps(id, 3), ['accepted', 'rejected'])
  const [accepted, sent, delivered] = await readTimeline(account, id, 0)
  assert.deepEqual([accepted?.detail, accepted?.carrier], ['1 segment, 1 credit', null])
  assert.match(sent?.detail ?? '', /^id \S+$/)
  assert.deepEqual([sent?.carrier, delivered?.detail], ['sandbox', 'DELIVRD err:000'])

  const cancelled = await send(account, { recipients: [magic('13')], scheduleAt: later })
  await account.expect(200).put(`/messages/${cancelled}/cancel`)
  assert.deepEqual(await steps(cancelled, 0), ['accepted', 'cancelled'], 'its time never came')
  const stopped = await send(account, { recipients: [magic('14')], scheduleAt: later })
  await account.expect(200).post(`/sandbox/phones/${magic('14')}/replies`, { content: 'stop' })
  // It wrote to the short code, and nobody had written to it: this is no STOP for the account.
  await eventually(async () =>
    assert.equal((await service.operator.expect(200).get('/messages/replies')).body.items.length, 1)
  )
  assert.deepEqual(await steps(stopped, 0), ['accepted', 'scheduled'])

  const [first] = await readRecipients(account, id)
  const path = `/messages/${id}/recipients/${first?.id}/timeline`
  await stranger.expect(404).get(path)
  await service.anonymous.expect(401).get(path)
  await account.expect(404).get(`/messages/${cancelled}/recipients/${first?.id}/timeline`)
  await account.expect(404).get(`/messages/${id}/recipients/${(first?.id ?? 0) + 1_000}/timeline`)
  await account.expect(404).get(`/messages/${id}/recipients/x/timeline`)
  await assertInvariants(service, { accounts: [account], waiting: 1 })
})
