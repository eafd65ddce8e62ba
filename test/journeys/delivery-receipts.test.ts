import { strict as assert } from 'node:assert'
import { expireRecipients } from '../../src/receipts/expire-recipients.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { holdTable } from '../database/hold-table.ts'
import {
  countDoubts,
  decideDoubts,
  mobiles,
  readMessage,
  readRecipients,
  readTimeline,
  send,
  startDelivering,
  untilReady,
  untilSummary
} from '../messages/sending.ts'
import { startProxy } from '../peers/proxy.ts'
import { carrierTo, type Smsc, startSmsc } from '../peers/smsc.ts'
import { type TestService, test } from '../service/service.ts'

const untilReceipts = (smsc: Smsc, count: number) =>
  eventually(() => assert.equal(smsc.stats.receiptsAcknowledged, count))

/** Parked receipts are tried again now, and not in some seconds. */
const tryAgain = ({ pool }: TestService) =>
  pool`update parked_receipts set next_try_at = now() where next_try_at is not null`

const countUnmatched = async ({ operator }: TestService): Promise<number> =>
  (await operator.expect(200).get('/carriers/unmatched')).body.meta.totalItems

for (const way of ['the same bind', 'another bind']) {
  test(`a receipt that comes over ${way} before its answer waits for it, and is answered once it is kept`, async (t) => {
    const smsc = await startSmsc(t, {
      faults: `receipts before answers\nhold answers${way === 'another bind' ? '\nreceipts on another bind' : ''}`
    })
    const service = await startDelivering(t, [carrierTo(smsc, { sessions: 2 })])
    await eventually(() => assert.equal(smsc.sessionCount, 2))
    const id = await send(service.operator, { recipients: mobiles(10) })
    await untilReceipts(smsc, 10)
    const { body } = await service.operator.expect(200).get('/carriers/unmatched')
    assert.equal(body.meta.totalItems, 10)
    assert.deepEqual([body.items[0].word, body.items[0].state, body.items[0].carrier], ['DELIVRD', 'delivered', 'main'])
    assert.equal((await readMessage(service.operator, id)).summary.waiting, 10)
    smsc.apply('release answers')
    await eventually(async () => {
      await tryAgain(service)
      assert.equal((await readMessage(service.operator, id)).summary.delivered, 10)
    })
    assert.equal(await countUnmatched(service), 0)
    await assertInvariants(service, { smscs: [smsc] })
  })
}

test('a receipt that came before its answer outlives a restart, and what it is about is not sent again', async (t) => {
  const smsc = await startSmsc(t, { faults: 'receipts before answers\nhold answers' })
  const service = await startDelivering(t, [carrierTo(smsc, { answerTimeout: 0.5 })])
  const id = await send(service.operator, { recipients: mobiles(10) })
  await untilReceipts(smsc, 10)
  await service.stop()
  const next = await service.startPeer(t)
  await untilReady(next)
  assert.deepEqual([await countUnmatched(next), await countDoubts(next)], [10, 10])
  await decideDoubts(next)
  await untilSummary(next.operator, id, { delivered: 10 })
  assert.deepEqual([smsc.stats.accepted, await countUnmatched(next)], [10, 0])
  await assertInvariants(next, { smscs: [smsc] })
})

const FAMILIES: Record<string, 'as-is' | 'hex' | 'dec'> = {
  'dec dec': 'as-is',
  'hex hex': 'as-is',
  'dec hex': 'hex',
  'hex dec': 'dec'
}
const familyOf = (form: string) => (form.includes('dec') ? 'dec' : 'hex')

test('ids are matched in whatever form a carrier writes them, and the form is learned and shown', async (t) => {
  const forms = ['dec', 'hex', 'upper-hex', 'padded-dec', 'padded-hex']
  const pairs = [['uuid', 'uuid'], ...forms.flatMap((answer) => forms.map((receipt) => [answer, receipt]))]
  const contents = ['text', 'tlvs', 'both']
  const smscs = await Promise.all(
    pairs.map(([answer, receipt], index) =>
      startSmsc(t, { faults: `ids ${answer}\nreceipt ids ${receipt}\nreceipts as ${contents[index % 3]}` })
    )
  )
  const prefixes = pairs.map((_, index) => `33612${String(index).padStart(2, '0')}`)
  const carriers = smscs.map((smsc, index) => carrierTo(smsc, { name: `${pairs[index]?.join('-')}` }))
  const service = await startDelivering(t, carriers, {
    routes: prefixes.map((prefix, index) => ({ prefix, carriers: [carriers[index]?.name ?? ''] }))
  })
  const recipients = prefixes.flatMap((prefix) => mobiles(3, `+${prefix}`))
  const id = await send(service.operator, { recipients })
  await untilSummary(service.operator, id, { delivered: recipients.length })
  const { body } = await service.operator.expect(200).get('/carriers')
  assert.deepEqual(
    body.map((carrier: { name: string; learned_id_form: string }) => [carrier.name, carrier.learned_id_form]),
    pairs.map(([answer = '', receipt = '']) => [
      `${answer}-${receipt}`,
      answer === 'uuid' ? 'as-is' : FAMILIES[`${familyOf(answer)} ${familyOf(receipt)}`]
    ])
  )
  await assertInvariants(service, { smscs })
})

test('a form that the carriers file fixes is the only one that is looked for', async (t) => {
  const smscs = await Promise.all([1, 2].map(() => startSmsc(t, { faults: 'ids hex\nreceipt ids dec' })))
  const [right, wrong] = smscs as [Smsc, Smsc]
  const service = await startDelivering(
    t,
    [
      carrierTo(right, { name: 'right', messageIdFormat: 'dec' }),
      carrierTo(wrong, { name: 'wrong', messageIdFormat: 'as-is' })
    ],
    {
      routes: [
        { prefix: '33612', carriers: ['right'] },
        { prefix: '33613', carriers: ['wrong'] }
      ]
    }
  )
  const id = await send(service.operator, { recipients: [...mobiles(2), ...mobiles(2, '+336130')] })
  await untilSummary(service.operator, id, { delivered: 2, sent: 2 })
  await eventually(async () => assert.equal(await countUnmatched(service), 2))
  const { body } = await service.operator.expect(200).get('/carriers')
  assert.deepEqual(
    body.map((carrier: { message_id_format: string }) => carrier.message_id_format),
    ['dec', 'as-is']
  )
  await assertInvariants(service, { smscs, awaited: 2 })
})

test('the id of the TLV wins over that of the text', async (t) => {
  const smsc = await startSmsc(t)
  const port = await startProxy(t, { port: smsc.port, host: smsc.host }, (chunk) =>
    Buffer.from(
      chunk.toString('latin1').replace(/id:\d+ sub/g, (found) => found.replaceAll(/\d/g, '9')),
      'latin1'
    )
  )
  const service = await startDelivering(t, [carrierTo({ host: '127.0.0.1', port })])
  const id = await send(service.operator, { recipients: mobiles(1) })
  await untilSummary(service.operator, id, { delivered: 1 })
  smsc.apply('receipts as text')
  const textOnly = await send(service.operator, { recipients: mobiles(1, '+336130') })
  await eventually(async () => assert.equal(await countUnmatched(service), 1))
  const { body } = await service.operator.expect(200).get('/carriers/unmatched')
  assert.match(body.items[0].carrier_message_id, /^9+$/)
  await untilSummary(service.operator, textOnly, { sent: 1 })
  await assertInvariants(service, { smscs: [smsc], awaited: 1 })
})

test('two carriers that give equal ids are told apart', async (t) => {
  const bad = await startSmsc(t, { faults: 'receipts say UNDELIV', firstId: 1_000 })
  const good = await startSmsc(t, { firstId: 1_000 })
  const service = await startDelivering(t, [carrierTo(bad, { name: 'bad' }), carrierTo(good, { name: 'good' })], {
    routes: [
      { prefix: '336120', carriers: ['bad'] },
      { prefix: '336130', carriers: ['good'] }
    ]
  })
  const id = await send(service.operator, { recipients: [...mobiles(20), ...mobiles(20, '+336130')] })
  await untilSummary(service.operator, id, { failed: 20, delivered: 20 })
  for (const { recipient, deliver } of await readRecipients(service.operator, id)) {
    assert.equal(deliver, recipient.startsWith('+336120') ? 3 : 1, recipient)
  }
  await assertInvariants(service, { smscs: [bad, good] })
})

test('an id that is given again after days is the new message’s, also when the old one still waits', async (t) => {
  const smsc = await startSmsc(t, { firstId: 1_000 })
  const service = await startDelivering(t, [carrierTo(smsc)])
  const { operator, pool } = service
  const [a = '', b = ''] = mobiles(2)
  const delivered = await send(operator, { recipients: [a] })
  await untilSummary(operator, delivered, { delivered: 1 })
  smsc.apply('drop receipts')
  const waiting = await send(operator, { recipients: [b] })
  await untilSummary(operator, waiting, { sent: 1 })
  await pool`update submissions set submitted_at = submitted_at - interval '2 days 23 hours'`

  smsc.apply('keep receipts\nids from 1000\nreceipts say UNDELIV')
  for (const phone of mobiles(2, '+336130')) {
    const id = await send(operator, { recipients: [phone] })
    await untilSummary(operator, id, { failed: 1 })
  }
  assert.equal((await readMessage(operator, delivered)).summary.delivered, 1)
  assert.equal((await readMessage(operator, waiting)).summary.sent, 1)
  await assertInvariants(service, { smscs: [smsc], awaited: 1 })
})

test('an id that is given again for the same phone is the new message’s, however quick its receipt is', async (t) => {
  const smsc = await startSmsc(t, { firstId: 1_000, faults: 'drop receipts' })
  const service = await startDelivering(t, [carrierTo(smsc)])
  const { operator, pool } = service
  const old = await send(operator, { recipients: mobiles(1), content: 'Old' })
  await untilSummary(operator, old, { sent: 1 })
  await pool`update submissions set submitted_at = submitted_at - interval '2 days 23 hours'`
  smsc.apply('keep receipts\nids from 1000')
  const id = await send(operator, { recipients: mobiles(1), content: 'New' })
  await untilSummary(operator, id, { delivered: 1 })
  assert.equal((await readMessage(operator, old)).summary.sent, 1)
  await assertInvariants(service, { smscs: [smsc], awaited: 1 })
})

test('a receipt on the heels of its answer is matched when it comes, and not parked first', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const id = await send(service.operator, { recipients: mobiles(200) })
  await untilSummary(service.operator, id, { delivered: 200 })
  const [row] = await service.pool<[{ isCalled: boolean }]>`select is_called from receipt_ids`
  assert.equal(row.isCalled, false, 'none was parked')
  await assertInvariants(service, { smscs: [smsc] })
})

test('the first final word of a carrier stays, and a word that nobody knows is never a failure', async (t) => {
  const cases: [words: string, deliver: number][] = [
    ['ENROUTE DELIVRD', 1],
    ['DELIVRD DELIVRD DELIVRD', 1],
    ['DELIVRD ENROUTE', 1],
    ['DELIVRD UNDELIV', 1],
    ['UNDELIV DELIVRD', 3],
    ['DELETED', 3],
    ['EXPIRED DELIVRD', 4],
    ['REJECTD', 5],
    ['ACCEPTD ENROUTE ACCEPTD', 2],
    ['XYZZY', 2],
    ['XYZZY UNKNOWN DELIVRD', 1]
  ]
  const smscs = await Promise.all(
    cases.map(([words]) => startSmsc(t, { faults: `hold receipts\nreceipts say ${words}` }))
  )
  const prefix = (index: number) => `3361${index + 20}`
  const service = await startDelivering(
    t,
    smscs.map((smsc, index) => carrierTo(smsc, { name: `c${index}` })),
    { routes: smscs.map((_, index) => ({ prefix: prefix(index), carriers: [`c${index}`] })) }
  )
  const account = await service.newAccount({ credits: 20 })
  const recipients = cases.map((_, index) => `+${prefix(index)}00000`)
  const id = await send(account, { recipients })
  await untilSummary(account, id, { sent: recipients.length })
  for (const smsc of smscs) smsc.apply('release receipts')
  await eventually(() => {
    for (const [index, smsc] of smscs.entries()) {
      assert.equal(smsc.stats.receiptsAcknowledged, cases[index]?.[0].split(' ').length)
    }
  })
  const seen = await readRecipients(account, id)
  assert.deepEqual(
    seen.map(({ deliver }, index) => [cases[index]?.[0], deliver]),
    cases.map(([words, deliver]) => [words, deliver])
  )
  for (const [index, [words]] of cases.entries()) {
    const details = (await readTimeline(account, id, index)).map(({ detail }) => detail)
    const told = new Set(details.flatMap((detail) => detail.split(' ')))
    for (const word of words.split(' ')) assert.ok(told.has(word), `${words}: ${details.join(', ')}`)
  }
  assert.equal((await readMessage(account, id)).credits_refunded, 1, 'what was rejected comes back')
  await assertInvariants(service, { smscs, awaited: 2, accounts: [account] })
})

test('a burst of 10,000 receipts: each is answered only once it is stored, and memory stays where it was', async (t) => {
  const smsc = await startSmsc(t, { faults: 'hold receipts' })
  const service = await startDelivering(t, [carrierTo(smsc, { window: 1_000, sessions: 2 })])
  const account = await service.newAccount({ credits: 10_000 })
  const id = await send(account, { recipients: mobiles(10_000) })
  await untilSummary(account, id, { sent: 10_000 }, { withinMs: 30_000 })
  const held = await holdTable(service.pool, 'recipients')
  const before = process.memoryUsage().rss
  smsc.apply('release receipts')
  await eventually(() => assert.equal(smsc.stats.receiptsSent, 1_000, 'as many as our windows let in'))
  assert.equal(smsc.stats.receiptsAcknowledged, 0, 'nothing is stored, so nothing is answered')
  await held.release()
  await untilReceipts(smsc, 10_000)
  const [row] = await service.pool<[{ count: number }]>`select count(*) as count from recipients where state = 1`
  const parked = await countUnmatched(service)
  assert.equal(row.count + parked, 10_000, 'all that is answered is stored')
  await untilSummary(account, id, { delivered: 10_000 }, { withinMs: 30_000 })
  assert.ok(process.memoryUsage().rss - before < 200 * 2 ** 20, 'memory is bounded')
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('without a receipt for three days a recipient expires, keeps its price, and a later receipt is only recorded', async (t) => {
  const smsc = await startSmsc(t, { faults: 'hold receipts' })
  const service = await startDelivering(t, [carrierTo(smsc)])
  const account = await service.newAccount({ credits: 20 })
  const { pool } = service
  const id = await send(account, { recipients: mobiles(3) })
  const long = await send(account, { recipients: mobiles(1, '+336130'), content: 'x'.repeat(200) })
  await untilSummary(account, id, { sent: 3 })
  await untilSummary(account, long, { sent: 1 })
  await expireRecipients(pool)
  assert.equal((await readMessage(account, id)).summary.sent, 3, 'not before its time')

  await pool`update submissions set submitted_at = submitted_at - interval '3 days 1 minute'`
  await expireRecipients(pool)
  await expireRecipients(pool)
  assert.equal((await readMessage(account, id)).summary.failed, 3)
  assert.deepEqual(
    (await readRecipients(account, id)).map(({ deliver, errorcode }) => [deliver, errorcode]),
    Array(3).fill([4, 'no_receipt'])
  )
  assert.equal((await readRecipients(account, long))[0]?.deliver, 4)
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 15, 'what was taken is paid')

  smsc.apply('release receipts')
  await untilReceipts(smsc, 5)
  const timeline = await readTimeline(account, id)
  assert.deepEqual(
    timeline.map(({ step }) => step),
    ['accepted', 'sent', 'expired', 'late_receipt']
  )
  assert.match(timeline.at(-1)?.detail ?? '', /^DELIVRD/)
  assert.equal((await readRecipients(account, id))[0]?.deliver, 4)
  assert.equal(await countUnmatched(service), 0)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})
