import { strict as assert } from 'node:assert'
import type { RbmEvent } from '../../simulator/rbm/rbm.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import {
  channelsOf,
  giveUp,
  hurryWaits,
  magic,
  type RcsService,
  rbmIdOf,
  readBalances,
  readRcsRecipients,
  readRcsTimeline,
  readSteps,
  sendRcs,
  startRcs,
  untilEventsDone,
  untilRcsSummary
} from '../messages/rcs.ts'
import { readMessage } from '../messages/sending.ts'
import { startSmsc } from '../peers/smsc.ts'
import { type TestAccount, test } from '../service/service.ts'

const [OFFLINE = ''] = magic('08')
const [WITHOUT_RCS = ''] = magic('07')

interface EventSeen {
  type: string
  data: { id: number; message_id: number; deliver?: number; state?: string }
}

const readStates = async (account: TestAccount, id: number) =>
  (await readRcsRecipients(account, id)).map(({ deliver, channel, errorcode }) => [deliver, channel, errorcode])

test('a phone that is offline gets the SMS when the time of the RCS is over: the timeline tells each step, and only the SMS is paid', async (t) => {
  const service = await startRcs(t, { rbm: { fallbackDelay: 1 } })
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, [OFFLINE], { type: 'card', data: { title: 'Bonjour' } })
  await untilRcsSummary(account, id, { delivered: 1 })
  assert.equal(service.rbm.received.get(OFFLINE)?.[0]?.body?.ttl, '1s', 'the platform keeps it no longer')
  const timeline = (await readRcsTimeline(account, id)).map(({ step, carrier }) => [step, carrier])
  assert.deepEqual(
    // On a busy machine our own revocation may come before the report of the expiry is stored: then it is too late.
    timeline.filter(([step]) => step !== 'revoke_failed'),
    [
      ['accepted', null],
      ['sent', 'rcs'],
      ['revoked', 'rcs'],
      ['fallback', 'rcs'],
      ['sent', 'main'],
      ['delivered', 'main']
    ]
  )
  const [recipient] = await readRcsRecipients(account, id)
  assert.deepEqual([recipient?.channel, recipient?.content, recipient?.credits_required], ['sms', 'Bonjour par SMS', 1])
  service.rbm.apply(`phone ${OFFLINE} is online`)
  assert.deepEqual(channelsOf(service, OFFLINE), ['sms'], 'when it is back, it gets nothing more')
  assert.equal(service.phones.inboxOf(OFFLINE)[0]?.from, 'CHAPPE')
  const { state, sms_count, credits_required, credits_refunded } = await readMessage(account, id)
  assert.deepEqual([state, sms_count, credits_required - credits_refunded], ['sent', 1, 1])
  assert.deepEqual(await readBalances(account), { sms: 9, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('a validity holds for the RCS and for its SMS: what it does not reach in time expires, and every credit comes back', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const { next } = (await account.expect(200).get('/events')).body
  const inTime = await sendRcs(account, [WITHOUT_RCS], { validity: 3_600, priority: 'high' })
  const tooLate = await sendRcs(account, [OFFLINE], { validity: 8, external_id: 'order 7' })
  await untilRcsSummary(account, inTime, { delivered: 1 })
  await eventually(() => assert.match(service.rbm.received.get(OFFLINE)?.[0]?.body?.ttl ?? '', /^[1-8]s$/))
  await untilRcsSummary(account, tooLate, { failed: 1 }, { withinMs: 30_000 })
  assert.deepEqual(await readStates(account, tooLate), [[4, 'rcs', 'expired']])
  assert.deepEqual(channelsOf(service, OFFLINE), [])
  assert.deepEqual(await readBalances(account), { sms: 9, rcs: 10 })
  await eventually(async () => {
    const { items } = (await account.expect(200).get(`/events?types=rcs_status&after=${next}`)).body
    const ids = new Map(items.map(({ data }: { data: Record<string, unknown> }) => [data.message_id, data.external_id]))
    assert.deepEqual([ids.get(inTime), ids.get(tooLate)], [undefined, 'order 7'])
  })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('when the platform says nothing at all we revoke the RCS ourselves, and send the SMS after that', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, [OFFLINE])
  await untilRcsSummary(account, id, { sent: 1 })
  assert.equal((await readMessage(account, id)).state, 'sent')
  await hurryWaits(service, 'report')
  await eventually(() => assert.equal(service.rbm.stats.revoked, 1))
  assert.deepEqual(channelsOf(service, OFFLINE), [], 'a report may still be on its way')
  await hurryWaits(service, 'revoked')
  await untilRcsSummary(account, id, { delivered: 1 })
  service.rbm.apply(`phone ${OFFLINE} is online`)
  assert.deepEqual(channelsOf(service, OFFLINE), ['sms'])
  assert.deepEqual(await readSteps(account, id), ['accepted', 'sent', 'revoked', 'fallback', 'sent', 'delivered'])
  assert.deepEqual(await readBalances(account), { sms: 9, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('an SMS that waits since its message is paused expires in time, also where all else of the message had ended', async (t) => {
  const service = await startRcs(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 10 })
  const [later = ''] = magic('00')
  const id = await sendRcs(account, [OFFLINE, later], { spread: { minutes: 120 } })
  await untilRcsSummary(account, id, { sent: 1, waiting: 1 })
  await account.expect(200).put(`/messages/${id}/pause`)
  const expire = async () => {
    await pool`update batches set expires_at = now()`
    await pool`update expiries set due_at = now()`
  }
  await expire()
  await untilRcsSummary(account, id, { sent: 1, failed: 1 })
  await pool`update expiries set due_at = now()`
  await eventually(async () => assert.equal((await pool`select from expiries`).length, 0))
  await giveUp(service)
  await eventually(async () => assert.equal((await pool`select from batches where is_paused`).length, 1))
  await expire()
  await untilRcsSummary(account, id, { failed: 2 })
  assert.deepEqual(await readStates(account, id), [
    [4, 'sms', 'expired'],
    [4, 'rcs', 'expired']
  ])
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('without a fallback, who is not reached has failed, is told why, and costs nothing', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const options = { type: 'card', data: { title: 'Bonjour' }, fallback: undefined }
  const unreachable = await sendRcs(account, [WITHOUT_RCS], options)
  await untilRcsSummary(account, unreachable, { failed: 1 })
  assert.deepEqual(await readStates(account, unreachable), [[3, 'rcs', 'rcs_unreachable']])
  assert.equal((await readMessage(account, unreachable)).state, 'failed', 'nobody could be handed over')
  const offline = await sendRcs(account, [OFFLINE], options)
  await untilRcsSummary(account, offline, { sent: 1 })
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 8 })
  await giveUp(service)
  await untilRcsSummary(account, offline, { failed: 1 })
  assert.deepEqual(await readStates(account, offline), [[3, 'rcs', 'rcs_not_delivered']])
  assert.deepEqual(await readSteps(account, offline), ['accepted', 'sent', 'revoked', 'failed'])
  assert.equal((await readMessage(account, offline)).state, 'sent')
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 10 })
  assert.equal(service.smsc.stats.accepted, 0)
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

const REPORTS = ['DELIVERED', 'TTL_EXPIRATION_REVOKED', 'TTL_EXPIRATION_REVOKE_FAILED'] as const

const ORDERS = REPORTS.flatMap((first) =>
  REPORTS.filter((second) => second !== first).map((second) => [
    first,
    second,
    REPORTS.find((third) => third !== first && third !== second) as (typeof REPORTS)[number]
  ])
)

/** To each phone one report of its order, and then to each the next: when it is told, the last has been looked at. */
async function tellInOrder(service: RcsService, phones: readonly string[]): Promise<void> {
  for (const index of REPORTS.keys()) {
    await Promise.all(
      phones.map((phone, which) => {
        const eventType = ORDERS[which]?.[index]
        return service.rbm.sendEvent({ phone, eventType, messageId: rbmIdOf(service, phone) } as RbmEvent)
      })
    )
    await untilEventsDone(service)
  }
}

test('delivered wins over expired in every order as long as the SMS has not left: one RCS, paid once', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const phones = magic('08', ORDERS.length)
  const id = await sendRcs(account, phones)
  await untilRcsSummary(account, id, { sent: 6 })
  await tellInOrder(service, phones)
  await untilRcsSummary(account, id, { delivered: 6 })
  assert.deepEqual(await readStates(account, id), Array(6).fill([1, 'rcs', '']))
  for (const index of phones.keys()) {
    const steps = await readSteps(account, id, index)
    assert.ok(!steps.includes('fallback'), `${ORDERS[index]}: ${steps}`)
  }
  assert.equal(service.smsc.stats.accepted, 0)
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 4 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('delivered while the SMS is still queued: the SMS never leaves, in any order of reports, the RCS alone is paid, and events tell it', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 20 })
  const { next } = (await account.expect(200).get('/events')).body
  const phones = magic('08', ORDERS.length)
  const cards = magic('08', 1, { from: 50 })
  const ids = [await sendRcs(account, phones), await sendRcs(account, cards, { type: 'card', data: { title: 'Hi' } })]
  const [id = 0, card = 0] = ids
  await untilRcsSummary(account, id, { sent: 6 })
  await untilRcsSummary(account, card, { sent: 1 })
  await service.smsc.stop()
  await giveUp(service)
  await untilRcsSummary(account, id, { waiting: 6 })
  await untilRcsSummary(account, card, { waiting: 1 })
  assert.deepEqual(await readBalances(account), { sms: 13, rcs: 20 })
  assert.equal((await readMessage(account, id)).state, 'sending')
  // Two processes are told of the same recipients.
  await service.startPeer(t)
  await tellInOrder(service, phones)
  await service.rbm.sendEvent({ phone: cards[0] ?? '', eventType: 'READ', messageId: rbmIdOf(service, cards[0] ?? '') })
  await untilRcsSummary(account, id, { delivered: 6 })
  await untilRcsSummary(account, card, { read: 1 })
  assert.deepEqual(await readStates(account, id), Array(6).fill([1, 'rcs', '']))
  assert.deepEqual(await readBalances(account), { sms: 20, rcs: 12 })
  const { state, credits_required, credits_refunded, sms_count } = await readMessage(account, id)
  assert.deepEqual([state, credits_required, credits_refunded, sms_count], ['sent', 6, 0, 0])
  for (const index of phones.keys()) {
    const steps = await readSteps(account, id, index)
    assert.deepEqual(
      ['sent', 'fallback', 'sms_stopped', 'delivered'].map((step) => steps.filter((one) => one === step).length),
      [1, 1, 1, 1],
      `${ORDERS[index]}: ${steps}`
    )
  }
  await eventually(async () => {
    const { items } = (await account.expect(200).get(`/events?limit=1000&after=${next}`)).body
    const last = (type: string, of: number) =>
      new Map(
        items
          .filter((event: EventSeen) => event.type === type && event.data.message_id === of)
          .map(({ data }: EventSeen) => [data.id, data.deliver ?? data.state])
      )
    assert.deepEqual([...last('rcs_status', id).values()], Array(6).fill(1))
    assert.deepEqual([...last('rcs_status', card).values()], [8])
    for (const message of ids) assert.deepEqual([...last('message_state', message).values()], ['sent'])
  })
  const back = await startSmsc(t, { port: service.smsc.port, phones: service.phones })
  await eventually(() => assert.ok(back.sessionCount > 0))
  await assertInvariants(service, { smscs: [service.smsc, back], accounts: [account] })
  assert.equal(back.stats.submits, 0)
})

test('what the platform says after the SMS has left changes nothing in any order: it is told, and the SMS alone is paid', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const phones = magic('08', ORDERS.length)
  const id = await sendRcs(account, phones)
  await untilRcsSummary(account, id, { sent: 6 })
  await giveUp(service)
  await untilRcsSummary(account, id, { delivered: 6 })
  await tellInOrder(service, phones)
  assert.deepEqual(await readStates(account, id), Array(6).fill([1, 'sms', '']))
  for (const index of phones.keys()) {
    const steps = await readSteps(account, id, index)
    assert.equal(steps.filter((step) => step === 'delivered_after_all').length, 1, `${ORDERS[index]}: ${steps}`)
  }
  assert.deepEqual(await readBalances(account), { sms: 4, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

for (const [answer, faults] of [
  ['says 200 whatever is true', 'revokes answer 200\nrevokes in vain'],
  ['says 404 whatever is true', 'revokes answer 404']
] as const) {
  test(`a platform that ${answer} to a revocation is not believed before its report had time to come`, async (t) => {
    const service = await startRcs(t, { faults })
    const account = await service.newAccount({ credits: 10 })
    const phones = magic('08', 2)
    const [back = '', away = ''] = phones
    const id = await sendRcs(account, phones)
    await untilRcsSummary(account, id, { sent: 2 })
    await hurryWaits(service, 'report')
    await eventually(() => assert.equal(service.rbm.stats.revokes, 2))
    // One was not revoked at all: the phone is online in time for its report.
    service.rbm.apply(`phone ${back} is online`)
    await untilRcsSummary(account, id, { delivered: 1, sent: 1 })
    await hurryWaits(service, 'revoked')
    await untilRcsSummary(account, id, { delivered: 2 })
    assert.deepEqual([channelsOf(service, back), channelsOf(service, away)], [['rcs'], ['sms']])
    // The other neither, and it comes too late: that can't be helped any more.
    service.rbm.apply(`phone ${away} is online`)
    await eventually(async () => assert.equal((await readSteps(account, id, 1)).at(-1), 'delivered_after_all'))
    assert.deepEqual(channelsOf(service, away), ['sms', 'rcs'])
    assert.deepEqual(await readBalances(account), { sms: 9, rcs: 9 })
    await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
  })
}

test('a STOP between the RCS and its SMS: no SMS, and the credits of both come back', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const phones = magic('08', 2)
  const [byHand = '', byReply = ''] = phones
  const id = await sendRcs(account, phones)
  await untilRcsSummary(account, id, { sent: 2 })
  await account.expect(200).post('/stops', { recipient: byHand })
  await service.rbm.sendEvent({ phone: byReply, text: 'Stop !' })
  await untilEventsDone(service)
  await giveUp(service)
  await untilRcsSummary(account, id, { stopped: 2 })
  assert.deepEqual(await readSteps(account, id), ['accepted', 'sent', 'revoked', 'fallback', 'stopped'])
  assert.equal(service.smsc.stats.submits, 0)
  assert.deepEqual(await readBalances(account), { sms: 10, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('too few SMS credits at the moment of the fallback: who can be paid for gets it, the rest has failed, and no RCS is paid', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount()
  for (const [msgType, credits] of [
    [1, 1],
    [2, 10]
  ]) {
    await service.operator.expect(200).put(`/accounts/${account.id}/credits`, { credits, msgType })
  }
  const id = await sendRcs(account, [...magic('07', 2), ...magic('08', 1)])
  await untilRcsSummary(account, id, { delivered: 1, failed: 1, sent: 1 })
  await giveUp(service)
  await untilRcsSummary(account, id, { delivered: 1, failed: 2 })
  const states = await readStates(account, id)
  assert.deepEqual(states.toSorted().slice(1), Array(2).fill([3, 'rcs', 'insufficient_credits']))
  assert.deepEqual(await readBalances(account), { sms: 0, rcs: 10 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('what becomes of the SMS decides about its credits as for any SMS; the RCS is not paid in any case', async (t) => {
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const [undelivered = '', refused = ''] = [...magic('01'), ...magic('02')]
  service.rbm.apply(`phone ${undelivered} has no rcs\nphone ${refused} has no rcs`)
  const id = await sendRcs(account, [undelivered, refused], { fallback: { content: 'x'.repeat(200) } })
  await untilRcsSummary(account, id, { failed: 2 })
  assert.deepEqual(await readStates(account, id), [
    [3, 'sms', '001'],
    [5, 'sms', 'ESME_RINVDSTADR']
  ])
  assert.deepEqual(await readSteps(account, id, 1), ['accepted', 'fallback', 'rejected'])
  assert.deepEqual(await readBalances(account), { sms: 8, rcs: 10 }, 'two segments were taken, and did not arrive')
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('a sub-account that spends its parent’s credits: the parent pays for the RCS, gets it back, and pays for the SMS', async (t) => {
  const service = await startRcs(t)
  const parent = await service.newAccount({ credits: 10 })
  const child = await parent.newSubAccount({ mode: 'parent' })
  const id = await sendRcs(child, ['+33612000001', OFFLINE, WITHOUT_RCS], { type: 'card', data: { title: 'Bonjour' } })
  await untilRcsSummary(child, id, { delivered: 2, sent: 1 })
  assert.deepEqual(await readBalances(parent), { sms: 9, rcs: 6 })
  await giveUp(service)
  await untilRcsSummary(child, id, { delivered: 3 })
  assert.deepEqual(await readBalances(parent), { sms: 8, rcs: 8 })
  const { body } = await parent.expect(200).get(`/subaccount/${child.id}/credits`)
  assert.deepEqual([body[0].credits, body[1].credits], [0, 0], 'its own stay as they were')
  await assertInvariants(service, { smscs: [service.smsc], accounts: [child] })
})

test('marketing by RCS waits for the allowed hour, and so does the SMS in its place', async (t) => {
  const service = await startRcs(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 20 })
  // One allowed second a day: now is outside of it, in France.
  await pool`update accounts set hours_end = '08:00:01' where id = ${account.id}`
  const marketing = { category: 'marketing', fallback: { content: 'Soldes STOP 36111' } }
  const held = await sendRcs(account, ['+33612000001', WITHOUT_RCS], marketing)
  await pool`update batches set due_at = now() - interval '8 hours'`
  const [abroad = '', late = ''] = ['+447911123456', '+447911123457']
  service.rbm.apply(`phone ${abroad} has no rcs\nphone ${late} is offline`)
  const free = await sendRcs(account, [abroad, late], marketing)
  await untilRcsSummary(account, free, { delivered: 1, sent: 1 })
  // Whoever is late is where the hour is over by now.
  await pool`update recipients set country = 'FR' where phone = ${late}`
  await giveUp(service)
  await untilRcsSummary(account, free, { delivered: 1, waiting: 1 })
  await eventually(async () => {
    const batches = await pool`select due_at > now() as is_later, leased_by from batches`
    assert.deepEqual(
      batches.map((batch) => ({ ...batch })),
      Array(2).fill({ isLater: true, leasedBy: null })
    )
  })
  assert.deepEqual((await readMessage(account, held)).summary.waiting, 2)
  assert.deepEqual([service.rbm.stats.messages, service.smsc.stats.accepted], [1, 1])
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account], waiting: 3 })
})
