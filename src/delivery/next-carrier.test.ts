import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import {
  type Answer,
  type AnsweringPeer,
  accepted,
  creditsOf,
  refused,
  startAnswering
} from '../../test/messages/answering.ts'
import {
  decideDoubts,
  mobiles,
  readRecipients,
  readTimeline,
  send,
  startDelivering,
  untilSummary
} from '../../test/messages/sending.ts'
import { carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { type TestAccount, test } from '../../test/service/service.ts'
import type { OutboundMessage, SubmitOutcome } from '../carriers/carrier.ts'

/* Routing by outcome: what one carrier refuses with a listed status is tried at the next. */

const CLOSED = refused('closed')

const NUMBER = '+33639980013'
const numbersOf = ({ submitted }: AnsweringPeer) => submitted.map(({ to }) => to)
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+3363998${String(100 + index).padStart(4, '0')}`)
const steps = async (account: TestAccount, id: number) =>
  (await readTimeline(account, id)).map(({ step, detail, carrier }) => [step, detail, carrier])

test('a listed refusal goes to the next carrier, small or large, charged once, and the timeline tells each try', async (t) => {
  const peers = { a: { answer: CLOSED }, b: { answer: CLOSED }, c: {} }
  const { account, peer, pool } = await startAnswering(t, peers, { tryNextOn: ['closed'] })
  const id = await send(account, { recipients: [NUMBER], priority: 'high' })
  await untilSummary(account, id, { sent: 1 })
  const tries = (await steps(account, id)).slice(1)
  assert.deepEqual(
    tries.map(([step, , carrier]) => [step, carrier]),
    [
      ['refused', 'a'],
      ['refused', 'b'],
      ['sent', 'c']
    ]
  )
  assert.equal(tries[0]?.[1], 'closed')
  const many = await send(account, { recipients: numbers(40) })
  await untilSummary(account, many, { sent: 40 })
  for (const name of ['a', 'b', 'c'])
    assert.deepEqual(numbersOf(peer(name)).toSorted(), [NUMBER, ...numbers(40)].sort(), name)
  assert.equal(await creditsOf(account), 59)
  await eventually(async () => assert.equal((await pool`select from batches`).length, 0))
  await assertLedgerHolds(pool)
})

test('without a listed status, past the most tries, or after some parts were taken, a refusal is final', async (t) => {
  const peers = { a: { answer: refused('other') }, b: { answer: CLOSED }, c: {} }
  const { account, peer, pool } = await startAnswering(t, peers, { tryNextOn: ['closed'], triesMax: 2 })
  const codes = async (id: number) =>
    (await readRecipients(account, id)).map(({ deliver, errorcode }) => [deliver, errorcode])
  const unlisted = await send(account, { recipients: [NUMBER] })
  await untilSummary(account, unlisted, { failed: 1 })
  assert.deepEqual(await codes(unlisted), [[5, 'other']])
  peer('a').answer = refused('closed', ['part 1'])
  const begun = await send(account, { recipients: [NUMBER], content: 'a'.repeat(200) })
  await untilSummary(account, begun, { failed: 1 })
  assert.deepEqual([await codes(begun), peer('b').submitted], [[[5, 'closed']], []])
  peer('a').answer = CLOSED
  const twice = await send(account, { recipients: [NUMBER] })
  await untilSummary(account, twice, { failed: 1 })
  assert.deepEqual([peer('a').submitted.length, peer('b').submitted.length, peer('c').submitted.length], [3, 1, 0])
  assert.equal(await creditsOf(account), 99, 'all is back but the part that was taken')
  await assertLedgerHolds(pool)
})

test('a busy answer can be listed too, and what got no answer is never tried elsewhere, not even after its doubt', async (t) => {
  const busy: Answer = () => ({ kind: 'retry', reason: 'busy', delaySeconds: 30 })
  const service = await startAnswering(t, { a: { answer: busy }, b: {} }, { tryNextOn: ['busy', 'closed'] })
  const { account, peer } = service
  const id = await send(account, { recipients: [NUMBER] })
  await untilSummary(account, id, { sent: 1 })
  assert.equal(peer('b').submitted.length, 1)
  peer('a').answer = () => ({ kind: 'in-doubt', reason: 'no answer' })
  const doubtful = await send(account, { recipients: [NUMBER] })
  await eventually(async () => assert.equal((await steps(account, doubtful)).at(-1)?.[0], 'in_doubt'))
  peer('a').answer = CLOSED
  await decideDoubts(service)
  await untilSummary(account, doubtful, { failed: 1 })
  assert.equal(peer('b').submitted.length, 1, 'the first carrier may have it')
})

test('the next carrier that is down is waited for, and a cancel or a STOP meanwhile is obeyed with credits back', async (t) => {
  const { account, peer, pool, setRoom } = await startAnswering(
    t,
    { a: { answer: CLOSED }, b: {} },
    { tryNextOn: ['closed'] }
  )
  setRoom('b', 0)
  const [waiting, cancelled, stopped] = [
    await send(account, { recipients: [NUMBER] }),
    await send(account, { recipients: ['+33639980014'] }),
    await send(account, { recipients: ['+33639980015'] })
  ]
  await eventually(async () => {
    const rows = await pool<{ route: string }[]>`select route from batches where leased_by is null`
    assert.deepEqual(new Set(rows.map(({ route }) => route)), new Set(['next:a:']))
    assert.equal(rows.length, 3)
  })
  await account.expect(200).put(`/messages/${cancelled}/cancel`)
  await account.expect(200).post('/stops', { recipient: '+33639980015' })
  setRoom('b', 100)
  await untilSummary(account, waiting as number, { sent: 1 })
  await untilSummary(account, stopped as number, { stopped: 1 })
  await untilSummary(account, cancelled as number, { cancelled: 1 })
  assert.deepEqual(numbersOf(peer('b')), [NUMBER])
  assert.equal(await creditsOf(account), 99)
  await assertLedgerHolds(pool)
})

test('a process that dies with tries under way: what was handed on is sent once, what got no answer is in doubt', async (t) => {
  const silent = Promise.withResolvers<SubmitOutcome>()
  const isRefused = ({ to }: OutboundMessage) => Number(to.slice(-2)) < 20
  const answer: Answer = (message) => (isRefused(message) ? CLOSED(message) : silent.promise)
  const service = await startAnswering(t, { a: { answer }, b: {} }, { tryNextOn: ['closed'] })
  const { account, peer, pool, setRoom } = service
  setRoom('b', 0)
  const id = await send(account, { recipients: numbers(40) })
  await eventually(async () => {
    const rows = await pool<{ positions: number[] }[]>`select positions from batches where route = 'next:a:'`
    assert.equal(rows.flatMap(({ positions }) => positions).length, 20)
  })
  // As another process finds the batch after the first died: with its submits marked, and a lease that ran out.
  await pool`update batches set leased_by = ${randomUUID()}, leased_until = now() - interval '1 second' where route = ''`
  await eventually(async () => assert.equal((await pool`select from doubts`).length, 20), { withinMs: 20_000 })
  const asked = (name: string) => peer(name).submitted.length
  setRoom('b', 100)
  await untilSummary(account, id, { sent: 20, waiting: 20 })
  assert.deepEqual([asked('a'), asked('b')], [40, 20], 'what was handed on waits for the second alone')
  peer('a').answer = accepted
  await decideDoubts(service)
  await untilSummary(account, id, { sent: 40 })
  assert.deepEqual([asked('a'), asked('b')], [60, 20], 'after a doubt, the account wants nothing lost')
  silent.resolve({ kind: 'rejected', reason: 'closed', carrierMessageIds: [] })
  assert.equal(await creditsOf(account), 60)
  await assertLedgerHolds(pool)
})

test('over SMPP statuses are names or numbers, the throughput of the next carrier is kept, and the operator sees it', async (t) => {
  const [first, second] = [await startSmsc(t, { faults: 'refuse submits with 0x0b' }), await startSmsc(t)]
  const carriers = [carrierTo(first, { name: 'first' }), carrierTo(second, { name: 'second', throughput: 20 })]
  const routes = [{ prefix: '', carriers: ['first', 'second'], tryNextOn: [11, 'ESME_RTHROTTLED', '0x0000040a'] }]
  const service = await startDelivering(t, carriers, { routes })
  const account = await service.newAccount({ credits: 100 })
  const id = await send(account, { recipients: mobiles(30) })
  const startedMs = performance.now()
  await untilSummary(account, id, { delivered: 30 }, { withinMs: 20_000 })
  assert.ok(performance.now() - startedMs > 400, 'twenty a second')
  assert.equal(second.stats.accepted, 30)
  const [, refusedStep] = await steps(account, id)
  assert.deepEqual(refusedStep, ['refused', 'ESME_RINVDSTADR', 'first'])
  const [route] = (await service.operator.expect(200).get('/routes')).body
  assert.deepEqual([route.try_next_on, route.tries_max], [['ESME_RINVDSTADR', 'ESME_RTHROTTLED', '0x0000040a'], 2])
  const explained = (await account.expect(200).get(`/routes/explain?to=${encodeURIComponent(NUMBER)}`)).body
  assert.ok(!('try_next_on' in explained.route), 'not for accounts')
})
