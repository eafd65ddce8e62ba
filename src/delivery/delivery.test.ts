import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { type Answer, accept, startDispatcher, startPeer } from '../../test/peers/dispatched-peer.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import type { Carrier, SubmitOutcome } from '../carriers/carrier.ts'
import { referenceOf } from '../messages/reservation.ts'
import { type ClaimedBatch, claimBatches } from '../queue/claims.store.ts'
import { deleteClaimed, extendLeases, giveBack } from '../queue/leases.store.ts'
import { markSubmitting } from '../queue/marks.store.ts'
import { readyBatches } from '../queue/ready-batches.store.ts'
import { lockAgainstSubmitting, lockToSubmit } from '../queue/submit-locks.store.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import { stopRecipients } from '../recipients/stop-recipients.ts'
import { HeldBatch } from './held-batch.ts'
import { LateOutcomes } from './late-outcomes.ts'
import { dropRecipients } from './prepare-slices.ts'
import { resolveDoubts, settleLateOutcome } from './resolve-doubts.ts'
import { type SettledOutcome, type Settlement, settleOutcomes } from './settle-outcomes.ts'
import { takeOver } from './take-over.ts'

const reject = (reason: string): SettledOutcome => ({ kind: 'rejected', reason, carrierMessageIds: [] })
const throttle = (): SubmitOutcome => ({ kind: 'retry', reason: 'throttled', delaySeconds: 0 })

const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `+3363998${String(from + index).padStart(4, '0')}`)

async function send(account: TestAccount, fields: Record<string, unknown>): Promise<number> {
  const { body } = await account.expect(200).post('/messages/sms', { content: 'Bonjour', ...fields })
  return body.message_id
}

const credits = async (account: TestAccount) => (await account.expect(200).get('/users/credits')).body[0].credits
const read = async (account: TestAccount, id: number) => (await account.expect(200).get(`/messages/${id}`)).body

/** Works until nothing is due. */
async function drain(t: TestContext, service: TestService, peer = startPeer()): Promise<void> {
  const dispatcher = startDispatcher(t, service, peer)
  await untilIdle(service)
  await dispatcher.stop()
}

async function untilIdle({ pool }: TestService): Promise<void> {
  await eventually(
    async () => {
      const due = await pool`select from batches where due_at <= now()`
      assert.equal(due.length, 0, 'something is still due')
    },
    { withinMs: 20_000 }
  )
}

async function claim({ pool }: Pick<TestService, 'pool'>, { leaseSeconds = 30 } = {}) {
  const turn = { afterAccountId: 0, exceptAccountIds: [] }
  return [...(await claimBatches(pool, { token: randomUUID(), route: '', lane: 0, leaseSeconds, ...turn }))]
}

/** Takes its time: the doubts that wait are decided now. */
async function decideDoubts({ pool }: TestService, { except = 0 } = {}): Promise<void> {
  await pool`update doubts set due_at = now() where message_id <> ${except}`
  await resolveDoubts(pool, { submissionIdOf: (_carrier, id) => id, partsOf: (_carrier, segments) => segments })
}

test('a message that is due is handed over, each recipient once, and ends sent', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const id = await send(operator, { recipients: numbers(1_200), content: 'Bonjour', sender: 'Boutique' })
  const peer = startPeer()
  await drain(t, service, peer)
  assert.deepEqual(peer.submitted.map(({ to }) => to).sort(), numbers(1_200))
  assert.deepEqual(
    [peer.submitted[0]?.from, peer.submitted[0]?.text, new Set(peer.submitted.map(({ reference }) => reference)).size],
    ['Boutique', 'Bonjour', 1_200]
  )
  const message = await read(operator, id)
  assert.deepEqual([message.state, message.summary.sent, message.summary.waiting], ['sent', 1_200, 0])
  assert.equal((await pool`select from batches`).length, 0)
  const { body } = await operator.expect(200).get(`/messages/${id}/recipients/sms?limit=1`)
  assert.deepEqual([body.items[0].deliver, body.items[0].deliver_label], [2, 'sent'])
  assert.match(body.items[0].sent_at, /^20/)
  await assertLedgerHolds(pool)
})

test('several workers share the queue and no recipient is handed over twice', async (t) => {
  const service = await startService(t)
  const accounts = await Promise.all([1, 2, 3].map(() => service.newAccount({ credits: 5_000 })))
  const ids = await Promise.all(accounts.map((account) => send(account, { recipients: numbers(2_000) })))
  const peer = startPeer()
  for (let worker = 0; worker < 4; worker++) startDispatcher(t, service, peer)
  await untilIdle(service)
  assert.equal(peer.submitted.length, 6_000)
  assert.equal(new Set(peer.submitted.map(({ reference }) => reference)).size, 6_000)
  for (const [index, account] of accounts.entries()) {
    assert.deepEqual((await read(account, ids[index] as number)).summary.sent, 2_000)
  }
})

test('transactional leaves before marketing, and inside a lane accounts take turns', async (t) => {
  const service = await startService(t)
  const [large, small] = [await service.newAccount({ credits: 20_000 }), await service.newAccount({ credits: 10 })]
  await send(large, { recipients: ['+447911123456'], category: 'marketing', content: 'Sale STOP' })
  const campaign = await send(large, { recipients: numbers(8_000) })
  const code = await send(small, { recipients: numbers(1) })
  const first = await claim(service)
  assert.deepEqual(first.map(({ messageId }) => messageId).sort(), [campaign, code].sort())
  const second = await claim(service)
  assert.deepEqual(
    second.map(({ messageId }) => messageId),
    [campaign]
  )
  for (const batch of [...first, ...second]) {
    await giveBack(service.pool, { batch, positions: batch.positions, attempts: 0, delaySeconds: 0 })
  }
  const peer = startPeer()
  await drain(t, service, peer)
  const order = peer.submitted.map(({ reference }) => Math.floor(reference / 2 ** 20))
  // Not the very last: it may overtake those that are being prepared when nothing else waits any more.
  assert.ok(peer.submitted.findIndex(({ to }) => to === '+447911123456') >= 8_001 - 200)
  assert.ok(order.indexOf(code) < 200, `the code left with the first, as number ${order.indexOf(code)}`)
})

test('a recipient that is not there yet stays in the queue, and leaves once it is there', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const id = await send(operator, { recipients: numbers(2) })
  // As between the two phases of a commit on a cluster: the message is there, and one of its recipients is not.
  await pool`create table absent as select * from recipients where position = 1`
  await pool`delete from recipients where position = 1`
  const peer = startPeer()
  startDispatcher(t, service, peer)
  await eventually(
    async () => assert.deepEqual([...(await pool`select positions from batches`)], [{ positions: [1] }]),
    { withinMs: 20_000 }
  )
  await pool`insert into recipients select * from absent`
  await eventually(async () => assert.equal((await read(operator, id)).state, 'sent'), { withinMs: 20_000 })
  assert.deepEqual(peer.submitted.map(({ to }) => to).sort(), numbers(2))
})

test('recipients that the database would not prepare are held, and leave once it does', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  // A sequence counts what is rolled back, too.
  await pool`create sequence refusals`
  await pool`
    create function refuse() returns trigger language plpgsql as $$
      begin
        perform nextval('refusals');
        raise exception 'refused';
      end
    $$
  `
  await pool`create trigger refuse before update of submitting on batches for each row execute function refuse()`
  const id = await send(operator, { recipients: numbers(3) })
  const peer = startPeer()
  const dispatcher = startDispatcher(t, service, peer)
  await eventually(async () => assert.equal((await pool`select from refusals where is_called`).length, 1))
  await pool`drop trigger refuse on batches`
  await eventually(async () => assert.equal((await read(operator, id)).state, 'sent'))
  await dispatcher.stop()
  assert.equal(peer.submitted.length, 3)
})

test('what is not due yet is not claimed', async (t) => {
  const { operator, pool } = await startService(t)
  await send(operator, { recipients: numbers(3), scheduleAt: new Date(Date.now() + 3_600_000).toISOString() })
  assert.deepEqual(await claim({ pool }), [])
})

test('a lease that runs out is taken over, and its first holder changes nothing any more', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const id = await send(operator, { recipients: numbers(3) })
  const [batch] = await claim({ pool }, { leaseSeconds: 0 })
  assert.ok(batch)
  const [again] = await claim({ pool })
  assert.deepEqual([again?.id, again?.positions], [batch.id, batch.positions])
  assert.deepEqual(await claim({ pool }), [], 'a lease that runs keeps others out')

  const mark = { carrier: 'peer', leaseSeconds: 30, marks: [{ batch, positions: [1, 2] }] }
  assert.deepEqual([...(await markSubmitting(pool, mark))], [])
  assert.deepEqual([...(await extendLeases(pool, { batches: [batch], leaseSeconds: 30 }))], [])
  await deleteClaimed(pool, [batch])
  await giveBack(pool, { batch, positions: [], attempts: 0, delaySeconds: 0 })
  const late = { accountId: operator.id, messageId: id, carrier: 'peer', lease: batch, batch, channel: 'sms' } as const
  const outcomes: Settlement['outcome'][] = [
    { kind: 'in-doubt', reason: 'closed' },
    { kind: 'next', reason: 'ESME_RSYSERR', route: 'second' }
  ]
  const settlements = outcomes.map((outcome, index) => {
    return { ...late, outcome, position: index + 1, submittedAt: new Date() }
  })
  await pool.begin((database) => settleOutcomes(database, settlements, { finished: [] }))
  assert.deepEqual([...(await pool`select from doubts`)], [], 'who holds it now may have sent it')
  const rows = await pool<{ leasedBy: string; submitting: number[] }[]>`select leased_by, submitting from batches`
  assert.deepEqual([...rows], [{ leasedBy: again?.leasedBy, submitting: [] }])

  assert.ok(again)
  await giveBack(pool, { batch: again, positions: batch.positions, attempts: 0, delaySeconds: 0 })
  const peer = startPeer()
  await drain(t, service, peer)
  assert.equal(peer.submitted.length, 3)
  const settled = [reject('ESME_RSYSERR'), accept()].map((outcome, index) => {
    return { ...late, outcome, position: index + 1, submittedAt: new Date() }
  })
  await pool.begin((database) => settleOutcomes(database, settled, { finished: [] }))
  const { state, summary, credits_refunded: refunded } = await read(operator, id)
  const counts = [state, summary.sent, summary.waiting, refunded]
  assert.deepEqual(counts, ['sent', 3, 0, 0], 'what another process has sent stays sent')
})

test('a batch that was stored for a seat, although its commit was never answered, is queued and leaves once', async (t) => {
  const service = await startService(t)
  const { pool, operator } = service
  const peer = startPeer()
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const messageId = await send(operator, { recipients: numbers(1), scheduleAt })
  const dispatcher = startDispatcher(t, service, peer)
  const seat = await eventually(() => {
    const taken = dispatcher.takeSeat({ lane: 0, count: 1, leasedBy: randomUUID() })
    assert.ok(taken)
    return taken
  })
  const [stored] = await pool<[{ accountId: number }]>`
    update batches
    set due_at = now() + interval '10 minutes', is_ready = false, submitting = positions, carrier = ${seat.lease.carrier},
        leased_by = ${seat.lease.leasedBy}, leased_until = now() + interval '10 minutes'
    where message_id = ${messageId}
    returning account_id
  `
  seat.giveUp({ ...stored, messageId }, { mayBeStored: true })
  await eventually(async () => assert.equal((await read(operator, messageId)).state, 'sent'))
  assert.equal(peer.submitted.length, 1)
  assert.equal((await pool`select from doubts`).length, 0)
  await assertLedgerHolds(pool)
})

test('a batch that is given back is claimed again, with what is left of it', async (t) => {
  const { operator, pool } = await startService(t)
  await send(operator, { recipients: numbers(3) })
  const [batch] = await claim({ pool })
  assert.ok(batch)
  await giveBack(pool, { batch, positions: [2, 3], attempts: 0, delaySeconds: 0 })
  const [left] = await claim({ pool })
  assert.deepEqual(left?.positions, [2, 3])
})

test('leases are extended although one batch is locked for long, and the locked batch is not taken for lost', async (t) => {
  const { operator, pool } = await startService(t)
  for (const from of [0, 1]) await send(operator, { recipients: numbers(1, from) })
  const batches = await claim({ pool }, { leaseSeconds: 1 })
  const [locked, free] = batches
  assert.ok(locked && free)
  const until = async ({ id }: ClaimedBatch) =>
    (
      await pool<{ seconds: number }[]>`
      select extract(epoch from leased_until - now())::double precision as seconds from batches where id = ${id}
    `
    )[0]?.seconds ?? 0
  await pool.begin(async (database) => {
    await database`select from batches where id = ${locked.id} for update`
    const held = await extendLeases(pool, { batches, leaseSeconds: 60 })
    assert.deepEqual(held.map(({ id }) => id).sort(), batches.map(({ id }) => id).sort())
    assert.ok((await until(free)) > 30)
    assert.ok((await until(locked)) <= 1)
  })
  await extendLeases(pool, { batches, leaseSeconds: 60 })
  assert.ok((await until(locked)) > 30)
  await pool`delete from batches where id = ${locked.id}`
  assert.deepEqual(
    (await extendLeases(pool, { batches, leaseSeconds: 60 })).map(({ id }) => id),
    [free.id]
  )
})

test('a batch that is due later is not claimed before, and is when its time has come', async (t) => {
  const { operator, pool } = await startService(t)
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  await send(operator, { recipients: numbers(1), scheduleAt })
  await send(operator, { recipients: numbers(1) })
  const [batch, ...others] = await claim({ pool })
  assert.ok(batch)
  assert.deepEqual(others, [])
  await giveBack(pool, { batch, positions: batch.positions, attempts: 0, delaySeconds: 3_600 })
  assert.equal(await readyBatches(pool, 10), 0)
  assert.deepEqual(await claim({ pool }), [])
  await pool`update batches set due_at = now()`
  assert.equal(await readyBatches(pool, 10), 2)
  assert.equal((await claim({ pool })).length, 2)
})

test('what the carrier rejects is paid back, what it can’t take now is tried again, and what is in doubt is not', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const { pool } = service
  const id = await send(account, { recipients: numbers(5), content: 'x'.repeat(161) })
  let attempts = 0
  const peer = startPeer(({ to }) => {
    if (to.endsWith('0')) return accept()
    if (to.endsWith('4')) throw new Error('a bug of the carrier')
    if (to.endsWith('1')) return reject('ESME_RINVDSTADR')
    if (to.endsWith('2')) return attempts++ === 0 ? throttle() : accept()
    return { kind: 'in-doubt', reason: 'closed' }
  })
  await drain(t, service, peer)
  const count = (digit: string) => peer.submitted.filter(({ to }) => to.endsWith(digit)).length
  assert.deepEqual(['0', '1', '2', '3', '4'].map(count), [1, 1, 2, 1, 1])
  const message = await read(account, id)
  assert.deepEqual([message.state, message.credits_refunded], ['sending', 2])
  assert.deepEqual(message.summary, { waiting: 2, sent: 2, delivered: 0, read: 0, failed: 1, stopped: 0, cancelled: 0 })
  const { body } = await account.expect(200).get(`/messages/${id}/recipients/sms?deliver=5`)
  assert.deepEqual([body.items.length, body.items[0].errorcode], [1, 'ESME_RINVDSTADR'])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 2)
  const doubts = await pool<{ position: number; isLater: boolean }[]>`
    select position, due_at > now() as is_later from doubts order by position
  `
  const later = [4, 5].map((position) => ({ position, isLater: true }))
  assert.deepEqual([...doubts], later, 'those in doubt wait, also where the carrier failed on our side')
  await assertLedgerHolds(pool)
})

test('what the carrier can’t take waits longer after each try, whoever tries, and its timeline tells it once', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 10 })
  const id = await send(account, { recipients: numbers(1) })
  const peer = startPeer(() => ({ kind: 'retry', reason: `ESME_RX_T_APPN ${peer.submitted.length}`, delaySeconds: 10 }))
  const delays: number[] = []
  for (let tries = 1; tries <= 4; tries++) {
    // Each by another dispatcher, as if the one before had died: the tries are counted in the queue.
    const dispatcher = startDispatcher(t, service, peer)
    await eventually(async () => {
      const [batch] = await pool<[{ attempts: number; seconds: number; leasedBy: string | null }]>`
        select attempts, extract(epoch from due_at - now())::double precision as seconds, leased_by from batches
      `
      assert.deepEqual([batch.attempts, batch.leasedBy], [tries, null])
      delays[tries - 1] = batch.seconds
    })
    await dispatcher.stop()
    await pool`update batches set due_at = now(), is_ready = true`
  }
  for (const [index, delay] of delays.entries()) assert.ok(delay <= 10 * 2 ** (index + 1), `${delay} s`)
  assert.ok(delays.every((delay) => delay > 0))
  const { body } = await account.expect(200).get(`/messages/${id}/recipients/sms`)
  const timeline = await account.expect(200).get(`/messages/${id}/recipients/${body.items[0].id}/timeline`)
  const retries = timeline.body.filter(({ step }: { step: string }) => step === 'retry')
  assert.deepEqual(
    retries.map(({ detail, times }: { detail: string; times: number }) => [detail, times]),
    [['ESME_RX_T_APPN 4', 4]]
  )
  assert.ok(retries[0].last_at > retries[0].at)
})

test('of several segments, those that the carrier took before it refused one are paid, the others come back', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const id = await send(account, { recipients: numbers(1), content: 'x'.repeat(400) })
  await drain(
    t,
    service,
    startPeer(() => ({ kind: 'rejected', reason: 'ESME_RINVDSTADR', carrierMessageIds: ['a'] }))
  )
  const message = await read(account, id)
  assert.deepEqual([message.summary.failed, message.credits_refunded], [1, 2])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 9)
  await assertLedgerHolds(service.pool)
})

test('recipients that a dead worker was submitting are in doubt: not sent again at once, and not forgotten', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const id = await send(operator, { recipients: numbers(3) })
  const [batch] = await claim({ pool })
  assert.ok(batch)
  await markSubmitting(pool, { carrier: 'peer', leaseSeconds: 0, marks: [{ batch, positions: [2] }] })
  const [slow] = await claim({ pool }, { leaseSeconds: 0 })
  await claim({ pool }, { leaseSeconds: 0 })
  assert.ok(slow)
  await takeOver(pool, slow, () => assert.fail('another process has taken over, and may have decided on them'))
  const peer = startPeer()
  await drain(t, service, peer)
  assert.deepEqual(peer.submitted.map(({ to }) => to).sort(), ['+33639980000', '+33639980002'])
  assert.equal((await read(operator, id)).summary.waiting, 1)

  await decideDoubts(service)
  const [expiry] = await pool`select from expiries where message_id = ${id}`
  assert.ok(expiry, 'the end of its time is watched again')
  const again = startPeer()
  await drain(t, service, again)
  assert.deepEqual(
    again.submitted.map(({ to }) => to),
    ['+33639980001'],
    'nothing came to light: it is sent again'
  )
  assert.deepEqual((await read(operator, id)).summary.sent, 3)
  const { body } = await operator.expect(200).get(`/messages/${id}/recipients/${id * 2 ** 20 + 2}/timeline`)
  assert.deepEqual(
    body.map(({ step }: { step: string }) => step),
    ['accepted', 'in_doubt', 'resent', 'sent']
  )
})

test('with the setting `fail`, what is in doubt is not sent again; a late answer decides either way', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 10 })
  await account.expect(200).put('/users/me', { settings: { in_doubt: 'fail' } })
  const id = await send(account, { recipients: numbers(5) })
  const log = pino({ level: 'silent' })
  const early = new LateOutcomes({ pool, log, isStopping: () => false, onSettled: () => undefined })
  const peer = startPeer(({ to, reference }) => {
    if (to.endsWith('4')) early.add(reference, accept(), new Date())
    return { kind: 'in-doubt', reason: 'no answer' }
  })
  await drain(t, service, peer)
  await early.untilSettled()
  const late = (index: number, outcome: SettledOutcome) =>
    pool.begin((database) =>
      settleLateOutcome(database, {
        reference: peer.submitted[index]?.reference ?? 0,
        outcome,
        submittedAt: new Date()
      })
    )
  assert.equal(await late(0, accept()), true)
  assert.equal(await late(0, accept()), false, 'it is known by now')
  assert.equal(await late(1, reject('ESME_RINVDSTADR')), true)
  await decideDoubts(service)
  assert.equal(await late(2, accept()), false, 'it is decided')
  const message = await read(account, id)
  const { sent, failed } = message.summary
  assert.deepEqual([message.state, sent, failed], ['sent', 2, 3], 'one answer came before its doubt was stored')
  const { body } = await account.expect(200).get(`/messages/${id}/recipients/sms?deliver=3`)
  assert.deepEqual(
    body.items.map(({ errorcode }: { errorcode: string }) => errorcode),
    ['in_doubt', 'in_doubt']
  )
  assert.equal(message.credits_refunded, 1, 'what the carrier rejected; the others it may have taken')
  const again = startPeer()
  await drain(t, service, again)
  assert.deepEqual(again.submitted, [])
  await assertLedgerHolds(pool)
})

test('a late answer to the first submit does not decide the doubt about the second, unless the carrier took it', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const id = await send(operator, { recipients: numbers(3) })
  const peer = startPeer(() => ({ kind: 'in-doubt', reason: 'no answer' }))
  const firstAt = new Date(Date.now() - 70_000)
  await drain(t, service, peer)
  await decideDoubts(service)
  await drain(t, service, peer)
  const late = (index: number, outcome: SettledOutcome, submittedAt: Date) =>
    pool.begin((database) =>
      settleLateOutcome(database, { reference: peer.submitted[index]?.reference ?? 0, outcome, submittedAt })
    )
  const busy = { kind: 'retry', reason: 'ESME_RSYSERR', delaySeconds: 5 } as const
  assert.equal(await late(0, busy, firstAt), false)
  assert.equal(await late(0, reject('ESME_RSUBMITFAIL'), firstAt), false)
  assert.equal((await pool`select from doubts`).length, 3, 'nothing is sent a third time, nor refunded')
  assert.equal(await late(0, accept(), firstAt), true)
  assert.equal(await late(1, reject('ESME_RSUBMITFAIL'), new Date()), true)
  const { summary, credits_refunded: refunded } = await read(operator, id)
  assert.deepEqual([summary.sent, summary.failed, summary.waiting, refunded], [1, 1, 1, 1])
})

test('a receipt that nobody else claims is evidence: the recipient is not sent to again', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const id = await send(operator, { recipients: numbers(2) })
  await drain(
    t,
    service,
    startPeer(() => ({ kind: 'in-doubt', reason: 'closed' }))
  )
  await pool`
    insert into parked_receipts (id, carrier, carrier_message_id, state, word, error_code, source, destination, happened_at)
    values (1, 'peer', 'AB12', 'delivered', 'DELIVRD', '000', '33639980000', 'CHAPPE', now())
  `
  await decideDoubts(service)
  const again = startPeer()
  await drain(t, service, again)
  assert.deepEqual(
    again.submitted.map(({ to }) => to),
    ['+33639980001']
  )
  assert.deepEqual((await read(operator, id)).summary.sent, 2)
})

test('a doubt that can’t be decided holds up no other, and is tried again', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const doubt = async (count: number) => {
    const id = await send(operator, { recipients: numbers(count) })
    await drain(
      t,
      service,
      startPeer(() => ({ kind: 'in-doubt', reason: 'closed' }))
    )
    return id
  }
  await operator.expect(200).put('/users/me', { settings: { in_doubt: 'fail' } })
  const [bad, good] = [await doubt(1), await doubt(2)]
  await pool`update messages set cancelled_count = waiting_count, waiting_count = 0 where id = ${bad}`
  await pool`update doubts set due_at = now() - interval '1 minute' where message_id = ${bad}`
  await assert.rejects(decideDoubts(service, { except: bad }), /messages_counts_not_negative/)
  assert.equal((await read(operator, good)).summary.failed, 2)
  assert.equal((await pool`select from doubts where due_at > now()`).length, 1)
  await pool`update messages set waiting_count = cancelled_count, cancelled_count = 0 where id = ${bad}`
  await decideDoubts(service)
  assert.equal((await read(operator, bad)).summary.failed, 1)
  await assertLedgerHolds(pool)
})

test('of two in doubt to one phone, one receipt proves neither, whoever is decided first; two prove each one', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const account = await service.newAccount({ credits: 10 })
  const doubt = async (recipients: string[]) => {
    const ids = [
      await send(operator, { recipients, content: 'One' }),
      await send(account, { recipients, content: 'Two' })
    ]
    await drain(
      t,
      service,
      startPeer(() => ({ kind: 'in-doubt', reason: 'closed' }))
    )
    return ids
  }
  const park = (id: string, source: string) => pool`
    insert into parked_receipts (id, carrier, carrier_message_id, state, word, error_code, source, destination, happened_at)
    values (nextval('receipt_ids'), 'peer', ${id}, 'delivered', 'DELIVRD', '000', ${source}, 'CHAPPE', now())
  `
  const decideOne = async (id: number | undefined) => {
    await pool`update doubts set due_at = 'infinity' where message_id <> ${id ?? 0}`
    await pool`update doubts set due_at = now() where message_id = ${id ?? 0}`
    await resolveDoubts(pool, { submissionIdOf: (_carrier, id) => id, partsOf: (_carrier, segments) => segments })
  }
  const [one, two] = await doubt(numbers(1))
  await park('AB12', '33639980000')
  await decideOne(one)
  assert.deepEqual(await doubtsOf(service), [two], 'the other waits for its time')
  const again = startPeer()
  await drain(t, service, again)
  assert.deepEqual(
    again.submitted.map(({ text }) => text),
    ['One']
  )

  const [third, fourth] = await doubt(numbers(1, 1))
  await park('AB13', '33639980001')
  await park('AB14', '33639980001')
  await decideOne(third)
  await decideOne(fourth)
  const rows = await pool<{ messageId: number; carrierMessageId: string }[]>`
    select message_id, carrier_message_id
    from submissions
    where message_id in (${third ?? 0}, ${fourth ?? 0})
    order by message_id
  `
  assert.deepEqual(
    rows.map(({ messageId, carrierMessageId }) => [messageId, carrierMessageId]),
    [
      [third, 'AB13'],
      [fourth, 'AB14']
    ]
  )
})

const doubtsOf = async ({ pool }: TestService) =>
  (await pool<{ messageId: number }[]>`select message_id from doubts`).map(({ messageId }) => messageId)

test('a doubt waits for a receipt that is being matched without holding its message, which the matching needs', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const id = await send(operator, { recipients: numbers(1) })
  await drain(
    t,
    service,
    startPeer(() => ({ kind: 'in-doubt', reason: 'closed' }))
  )
  await pool`
    insert into parked_receipts (id, carrier, carrier_message_id, state, word, error_code, source, destination, happened_at)
    values (1, 'peer', 'AB12', 'delivered', 'DELIVRD', '000', '33639980000', 'CHAPPE', now())
  `
  const deciding = await pool.begin(async (matching) => {
    await matching`select from parked_receipts for update`
    const deciding = decideDoubts(service)
    await untilWaiting(pool, 1)
    await matching`select from messages where id = ${id} for update nowait`
    return [deciding]
  })
  await Promise.all(deciding)
  assert.equal((await read(operator, id)).summary.sent, 1)
})

test('a STOP between accepting and leaving is honoured and paid back; when all have stopped, the message ends sent', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 5 })
  const one = await send(account, { recipients: numbers(3) })
  const all = await send(account, { recipients: numbers(1) })
  await account.expect(200).post('/stops', { recipient: '+33639980000' })
  const peer = startPeer()
  await drain(t, service, peer)
  assert.deepEqual(peer.submitted.map(({ to }) => to).sort(), ['+33639980001', '+33639980002'])
  assert.deepEqual([(await read(account, one)).summary.stopped, (await read(account, one)).credits_refunded], [1, 1])
  const stopped = await read(account, all)
  assert.deepEqual([stopped.state, stopped.summary.stopped], ['sent', 1])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 3)
  await assertLedgerHolds(service.pool)
})

test('an SMS that its carrier calls unreachable is rejected: it has nothing to fall back to', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 2 })
  const id = await send(account, { recipients: numbers(2) })
  await drain(
    t,
    service,
    startPeer(({ to }) => (to.endsWith('0') ? { kind: 'unreachable', reason: 'unknown phone' } : accept()))
  )
  const { body } = await account.expect(200).get(`/messages/${id}/recipients/sms?deliver=5`)
  assert.deepEqual([body.items.length, body.items[0].errorcode], [1, 'unknown phone'])
  assert.equal(await credits(account), 1)
  await assertLedgerHolds(service.pool)
})

test('a message of which nobody could be handed over ends failed, with all credits back', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 5 })
  const id = await send(account, { recipients: numbers(5) })
  await drain(
    t,
    service,
    startPeer(() => reject('no'))
  )
  const message = await read(account, id)
  assert.deepEqual([message.state, message.summary.failed, message.credits_refunded], ['failed', 5, 5])
  await account.expect(409).put(`/messages/${id}/cancel`)
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 5)
  await assertLedgerHolds(service.pool)
})

test('a cancel in the middle of sending: each recipient is either handed over or cancelled, and paid back exactly once', async (t) => {
  const service = await startService(t)
  for (let round = 0; round < 6; round++) {
    const account = await service.newAccount({ credits: 4_000 })
    const id = await send(account, { recipients: numbers(2_000) })
    // The carrier answers at first; then it is slow until the cancels are on their way, or, every other time, answered.
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    const peer = startPeer(async () => {
      if (peer.submitted.length > 100 * round) await isReleased
      return accept()
    })
    const working = Promise.all([1, 2].map(() => drain(t, service, peer)))
    while (peer.submitted.length <= 100 * round) await new Promise((resolve) => setTimeout(resolve, 1))
    const cancelling = Promise.all([1, 2, 3].map(() => account.put(`/messages/${id}/cancel`)))
    if (round % 2 === 0) await cancelling
    release()
    const cancels = await cancelling
    await working
    const message = await read(account, id)
    const { sent, cancelled } = message.summary
    // A race may also be lost, when all have left before the first cancel comes; every other time it is no race.
    const isLate = round % 2 === 1 && cancelled === 0
    assert.deepEqual(cancels.map(({ status }) => status).sort(), isLate ? [409, 409, 409] : [200, 409, 409])
    assert.equal(message.state, isLate ? 'sent' : 'cancelled')
    assert.deepEqual([sent + cancelled, sent], [2_000, peer.submitted.length])
    assert.equal(message.credits_refunded, cancelled)
    assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 4_000 - sent)
    for (const [deliver, count] of [
      [6, cancelled],
      [2, sent],
      [0, 0]
    ]) {
      const { body } = await account.expect(200).get(`/messages/${id}/recipients/sms?deliver=${deliver}&limit=1`)
      assert.equal(body.meta.totalItems, count)
    }
  }
  await assertLedgerHolds(service.pool)
})

test('those that failed are sent to again, each with their own text', async (t) => {
  const service = await startService(t)
  const [account, stranger] = [await service.newAccount({ credits: 10 }), await service.newAccount()]
  const people = numbers(4).map((recipient, index) => ({ recipient, n: index }))
  const { body } = await account
    .expect(200)
    .post('/messages/sms/dynamic', { recipients: people, content: 'No #n#', sender: 'Boutique' })
  await account.expect(409).post(`/messages/${body.message_id}/resend`)
  const peer = startPeer(({ to }) => (/[13]$/.test(to) ? reject('no') : accept()))
  await drain(t, service, peer)
  await stranger.expect(404).post(`/messages/${body.message_id}/resend`)
  await account.expect(200).post('/stops', { recipient: numbers(4)[3] })
  const resend = `/messages/${body.message_id}/resend`
  const before = await credits(account)
  for (const query of ['resumeBefore=true', 'resumeBefore=1', 'resumebefore=TRUE', 'RESUMEBEFORE=True']) {
    const { body: dry } = await account.expect(200).post(`${resend}?${query}`)
    assert.deepEqual([dry.recipients_count, dry.stops, dry.credits_required], [1, 1, 1], query)
  }
  for (const query of ['resumeBefore=yes', 'resumeBefore=', 'resumebefore', 'resumeBefore=true&resumebefore=false']) {
    await account.expect(400).post(`${resend}?${query}`)
  }
  assert.deepEqual([await credits(account), (await account.get('/messages')).body.meta.totalItems], [before, 1])
  // At once: one of them sends, the other is refused and changes nothing.
  const both = await Promise.all([account.post(resend), account.post(`${resend}?resumebefore=FALSE`)])
  assert.equal(both.filter(({ status }) => status === 200).length, 1)
  const again = both.find(({ status }) => status === 200)?.body
  assert.deepEqual([again.recipients_count, again.stops, again.credits_used], [1, 1, 1])
  assert.equal((await read(account, again.message_id)).resend_of, body.message_id)
  assert.equal((await read(account, body.message_id)).resend_of, null)
  assert.equal(await credits(account), before - 1)
  // Only the recipient who opted out is left.
  await account.expect(400).post(resend)
  const second = startPeer()
  await drain(t, service, second)
  assert.deepEqual(
    second.submitted.map(({ to, text, from }) => [to, text, from]),
    [['+33639980001', 'No 1', 'Boutique']]
  )
  const { body: stops } = await account.expect(200).get('/stops/all')
  await account.expect(200).delete(`/stops/${stops.items[0].id}`)
  const { body: rest } = await account.expect(200).post(resend)
  assert.equal(rest.recipients_count, 1)
  await drain(t, service, startPeer())
  for (const query of ['', '?resumeBefore=true']) {
    assert.match((await account.expect(409).post(`${resend}${query}`)).body.error, /resent already/)
  }
  await assertLedgerHolds(service.pool)
})

test('a resend that takes long holds up no send, of its account or of others', async (t) => {
  const service = await startService(t)
  const [account, stranger] = [await service.newAccount({ credits: 10 }), await service.newAccount({ credits: 10 })]
  const id = await send(account, { recipients: numbers(1) })
  await drain(
    t,
    service,
    startPeer(() => reject('no'))
  )
  const resending = await service.pool.begin(async (database) => {
    // Stands for a million recipients: to write on each that it was resent takes long.
    await database`select position from recipients where account_id = ${account.id} and message_id = ${id} for update`
    const resending = account.expect(200).post(`/messages/${id}/resend`)
    await untilWaiting(service.pool, 1)
    await account.expect(200).post('/messages/sms', { recipients: numbers(1, 10), content: 'Bonjour' })
    await stranger.expect(200).post('/messages/sms', { recipients: numbers(1, 10), content: 'Bonjour' })
    return [resending]
  })
  await Promise.all(resending)
  await account.expect(409).post(`/messages/${id}/resend`)
  assert.equal(await credits(account), 8)
  await assertLedgerHolds(service.pool)
})

test('who settles a doubt beside an answer waits for the message without holding the batch, which a retry needs', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const id = await send(operator, { recipients: numbers(2) })
  const [batch] = await claim(service)
  assert(batch)
  await markSubmitting(pool, { carrier: 'peer', leaseSeconds: 30, marks: [{ batch, positions: [1, 2] }] })
  const outcomes: SettledOutcome[] = [
    { kind: 'in-doubt', reason: 'closed' },
    { kind: 'accepted', carrierMessageIds: ['AB12'] }
  ]
  const settlements = outcomes.map((outcome, index): Settlement => {
    const submit = { carrier: 'peer', channel: 'sms', submittedAt: new Date() } as const
    return { ...batch, position: index + 1, ...submit, outcome, lease: batch, batch }
  })
  const settling = await pool.begin(async (database) => {
    await database`select from messages where id = ${id} for update`
    const settling = pool.begin((database) => settleOutcomes(database, settlements, { finished: [] }))
    await untilWaiting(pool, 1)
    await database`select from batches where message_id = ${id} for update nowait`
    return [settling]
  })
  await Promise.all(settling)
  assert.deepEqual([await doubtsOf(service), (await read(operator, id)).summary.sent], [[id], 1])
})

test('a STOP locks messages of several accounts in the order in which those who settle lock them', async (t) => {
  const service = await startService(t)
  const [first, second] = [await service.newAccount({ credits: 10 }), await service.newAccount({ credits: 10 })]
  // The ids are in the opposite order of the accounts.
  const ofSecond = await send(second, { recipients: numbers(1) })
  const ofFirst = await send(first, { recipients: numbers(1) })
  const conversations = [first, second].map(({ id }) => ({ accountId: id, messageId: null }))
  const stopping = await service.pool.begin(async (database) => {
    await database`select from messages where id = ${ofFirst} for update`
    const stopping = service.pool.begin((database) =>
      stopRecipients(database, { phone: numbers(1)[0] ?? '', conversations, way: 'reply' })
    )
    await untilWaiting(service.pool, 1)
    await service.pool`select from messages where id = ${ofSecond} for update nowait`
    return [stopping]
  })
  await Promise.all(stopping)
  for (const [account, id] of [[first, ofFirst] as const, [second, ofSecond] as const]) {
    assert.equal((await read(account, id)).summary.stopped, 1)
  }

  const [phone = ''] = numbers(1, 5)
  const leaving = await send(first, { recipients: [phone] })
  const batch = (await claim(service)).find(({ messageId }) => messageId === leaving)
  assert.ok(batch)
  const late = await service.pool.begin(async (submitter) => {
    await lockToSubmit(submitter, [leaving])
    const late = service.pool.begin((database) => stopRecipients(database, { phone, conversations, way: 'reply' }))
    await untilWaiting(service.pool, 1)
    await markSubmitting(submitter, { carrier: 'peer', leaseSeconds: 30, marks: [{ batch, positions: [1] }] })
    return [late]
  })
  await Promise.all(late)
  assert.equal((await read(first, leaving)).summary.stopped, 0, 'it was on its way')
})

test('who cancels and who submits wait for each other, and nobody can hold up a message of somebody else', async (t) => {
  const service = await startService(t)
  const [account, stranger] = [await service.newAccount({ credits: 10 }), await service.newAccount()]
  const id = await send(account, { recipients: numbers(3) })
  const cancelling = await service.pool.begin(async (submitter) => {
    await lockToSubmit(submitter, [id])
    const cancelling = account.expect(200).put(`/messages/${id}/cancel`)
    await untilWaiting(service.pool, 1)
    await stranger.expect(404).put(`/messages/${id}/cancel`)
    assert.equal((await read(account, id)).state, 'sending')
    return [cancelling]
  })
  await Promise.all(cancelling)

  const other = await send(account, { recipients: numbers(3) })
  const peer = startPeer()
  const draining = await service.pool.begin(async (canceller) => {
    await lockAgainstSubmitting(canceller, [other])
    const draining = drain(t, service, peer)
    await untilWaiting(service.pool, 1)
    assert.equal(peer.submitted.length, 0)
    return [draining]
  })
  await Promise.all(draining)
  assert.equal(peer.submitted.length, 3)
})

test('a STOP of somebody who waits in more messages than can be locked at once: the rest is dropped when its turn comes', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 200 })
  const [phone = ''] = numbers(1)
  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 11 }, () => send(account, { recipients: [phone] })))
  }
  await account.expect(200).post('/stops', { recipient: phone })
  await service.pool.begin((database) =>
    stopRecipients(database, { phone, conversations: [{ accountId: account.id, messageId: null }], way: 'reply' })
  )
  const count = async (state: number) => (await service.pool`select from recipients where state = ${state}`).length
  assert.deepEqual([await count(RECIPIENT_STATES.stopped), await count(RECIPIENT_STATES.waiting)], [100, 10])
  const peer = startPeer()
  await drain(t, service, peer)
  assert.deepEqual([await count(RECIPIENT_STATES.stopped), peer.submitted.length], [110, 0])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 200)
  await assertLedgerHolds(service.pool)
})

test('cancelled while it is being submitted: what the carrier can’t take comes back, what is in doubt is not forgotten', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 60 })
  const id = await send(account, { recipients: numbers(60) })
  let isCancelled = false
  // Ten of them wait for room in the window while the others are on their way.
  const answer: Answer = async ({ to }) => {
    if (!isCancelled) {
      isCancelled = true
      await account.expect(200).put(`/messages/${id}/cancel`)
    }
    if (to.endsWith('1')) return { kind: 'in-doubt', reason: 'closed' }
    return to.endsWith('2') ? accept() : throttle()
  }
  const peer = startPeer(answer, { capacity: 50 })
  await drain(t, service, peer)
  const message = await read(account, id)
  const { sent, cancelled, waiting } = message.summary
  const doubtful = peer.submitted.filter(({ to }) => to.endsWith('1')).length
  assert.deepEqual([message.state, waiting, sent + cancelled + waiting], ['cancelled', doubtful, 60])
  assert.equal(message.credits_refunded, cancelled)
  const shown = await account.expect(200).get(`/messages/${id}/recipients/sms?deliver=6&limit=1`)
  assert.equal(shown.body.meta.totalItems, cancelled)
  assert.equal((await service.pool`select from doubts`).length, doubtful)
  await decideDoubts(service)
  const decided = await read(account, id)
  assert.deepEqual([decided.summary.waiting, decided.summary.cancelled], [0, cancelled + doubtful])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 60 - decided.summary.sent)
  await assertLedgerHolds(service.pool)
})

test('who was paused past their lease drops nobody: they may be on their way', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const [phone = ''] = numbers(1)
  await send(account, { recipients: [phone] })
  const [mine, theirs] = [await claim(service, { leaseSeconds: 0 }), await claim(service)]
  const drop = async ([batch]: ClaimedBatch[]) => {
    assert.ok(batch)
    const { accountId, messageId } = batch
    const gone = {
      accountId,
      messageId,
      position: 1,
      ending: 'stopped' as const,
      detail: '',
      held: new HeldBatch(batch)
    }
    await service.pool.begin((database) => dropRecipients(database, [gone]))
    const [row] = await service.pool<[{ state: number }]>`select state from recipients`
    return row.state
  }
  assert.equal(await drop(mine), RECIPIENT_STATES.waiting)
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 9)
  assert.equal(await drop(theirs), RECIPIENT_STATES.stopped)
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 10)
  await assertLedgerHolds(service.pool)
})

test('a STOP and a cancel before a worker comes to it pay a recipient back once', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 7 })
  const id = await send(account, { recipients: numbers(2) })
  const [batch] = await claim({ pool })
  assert.ok(batch)
  await markSubmitting(pool, { carrier: 'peer', leaseSeconds: 0, marks: [{ batch, positions: [1] }] })
  await account.expect(200).post('/stops', { recipient: numbers(2)[1] })
  await account.expect(200).put(`/messages/${id}/cancel`)
  const { items } = (await account.expect(200).get(`/messages/${id}/recipients/sms`)).body
  assert.deepEqual(
    items.map(({ deliver }: { deliver: number }) => deliver),
    [0, 6],
    'what is on its way is not cancelled'
  )
  // Who holds the batch has seen the STOP before the cancel.
  const stopped = { ...batch, position: 2, ending: 'stopped', detail: '', held: new HeldBatch(batch) } as const
  await pool.begin((database) => dropRecipients(database, [stopped]))
  await drain(t, service)
  const message = await read(account, id)
  assert.deepEqual(
    [message.credits_refunded, message.summary.cancelled, message.summary.stopped, message.summary.waiting],
    [1, 1, 0, 1]
  )

  const other = await send(account, { recipients: numbers(2, 2) })
  const [held] = await claim({ pool })
  assert.ok(held)
  await markSubmitting(pool, { carrier: 'peer', leaseSeconds: 30, marks: [{ batch: held, positions: [1] }] })
  await pool.begin(async (database) => {
    // As somebody who settles it, and waits for the message: the cancel has the message, and must not wait for them.
    await database`
      select position
      from recipients
      where account_id = ${account.id} and message_id = ${other} and position = 1
      for update
    `
    await account.expect(200).put(`/messages/${other}/cancel`)
  })

  const partly = await send(account, { recipients: numbers(3, 4) })
  const [first] = await claim({ pool })
  assert.ok(first)
  const taken = { ...first, carrier: 'peer', outcome: accept(), lease: first, batch: first, channel: 'sms' } as const
  const settled = { ...taken, position: 1, submittedAt: new Date() }
  await pool.begin((database) => settleOutcomes(database, [settled], { finished: [] }))
  await account.expect(200).put(`/messages/${partly}/cancel`)
  const [reservation] = await pool`
    select amount, refunded, settled_at is not null as is_settled
    from credit_reservations
    where account_id = ${account.id} and reference = ${referenceOf(partly)}
  `
  assert.deepEqual(reservation, { amount: 3, refunded: 2, isSettled: true }, 'nothing stays reserved')
  await assertLedgerHolds(pool)
})

test('what could not leave in time does not leave at all, and is paid back', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 2 })
  const id = await send(account, { recipients: numbers(2) })
  await service.pool`update batches set expires_at = now() - interval '1 second'`
  const peer = startPeer()
  await drain(t, service, peer)
  const message = await read(account, id)
  assert.deepEqual([peer.submitted.length, message.state, message.credits_refunded], [0, 'failed', 2])
  const { body } = await account.expect(200).get(`/messages/${id}/recipients/sms?deliver=4`)
  assert.deepEqual([body.items.length, body.items[0].errorcode], [2, 'expired'])
  await assertLedgerHolds(service.pool)
})

test('never are more on their way, and not settled, than the carrier’s window holds', async (t) => {
  const service = await startService(t)
  await send(service.operator, { recipients: numbers(400) })
  let [onTheirWay, most] = [0, 0]
  const peer = startPeer(
    async () => {
      most = Math.max(most, ++onTheirWay)
      await new Promise((resolve) => setTimeout(resolve, 5))
      onTheirWay--
      return accept()
    },
    { capacity: 20 }
  )
  const marks: number[] = []
  const watching = setInterval(async () => {
    const [row] = await service.pool<{ count: number }[]>`
      select count(*) as count
      from batches
      join recipients using (account_id, message_id)
      where position = any(submitting)
        and state = 0
    `
    marks.push(row?.count ?? 0)
  }, 20)
  atEnd(t, async () => clearInterval(watching))
  await drain(t, service, peer)
  assert.equal(peer.submitted.length, 400)
  assert.ok(most <= 20 && Math.max(...marks) <= 20, `${most} at once, ${Math.max(...marks)} marked`)
  assert.ok(Math.max(...marks) > 0)
})

test('a paced carrier that answers slowly is handed more while its answers are awaited', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 200 })
  await send(account, { recipients: numbers(100) })
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const peer = startPeer(async () => {
    await isReleased
    return accept()
  })
  const pacePerSecond = 20
  const carrier: Carrier = {
    ...peer.carrier,
    pacePerSecond,
    // As carriers have it: what is unanswered, and a second's worth.
    get capacity() {
      return peer.submitted.length + pacePerSecond
    }
  }
  startDispatcher(t, service, { ...peer, carrier })
  await eventually(() => assert.equal(peer.submitted.length, 100))
  release()
  await untilIdle(service)
})

test('marketing that is late keeps to the hours of whoever it is for', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 10 })
  const abroad = '+447911123456'
  const id = await send(account, { recipients: [numbers(1)[0], abroad], category: 'marketing', content: 'Sale STOP' })
  await pool`update batches set due_at = now() - interval '8 hours'`
  // One allowed second a day: now is outside of it.
  await pool`update accounts set hours_end = '08:00:01' where id = ${account.id}`
  const peer = startPeer()
  await drain(t, service, peer)
  assert.deepEqual(
    peer.submitted.map(({ to }) => to),
    [abroad]
  )
  const [batch] = await pool<{ isLater: boolean }[]>`select due_at > now() as is_later from batches`
  assert.equal(batch?.isLater, true)
  assert.equal((await read(account, id)).summary.waiting, 1)
})
