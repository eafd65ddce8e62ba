import { strict as assert } from 'node:assert'
import { connect } from '../../src/database/database.ts'
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
import { atEnd } from '../service/cleanup.ts'
import { test } from '../service/service.ts'

const THREE_PARTS = `${'a'.repeat(153)}${'b'.repeat(153)}${'c'.repeat(10)}`

const untilDoubts = (service: Parameters<typeof countDoubts>[0], count: number) =>
  eventually(async () => assert.equal(await countDoubts(service), count))

const untilReceipts = (smsc: Smsc, count: number) =>
  eventually(() => assert.equal(smsc.stats.receiptsAcknowledged, count))

for (const policy of ['resend', 'fail'] as const) {
  test(`an answer that comes after its time decides the doubt and nothing comes twice: ${policy}`, async (t) => {
    const smsc = await startSmsc(t, { faults: 'hold answers' })
    const service = await startDelivering(t, [carrierTo(smsc, { answerTimeout: 0.3 })])
    const account = await service.newAccount({ credits: 100 })
    await account.expect(200).put('/users/me', { settings: { in_doubt: policy } })
    const id = await send(account, { recipients: mobiles(20) })
    await untilDoubts(service, 20)
    assert.deepEqual(
      (await readRecipients(account, id)).map(({ deliver }) => deliver),
      Array(20).fill(0)
    )

    smsc.apply('release answers')
    await untilSummary(account, id, { delivered: 20 })
    await decideDoubts(service)
    assert.equal(smsc.stats.accepted, 20)
    assert.deepEqual(smsc.repeated(), [])
    assert.equal((await readMessage(account, id)).credits_refunded, 0)
    await assertInvariants(service, { smscs: [smsc], policy, accounts: [account] })
  })
}

test('what is in doubt for good is sent again once, or failed and not sent again, as the account wants it', async (t) => {
  const smsc = await startSmsc(t, { faults: 'drop answers\ndrop receipts' })
  const service = await startDelivering(t, [carrierTo(smsc, { answerTimeout: 0.2 })])
  const [keen, careful] = [await service.newAccount({ credits: 10 }), await service.newAccount({ credits: 10 })]
  await careful.expect(200).put('/users/me', { settings: { in_doubt: 'fail' } })
  const again = await send(keen, { recipients: mobiles(5), content: 'Again' })
  const once = await send(careful, { recipients: mobiles(5), content: 'Once' })
  await untilDoubts(service, 10)
  smsc.apply('behave')
  await decideDoubts(service)
  await untilSummary(keen, again, { delivered: 5 })
  await untilSummary(careful, once, { failed: 5 })
  for (const { segments } of smsc.accepted.values()) {
    assert.deepEqual([segments.get('Again'), segments.get('Once')], [2, 1])
  }
  assert.deepEqual(
    (await readRecipients(careful, once)).map(({ deliver, errorcode }) => [deliver, errorcode]),
    Array(5).fill([3, 'in_doubt'])
  )
  assert.equal((await readMessage(careful, once)).credits_refunded, 0, 'the carrier may have it')
  const steps = (await readTimeline(keen, again)).map(({ step }) => step)
  assert.deepEqual(steps, ['accepted', 'in_doubt', 'resent', 'sent', 'delivered'])
  await assertInvariants(service, { smscs: [smsc], accounts: [keen, careful] })
})

test('a receipt is evidence that the carrier has it: what is in doubt is delivered and not sent again', async (t) => {
  const smsc = await startSmsc(t, { faults: 'drop answers' })
  const service = await startDelivering(t, [carrierTo(smsc, { answerTimeout: 0.2 })])
  const id = await send(service.operator, { recipients: mobiles(10) })
  const long = await send(service.operator, { recipients: ['+33612999999'], content: 'x' })
  await untilDoubts(service, 11)
  await untilReceipts(smsc, 11)
  await decideDoubts(service)
  await untilSummary(service.operator, id, { delivered: 10 })
  await untilSummary(service.operator, long, { delivered: 1 })
  assert.equal(smsc.stats.accepted, 11)
  const steps = (await readTimeline(service.operator, id)).map(({ step }) => step)
  assert.deepEqual(
    steps.toSorted(),
    ['accepted', 'in_doubt', 'taken', 'sent', 'delivered'].toSorted(),
    'the timeline tells why'
  )
  await assertInvariants(service, { smscs: [smsc] })
})

test('one receipt about a phone with two messages in doubt does not tell which: both are sent again, and none is lost', async (t) => {
  const smsc = await startSmsc(t, { faults: 'drop answers\ndrop next 1 receipts' })
  const service = await startDelivering(t, [carrierTo(smsc, { answerTimeout: 0.2 })])
  const [phone] = mobiles(1)
  const ids = [
    await send(service.operator, { recipients: [phone], content: 'One' }),
    await send(service.operator, { recipients: [phone], content: 'Two' })
  ]
  await untilDoubts(service, 2)
  await untilReceipts(smsc, 1)
  smsc.apply('keep answers')
  await decideDoubts(service)
  for (const id of ids) await untilSummary(service.operator, id, { delivered: 1 })
  assert.equal(smsc.stats.accepted, 4)
  await assertInvariants(service, { smscs: [smsc] })
})

test('two receipts about one part are no evidence of two parts: what is missing of a long message is not lost', async (t) => {
  const smsc = await startSmsc(t, { faults: 'drop next 1 answers\nreceipts say ENROUTE DELIVRD' })
  const service = await startDelivering(t, [carrierTo(smsc, { answerTimeout: 0.2 })])
  const id = await send(service.operator, { recipients: mobiles(1), content: `${'a'.repeat(153)}b${'c'.repeat(40)}` })
  await untilDoubts(service, 1)
  await untilReceipts(smsc, 2)
  await decideDoubts(service)
  await untilSummary(service.operator, id, { delivered: 1 })
  const [sms] = smsc.accepted.values()
  assert.deepEqual([...(sms?.segments.values() ?? [])], [2, 1], 'the first part twice, and the second at all')
  await assertInvariants(service, { smscs: [smsc] })
})

test('receipts in another form than the answers are evidence for all parts of a long message', async (t) => {
  const smsc = await startSmsc(t, { faults: 'ids hex\nreceipt ids dec' })
  const service = await startDelivering(t, [carrierTo(smsc, { answerTimeout: 0.2 })])
  const first = await send(service.operator, { recipients: ['+33612999998'] })
  await untilSummary(service.operator, first, { delivered: 1 })
  smsc.apply('after 2 submits drop next 1 answers')
  const id = await send(service.operator, { recipients: mobiles(1), content: THREE_PARTS })
  await untilDoubts(service, 1)
  await untilReceipts(smsc, 4)
  await decideDoubts(service)
  await untilSummary(service.operator, id, { delivered: 1 })
  assert.equal(smsc.stats.accepted, 4)
  await assertInvariants(service, { smscs: [smsc] })
})

test('a link that is reset after k of n submits: whatever k, each recipient gets its message once', async (t) => {
  const ks = [1, 2, 7, 19, 20]
  const smscs = await Promise.all(ks.map((k) => startSmsc(t, { faults: `after ${k} submits reset` })))
  const name = (index: number) => `k${ks[index]}`
  const service = await startDelivering(
    t,
    smscs.map((smsc, index) => carrierTo(smsc, { name: name(index), window: 20 })),
    { routes: smscs.map((_, index) => ({ prefix: `3361200${index}`, carriers: [name(index)] })) }
  )
  const recipients = smscs.flatMap((_, index) => mobiles(20, `+3361200${index}`))
  const id = await send(service.operator, { recipients })
  // The receipts of what was taken come when the link is back; by then nothing may have been sent again.
  await eventually(async () => {
    for (const [index, smsc] of smscs.entries()) {
      assert.ok(smsc.stats.binds >= 2, `${name(index)} is back`)
      assert.ok(smsc.stats.receiptsAcknowledged >= (ks[index] ?? 0), `${name(index)} told what it had taken`)
    }
    const [row] = await service.pool<[{ open: number }]>`
      select count(*) as open from recipients where state = 0 and sent_at is null
    `
    assert.equal(row.open, 0, 'all others have left, or are in doubt')
  })
  assert.ok((await countDoubts(service)) >= ks.length, 'what was on its way is in doubt')
  await decideDoubts(service)
  await untilSummary(service.operator, id, { delivered: recipients.length })
  for (const smsc of smscs) {
    assert.equal(smsc.stats.accepted, 20)
    assert.deepEqual(smsc.repeated(), [])
  }
  await assertInvariants(service, { smscs })
})

test('a link that is reset under an account that wants nothing twice: nothing is sent again', async (t) => {
  const smsc = await startSmsc(t, { faults: 'drop receipts\nafter 7 submits reset' })
  const service = await startDelivering(t, [carrierTo(smsc, { window: 20 })])
  const account = await service.newAccount({ credits: 20 })
  await account.expect(200).put('/users/me', { settings: { in_doubt: 'fail' } })
  const id = await send(account, { recipients: mobiles(20) })
  await eventually(async () => assert.ok((await countDoubts(service)) >= 7))
  await decideDoubts(service)
  await eventually(async () => assert.equal((await readMessage(account, id)).summary.waiting, 0))
  const { summary } = await readMessage(account, id)
  assert.ok(summary.failed >= 7)
  await assertInvariants(service, { smscs: [smsc], policy: 'fail', awaited: summary.sent, accounts: [account] })
})

test('answers that never come hold up nobody: a campaign through a narrow window ends, each SMS sent once', async (t) => {
  const smsc = await startSmsc(t, { faults: 'drop every 100th answer' })
  const service = await startDelivering(t, [carrierTo(smsc, { window: 4, answerTimeout: 0.3 })])
  const id = await send(service.operator, { recipients: mobiles(1_000) })
  await eventually(() => assert.equal(smsc.stats.accepted, 1_000), { withinMs: 30_000 })
  await untilDoubts(service, 10)
  await untilReceipts(smsc, 1_000)
  await decideDoubts(service)
  await untilSummary(service.operator, id, { delivered: 1_000 })
  assert.deepEqual([smsc.stats.answersDropped, smsc.repeated()], [10, []])
  await assertInvariants(service, { smscs: [smsc] })
})

test('database connections that are killed under load stop nothing: all is sent, once, and every receipt is stored', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc, { throughput: 1_000 })])
  const outside = connect({ url: service.databaseUrl, applicationName: 'outside', connectionsMax: 2 })
  atEnd(t, () => outside.close(1))
  const id = await send(service.operator, { recipients: mobiles(1_500) })
  let killed = 0
  for (let sent = 0; sent < 1_400; sent = smsc.stats.accepted) {
    if (sent / 250 < killed) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      continue
    }
    await outside`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and application_name like 'chappe%'
    `
    killed++
  }
  assert.ok(killed >= 4, `killed ${killed} times`)
  await eventually(
    async () => {
      const [row] = await outside<[{ delivered: number }]>`select count(*) as delivered from recipients where state = 1`
      assert.equal(row.delivered, 1_500)
    },
    { withinMs: 30_000 }
  )
  assert.deepEqual([smsc.stats.accepted, smsc.repeated()], [1_500, []])
  const late = await eventually(() => send(service.operator, { recipients: mobiles(1, '+336130') }))
  await untilSummary(service.operator, late, { delivered: 1 })
  await untilSummary(service.operator, id, { delivered: 1_500 })
  await assertInvariants({ pool: outside }, { smscs: [smsc] })
})

test('a bind that is lost after part 1 of 3: all parts go again, over one bind, and none is left half', async (t) => {
  const smsc = await startSmsc(t, { faults: 'after 1 submits reset' })
  const service = await startDelivering(t, [carrierTo(smsc, { sessions: 2 })])
  const id = await send(service.operator, { recipients: mobiles(1), content: THREE_PARTS })
  await untilDoubts(service, 1)
  await untilReceipts(smsc, 1)
  await decideDoubts(service)
  await untilSummary(service.operator, id, { delivered: 1 })
  const [sms] = smsc.accepted.values()
  assert.deepEqual([...(sms?.segments.values() ?? [])], [2, 1, 1])
  assert.equal(smsc.phones.inboxOf('33612000000')[0]?.content, THREE_PARTS)
  await assertInvariants(service, { smscs: [smsc] })
})

test('when part 2 of 3 is refused the third is not sent, and the credits of what was not taken come back', async (t) => {
  const smsc = await startSmsc(t, { faults: 'refuse part 2' })
  const service = await startDelivering(t, [carrierTo(smsc)])
  const account = await service.newAccount({ credits: 10 })
  const id = await send(account, { recipients: mobiles(1), content: THREE_PARTS })
  await untilSummary(account, id, { failed: 1 })
  const [recipient] = await readRecipients(account, id)
  assert.deepEqual([recipient?.deliver, recipient?.errorcode], [5, 'ESME_RINVDSTADR'])
  const message = await readMessage(account, id)
  assert.deepEqual([message.credits_required, message.credits_refunded], [3, 2])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 9)
  assert.equal(smsc.stats.accepted, 1)
  // The receipt of the part that was taken changes nothing any more.
  await eventually(async () => assert.equal((await readTimeline(account, id)).at(-1)?.step, 'late_receipt'))
  assert.equal((await readRecipients(account, id))[0]?.deliver, 5)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

for (const longMessages of ['udh', 'udh16', 'sar', 'payload']) {
  test(`a long message is delivered when all of its parts are: ${longMessages}`, async (t) => {
    const smsc = await startSmsc(t, { faults: 'hold receipts' })
    const service = await startDelivering(t, [carrierTo(smsc, { longMessages })])
    const id = await send(service.operator, { recipients: mobiles(1), content: THREE_PARTS })
    await untilSummary(service.operator, id, { sent: 1 })
    assert.equal(smsc.phones.inboxOf('33612000000')[0]?.content, THREE_PARTS)
    smsc.apply('release receipts')
    await untilSummary(service.operator, id, { delivered: 1 })
    await assertInvariants(service, longMessages === 'payload' ? {} : { smscs: [smsc] })
  })
}
