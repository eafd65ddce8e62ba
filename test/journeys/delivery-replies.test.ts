import { strict as assert } from 'node:assert'
import { finishReplies } from '../../src/replies/record-reply.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import {
  countDoubts,
  decideDoubts,
  mobiles,
  readMessage,
  readRecipients,
  readTimeline,
  send,
  startDelivering,
  untilSummary
} from '../messages/sending.ts'
import { carrierTo, type Smsc, startSmsc } from '../peers/smsc.ts'
import { type TestAccount, test } from '../service/service.ts'

interface ReplySeen {
  message_id: number | null
  recipient: string
  to: string
  content: string
  is_stop: boolean
}

/** Newest first. */
const readReplies = async (account: TestAccount): Promise<ReplySeen[]> =>
  (await account.expect(200).get('/messages/replies?limit=100')).body.items

const untilAnswered = (smsc: Smsc, count: number) =>
  eventually(() => assert.equal(smsc.stats.repliesAcknowledged, count))

const [PHONE = ''] = mobiles(1)
const DIGITS = PHONE.slice(1)

for (const split of ['udh', 'udh16', 'sar', 'payload']) {
  test(`a long reply arrives whole, also when its parts come backwards and twice: ${split}`, async (t) => {
    const smsc = await startSmsc(t, { faults: `split replies ${split}\nreply parts backwards\nreply parts twice` })
    const service = await startDelivering(t, [carrierTo(smsc)])
    const id = await send(service.operator, { recipients: [PHONE] })
    await untilSummary(service.operator, id, { delivered: 1 })
    const content = `Merci 😀 ${'é'.repeat(150)} fin`
    smsc.phones.reply({ from: PHONE, to: 'CHAPPE', content })
    await eventually(async () => assert.ok((await readReplies(service.operator)).length > 0))
    const [reply] = await readReplies(service.operator)
    assert.deepEqual([reply?.content, reply?.message_id, reply?.recipient], [content, id, PHONE])
    await assertInvariants(service, { smscs: [smsc] })
  })
}

test('the second copy of a part makes no second reply, not even when the time for parts is over', async (t) => {
  const smsc = await startSmsc(t, { faults: 'reply parts twice' })
  const service = await startDelivering(t, [carrierTo(smsc)])
  const id = await send(service.operator, { recipients: [PHONE] })
  await untilSummary(service.operator, id, { delivered: 1 })
  smsc.phones.reply({ from: PHONE, to: 'CHAPPE', content: 'z'.repeat(200) })
  await untilAnswered(smsc, 4)
  await service.pool`update reply_segments set received_at = received_at - interval '10 minutes'`
  while ((await finishReplies(service.pool)).isMoreDue);
  assert.deepEqual(
    (await readReplies(service.operator)).map(({ content }) => content),
    ['z'.repeat(200)]
  )
  await assertInvariants(service, { smscs: [smsc] })
})

test('a long reply of which a part never comes is delivered without it when its time is over, and not before', async (t) => {
  const smsc = await startSmsc(t, { faults: 'drop reply part 2' })
  const service = await startDelivering(t, [carrierTo(smsc)])
  const id = await send(service.operator, { recipients: [PHONE] })
  await untilSummary(service.operator, id, { delivered: 1 })
  smsc.phones.reply({ from: PHONE, to: 'CHAPPE', content: `${'a'.repeat(153)}${'b'.repeat(153)}${'c'.repeat(9)}` })
  await untilAnswered(smsc, 2)
  await finishReplies(service.pool)
  assert.deepEqual(await readReplies(service.operator), [])
  await service.pool`update reply_segments set received_at = received_at - interval '6 minutes'`
  // At once, as processes do that look at the same time: no deadlock, and one of them delivers it.
  await Promise.all(Array.from({ length: 8 }, () => finishReplies(service.pool)))
  const replies = await readReplies(service.operator)
  assert.deepEqual(
    replies.map(({ content, message_id }) => [content, message_id]),
    [[`${'a'.repeat(153)}[…]${'c'.repeat(9)}`, id]]
  )
  assert.equal((await readMessage(service.operator, id)).replied, 1)
  await assertInvariants(service, { smscs: [smsc] })
})

test('a reply is for the account that last wrote to that phone through that sender', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc, { numbers: ['+33980000001', '36222'] })])
  const [shop, bank] = [await service.newAccount({ credits: 20 }), await service.newAccount({ credits: 20 })]
  const write = async (account: TestAccount, sender: string) => {
    const id = await send(account, { recipients: [PHONE], sender, content: `From ${sender}` })
    await untilSummary(account, id, { delivered: 1 })
    return id
  }
  let count = 0
  const answer = async (to: string, from = PHONE) => {
    smsc.phones.reply({ from, to, content: `Reply ${++count} to ${to}` })
    await untilAnswered(smsc, count)
  }
  const last = async (account: TestAccount) => {
    const [reply] = await readReplies(account)
    return reply && [reply.content, reply.message_id]
  }

  const shopOffers = await write(shop, 'Offers')
  const bankOffers = await write(bank, 'Offers')
  const shopNumber = await write(shop, '+33980000001')
  const bankCode = await write(bank, '36222')

  await answer('Offers')
  assert.deepEqual(await last(bank), ['Reply 1 to Offers', bankOffers], 'the last through that sender')
  await answer('33980000001')
  assert.deepEqual(await last(shop), ['Reply 2 to 33980000001', shopNumber], 'without +')
  await answer('+33980000001', DIGITS)
  assert.deepEqual((await last(shop))?.[1], shopNumber, 'with +, from a number without')
  await answer('36222')
  assert.deepEqual(await last(bank), ['Reply 4 to 36222', bankCode])
  await answer('36111')
  assert.deepEqual(
    await last(bank),
    ['Reply 5 to 36111', bankCode],
    'nobody wrote from it: the last through that carrier'
  )
  const again = await write(shop, 'Offers')
  await answer('offers')
  assert.deepEqual(await last(shop), ['Reply 6 to offers', again])
  await answer('36111', '+33613000000')
  assert.deepEqual(await last(service.operator), ['Reply 7 to 36111', null], 'who was never written to: the operator')

  assert.equal((await readMessage(shop, shopOffers)).replied, 0)
  assert.equal((await readMessage(shop, shopNumber)).replied, 1, 'two replies of one person count once')
  assert.equal((await readMessage(bank, bankCode)).replied, 1)
  assert.deepEqual((await readReplies(shop))[0]?.recipient, PHONE)
  assert.equal((await readReplies(shop)).length + (await readReplies(bank)).length, 6)
  await assertInvariants(service, { smscs: [smsc], accounts: [shop, bank] })
})

const readStops = async (account: TestAccount): Promise<string[]> =>
  (await account.expect(200).get('/stops/all')).body.items.map(({ recipient }: { recipient: string }) => recipient)

test('a STOP reaches every account that wrote to that phone from that number, and no default sender catches it', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc, { numbers: ['36111', '+33980000001'] })])
  const [shop, thief, bank] = await Promise.all([1, 2, 3].map(() => service.newAccount({ credits: 20 })))
  assert.ok(shop && thief && bank)
  const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] = mobiles(6)
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const write = async (account: TestAccount, recipient: string, fields: Record<string, unknown> = {}) => {
    const id = await send(account, { recipients: [recipient], content: 'Soldes STOP 36111', ...fields })
    await untilSummary(account, id, { delivered: 1 })
    return id
  }
  let answered = 0
  const answer = async (from: string, to: string, content: string) => {
    smsc.phones.reply({ from, to, content })
    await untilAnswered(smsc, ++answered)
  }

  await thief.expect(200).put('/users/me', { settings: { sender: '36111' } })
  await thief.expect(200).put('/users/me', { settings: { sender: '+33980000001' } })
  await thief.expect(200).put('/users/me', { settings: { sender: '36111' } })
  const offer = await write(shop, first, { sender: 'MYSHOP' })
  await answer(first, '36111', 'STOP')
  assert.deepEqual(await readStops(shop), [first], 'the reader of the shop is out of the shop')
  assert.deepEqual([await readStops(thief), await readReplies(thief)], [[], []])
  assert.deepEqual(
    (await readReplies(shop)).map(({ message_id, is_stop }) => [message_id, is_stop]),
    [[offer, true]]
  )
  await answer('+33613000000', '36111', 'Who are you?')
  assert.deepEqual(await readReplies(thief), [], 'a phone that nobody wrote to is the operator’s')
  assert.equal((await readReplies(service.operator)).length, 1)

  // The thief writes from the number of the mention, to catch what answers the mention of the shop.
  await write(thief, second)
  await write(shop, second, { sender: 'MYSHOP' })
  const waiting = await send(shop, { recipients: [second, third], scheduleAt })
  await answer(second, '36111', 'Stop')
  assert.deepEqual(await readStops(shop), [second, first])
  assert.deepEqual(await readStops(thief), [second])
  assert.equal((await readMessage(shop, waiting)).summary.stopped, 1)

  // Two accounts, one number, one phone; a third account wrote to it from its name.
  await write(bank, third, { sender: '+33980000001' })
  await write(shop, third, { sender: '33980000001' })
  await write(thief, third, { sender: 'OTHER', content: 'Bonjour' })
  const later = await Promise.all(
    [shop, bank, thief].map((account) => send(account, { recipients: [third, fourth], scheduleAt, content: 'Later' }))
  )
  await answer(third.slice(1), '0033980000001', 'arrêt')
  assert.deepEqual([(await readStops(shop))[0], await readStops(bank)], [third, [third]])
  assert.deepEqual(await readStops(thief), [second], 'its message was from another sender and named no number')
  const stopped = await Promise.all(
    [shop, bank, thief].map(async (account, index) => (await readMessage(account, later[index] ?? 0)).summary.stopped)
  )
  assert.deepEqual(stopped, [1, 1, 0])
  assert.deepEqual(
    [(await readReplies(shop))[0]?.content, await readReplies(bank)],
    ['arrêt', []],
    'the reply itself belongs to the last writer alone'
  )

  // The shop wrote its mention to this phone; then the thief wrote from that number, and the bank from its name.
  await write(shop, fifth, { sender: 'MYSHOP' })
  await write(thief, fifth, { content: 'Bonjour' })
  await write(bank, fifth, { sender: 'BANK', content: 'Code 3611100' })
  await answer(fifth, '36111', 'STOP')
  assert.deepEqual([(await readStops(shop))[0], (await readStops(thief))[0]], [fifth, fifth])
  assert.deepEqual(await readStops(bank), [third], 'it neither wrote from the number nor named it')
  // The same without a message from the number: the last writer gets the reply, and the shop the STOP.
  await write(shop, sixth, { sender: 'MYSHOP' })
  await write(bank, sixth, { sender: 'BANK', content: 'Bonjour' })
  await answer(sixth, '36111', 'STOP')
  assert.deepEqual([(await readStops(shop))[0], await readStops(bank)], [sixth, [sixth, third]])
  await assertInvariants(service, { smscs: [smsc], accounts: [shop, thief, bank], waiting: 4 })
})

test('`replied` counts people', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const id = await send(service.operator, { recipients: mobiles(5) })
  await untilSummary(service.operator, id, { delivered: 5 })
  for (const from of mobiles(3)) {
    for (const content of ['Oui', 'Non', 'Peut-être']) smsc.phones.reply({ from, to: 'CHAPPE', content })
  }
  await untilAnswered(smsc, 9)
  assert.equal((await readMessage(service.operator, id)).replied, 3)
  const { body } = await service.operator.expect(200).get(`/messages/replies?message_id=${id}&limit=100`)
  assert.equal(body.meta.totalItems, 9)
  await assertInvariants(service, { smscs: [smsc] })
})

test('STOP takes the number out of everything of that account that has not left, with the credits back', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const [account, other] = [await service.newAccount({ credits: 20 }), await service.newAccount({ credits: 20 })]
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const others = await send(other, { recipients: mobiles(2), scheduleAt, content: 'Other' })
  const first = await send(account, { recipients: mobiles(2) })
  await untilSummary(account, first, { delivered: 2 })
  const scheduled = await send(account, { recipients: mobiles(3), scheduleAt, content: 'x'.repeat(200) })
  const alone = await send(account, { recipients: [PHONE], scheduleAt })
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 11)

  smsc.phones.reply({ from: PHONE, to: 'CHAPPE', content: '« Stop ! » 🙏' })
  await untilAnswered(smsc, 1)
  assert.deepEqual((await readMessage(account, scheduled)).summary.stopped, 1)
  assert.deepEqual(
    (await readRecipients(account, scheduled)).map(({ deliver }) => deliver),
    [7, 0, 0]
  )
  const ended = await readMessage(account, alone)
  assert.deepEqual([ended.state, ended.summary.stopped, ended.credits_refunded], ['sent', 1, 1])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 14)
  const { body: stops } = await account.expect(200).get('/stops/all')
  assert.deepEqual(
    stops.items.map(({ recipient, source }: { recipient: string; source: string }) => [recipient, source]),
    [[PHONE, 'reply']]
  )
  const [reply] = await readReplies(account)
  assert.deepEqual([reply?.is_stop, reply?.message_id], [true, first])
  assert.ok((await readTimeline(account, scheduled)).some(({ step }) => step === 'stopped'))
  const { body: answer } = await account.expect(200).post('/messages/sms', { recipients: mobiles(2), content: 'After' })
  assert.deepEqual([answer.stops, answer.recipients_count], [1, 1])
  await untilSummary(account, answer.message_id, { delivered: 1 })
  assert.equal((await readMessage(other, others)).summary.stopped, 0, 'the other account may go on')
  smsc.phones.reply({ from: PHONE, to: 'CHAPPE', content: 'STOP' })
  await untilAnswered(smsc, 2)
  assert.equal((await account.expect(200).get('/stops/all')).body.meta.totalItems, 1)
  await assertInvariants(service, { smscs: [smsc], accounts: [account, other], waiting: 4 })
})

test('STOP while a campaign is running: who said it in time gets nothing of it, and is paid back', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 50ms' })
  const service = await startDelivering(t, [carrierTo(smsc, { window: 10 })])
  const account = await service.newAccount({ credits: 400 })
  const recipients = mobiles(300)
  const last = recipients.at(-1) ?? ''
  const hello = await send(account, { recipients: [last], content: 'Hello' })
  await untilSummary(account, hello, { delivered: 1 })
  const id = await send(account, { recipients, content: 'Campaign' })
  await eventually(() => assert.ok(smsc.stats.accepted >= 20))
  smsc.phones.reply({ from: last, to: 'CHAPPE', content: 'stop' })
  await untilSummary(account, id, { delivered: 299, stopped: 1 })
  assert.equal(smsc.accepted.get(last.slice(1))?.segments.get('Campaign'), undefined)
  assert.equal((await readMessage(account, id)).credits_refunded, 1)
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 100)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

for (const policy of ['resend', 'fail'] as const) {
  test(`a STOP to what was in doubt reaches who wrote it, also after the doubt was decided: ${policy}`, async (t) => {
    const smsc = await startSmsc(t, { faults: 'drop answers\ndrop receipts' })
    const service = await startDelivering(t, [carrierTo(smsc, { answerTimeout: 0.2 })])
    const account = await service.newAccount({ credits: 10 })
    await account.expect(200).put('/users/me', { settings: { in_doubt: policy } })
    const id = await send(account, { recipients: [PHONE] })
    await eventually(async () => assert.equal(await countDoubts(service), 1))
    // Who is to be sent to again waits in the queue when the answer comes.
    smsc.apply('keep answers\nrefuse submits with ESME_RTHROTTLED')
    await decideDoubts(service)
    await eventually(async () => {
      const [row] = await service.pool`select from batches where due_at > now() and cardinality(submitting) = 0`
      assert.ok(row || policy === 'fail')
    })
    smsc.phones.reply({ from: PHONE, to: 'CHAPPE', content: 'STOP' })
    await untilAnswered(smsc, 1)
    const [reply] = await readReplies(account)
    assert.deepEqual([reply?.message_id, reply?.content, reply?.is_stop], [id, 'STOP', true])
    const { body } = await account.expect(200).get('/stops/all')
    assert.deepEqual(
      body.items.map(({ recipient }: { recipient: string }) => recipient),
      [PHONE]
    )
    await untilSummary(account, id, policy === 'resend' ? { stopped: 1 } : { failed: 1 })
  })
}
