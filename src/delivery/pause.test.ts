import { strict as assert } from 'node:assert'
import { randomInt, randomUUID } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { eventually } from '../../test/checks/eventually.ts'
import { assertInvariants } from '../../test/checks/invariants.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { mobiles, readMessage, send, untilSummary } from '../../test/messages/sending.ts'
import { accept, readyOften, startDispatcher, startPeer } from '../../test/peers/dispatched-peer.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { NONE_SUSPENDED } from '../accounts/suspended-accounts.ts'
import type { SubmitOutcome } from '../carriers/carrier.ts'
import { beginScheduledMessages } from '../messages/begin-scheduled-messages.ts'
import { claimBatches } from '../queue/claims.store.ts'
import { giveBack } from '../queue/leases.store.ts'
import { markSubmitting } from '../queue/marks.store.ts'
import { readyBatches } from '../queue/ready-batches.store.ts'
import { lockToSubmit } from '../queue/submit-locks.store.ts'
import { stopRecipients } from '../recipients/stop-recipients.ts'
import { expireBatches } from './expire-batches.ts'

const credits = async (account: TestAccount) => (await account.expect(200).get('/users/credits')).body[0].credits
const pause = async (account: TestAccount, id: number) => (await account.expect(200).put(`/messages/${id}/pause`)).body
const resume = async (account: TestAccount, id: number) =>
  (await account.expect(200).put(`/messages/${id}/resume`)).body
const LATER = new Date(Date.now() + 3_600_000).toISOString()

/** A peer that keeps its answers until it is told to answer. */
function startHeldPeer(capacity: number) {
  const held: ((outcome: SubmitOutcome) => void)[] = []
  const peer = startPeer(() => new Promise<SubmitOutcome>((answer) => void held.push(answer)), { capacity })
  const answerAll = () => {
    for (const answer of held.splice(0)) answer(accept())
  }
  return { ...peer, held, answerAll }
}

/** Until nobody holds a batch, and every one waits for a resume: nothing can leave then. */
async function untilParked({ pool }: Pick<TestService, 'pool'>, id: number): Promise<void> {
  await eventually(async () => {
    const batches = await pool`
      select from batches
      where message_id = ${id}
        and (leased_by is not null or not is_paused)
    `
    assert.equal(batches.length, 0)
  })
}

test('a resume, a pause and a resume at the same instant follow each other, and a paused message never begins', async (t) => {
  const { newAccount, pool } = await startService(t, { settings: { CHAPPE_ROLES: 'api' } })
  const account = await newAccount({ credits: 10 })
  const id = await send(account, { recipients: mobiles(3), scheduleAt: LATER })
  await pause(account, id)
  const asked: Promise<{ status: number }>[] = []
  await pool.begin(async (database) => {
    await lockToSubmit(database, [id])
    for (const [index, act] of ['resume', 'pause', 'resume', 'pause'].entries()) {
      asked.push(account.put(`/messages/${id}/${act}`))
      await untilWaiting(pool, index + 1)
    }
  })
  const answers = await Promise.all(asked)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200]
  )
  assert.equal((await pool`select from scheduled_messages`).length, 0)
  assert.equal((await resume(account, id)).state, 'scheduled')
  assert.equal((await pool`select from scheduled_messages`).length, 1)
  await assertLedgerHolds(pool)
})

test('a paused message: what is in the window leaves, nothing else until it is resumed, and then each once', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const peer = startHeldPeer(20)
  startDispatcher(t, service, peer)
  const id = await send(operator, { recipients: mobiles(100) })
  await eventually(() => assert.equal(peer.held.length, 20))
  const paused = await pause(operator, id)
  assert.deepEqual([paused.state, paused.waiting, paused.under_way], ['sending', 80, 20])
  assert.deepEqual(
    paused.expiries.map(({ recipients }: { recipients: number }) => recipients),
    [80]
  )
  assert.ok(paused.paused_at && Date.parse(paused.expiries[0].expires_at) > Date.now())
  assert.equal((await operator.expect(409).put(`/messages/${id}/pause`)).body.code, 'state_conflict')
  peer.answerAll()
  await untilSummary(operator, id, { waiting: 80, sent: 20 })
  await untilParked(service, id)
  assert.equal(peer.submitted.length, 20)
  const { body: forecast } = await operator.expect(200).get(`/messages/${id}/forecast`)
  assert.deepEqual([forecast.waiting, forecast.under_way, forecast.expiries], [80, 0, paused.expiries])
  assert.equal((await readMessage(operator, id)).paused_at, paused.paused_at)

  assert.equal((await resume(operator, id)).paused_at, undefined)
  assert.equal((await operator.expect(409).put(`/messages/${id}/resume`)).body.code, 'state_conflict')
  await eventually(async () => {
    peer.answerAll()
    assert.equal((await readMessage(operator, id)).state, 'sent')
  })
  assert.deepEqual(peer.submitted.map(({ to }) => to).sort(), mobiles(100))
  await operator.expect(409).put(`/messages/${id}/pause`)
  await assertLedgerHolds(pool)
})

test('a pause waits for a batch that is being handed over, and counts it; a pause before it holds all of it', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const id = await send(operator, { recipients: mobiles(60) })
  const claim = { token: randomUUID(), route: '', lane: 0, leaseSeconds: 30, afterAccountId: 0, exceptAccountIds: [] }
  const [batch] = await claimBatches(pool, claim)
  assert.ok(batch)
  const positions = batch.positions.slice(0, 5)
  let answered: ReturnType<typeof pause> | undefined
  await pool.begin(async (database) => {
    await lockToSubmit(database, [id])
    answered = pause(operator, id)
    await untilWaiting(pool, 1)
    await markSubmitting(database, { carrier: 'peer', leaseSeconds: 30, marks: [{ batch, positions }] })
  })
  const paused = await answered
  assert.deepEqual([paused.under_way, paused.waiting], [5, 55])

  // A resume that comes before a batch is given back as paused leaves nothing behind that waits for ever.
  await pool.begin(async (database) => {
    await lockToSubmit(database, [id])
    const resumed = resume(operator, id)
    await untilWaiting(pool, 1)
    const rest = batch.positions.slice(5)
    await giveBack(database, { batch, positions: rest, attempts: 0, delaySeconds: 0, mayBePaused: true })
    atEnd(t, () => resumed)
  })
  await eventually(async () => {
    const [row] = await pool`select is_paused from batches where message_id = ${id}`
    assert.deepEqual(row, { isPaused: false })
  })
})

test('pauses and resumes at any moment lose no recipient and hand none over twice', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const peer = startPeer(
    async () => {
      await breathe()
      return accept()
    },
    { capacity: 25 }
  )
  startDispatcher(t, service, peer)
  const id = await send(operator, { recipients: mobiles(400) })
  for (let turn = 0; turn < 12; turn++) {
    const answers = await Promise.all([
      operator.put(`/messages/${id}/pause`),
      operator.put(`/messages/${id}/resume`),
      operator.put(`/messages/${id}/pause`)
    ])
    for (const { status } of answers) assert.ok(status === 200 || status === 409)
    await operator.put(`/messages/${id}/resume`)
  }
  await untilSummary(operator, id, { sent: 400 }, { withinMs: 30_000 })
  assert.deepEqual(peer.submitted.map(({ to }) => to).sort(), mobiles(400))
  await eventually(async () => assert.equal((await pool`select from batches`).length, 0))
  await assertLedgerHolds(pool)
})

test('a scheduled message that is paused does not begin; its time stays, and it can be cancelled', async (t) => {
  const service = await startService(t)
  const { newAccount, pool } = service
  const account = await newAccount({ credits: 100 })
  const id = await send(account, { recipients: mobiles(20), scheduleAt: LATER })
  assert.equal((await pause(account, id)).state, 'scheduled')
  await pool`update batches set due_at = now()`
  await pool`update messages set scheduled_at = now() where id = ${id}`
  assert.equal(await readyBatches(pool, 100), 0)
  await beginScheduledMessages(pool, NONE_SUSPENDED)
  assert.equal((await readMessage(account, id)).state, 'scheduled')
  await resume(account, id)
  await beginScheduledMessages(pool, NONE_SUSPENDED)
  assert.equal((await readMessage(account, id)).state, 'sending')
  const peer = startPeer()
  startDispatcher(t, service, peer)
  await untilSummary(account, id, { sent: 20 })

  const other = await send(account, { recipients: mobiles(20), scheduleAt: LATER })
  await pause(account, other)
  const cancelled = (await account.expect(200).put(`/messages/${other}/cancel`)).body
  assert.deepEqual([cancelled.state, cancelled.paused_at, cancelled.credits_refunded], ['cancelled', undefined, 20])
  await account.expect(409).put(`/messages/${other}/resume`)
  await account.expect(409).put(`/messages/${other}/pause`)
  assert.equal(await credits(account), 80)
  await assertLedgerHolds(pool)
})

test('what expires while a message is paused comes back, although no dispatcher looks at it', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const id = await send(account, { recipients: mobiles(60) })
  await pause(account, id)
  const [watched] = await pool<{ isSame: boolean }[]>`
    select expiries.due_at = batches.expires_at as is_same
    from expiries
    join batches using (account_id, message_id)
  `
  assert.ok(watched?.isSame)
  await pool`update batches set expires_at = now()`
  await pool`update expiries set due_at = now()`
  const expire = () =>
    expireBatches(pool, { unreachedRoute: 'none', onDoubt: () => undefined, onHandedOver: () => undefined })
  await expire()
  const { state, summary, credits_refunded } = await readMessage(account, id)
  assert.deepEqual([state, summary.failed, credits_refunded], ['failed', 60, 60])
  assert.equal(await credits(account), 100)
  await pool`update expiries set due_at = now()`
  await expire()
  assert.equal((await pool`select from expiries`).length, 0)
  await account.expect(409).put(`/messages/${id}/resume`)
  await assertLedgerHolds(pool)
})

test('a message that can’t expire holds up no other', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const ids = [1, 2, 3].map(() => send(account, { recipients: mobiles(2) }))
  const [one = 0, bad = 0, other = 0] = await Promise.all(ids)
  for (const id of [one, bad, other]) await pause(account, id)
  await pool`update messages set cancelled_count = waiting_count, waiting_count = 0 where id = ${bad}`
  await pool`update batches set expires_at = now()`
  await pool`update expiries set due_at = now()`
  const nothing = () => undefined
  const expire = () => expireBatches(pool, { unreachedRoute: 'none', onDoubt: nothing, onHandedOver: nothing })
  await assert.rejects(expire(), /messages_counts_not_negative/)
  for (const id of [one, other]) assert.equal((await readMessage(account, id)).summary.failed, 2)
  await pool`update messages set waiting_count = cancelled_count, cancelled_count = 0 where id = ${bad}`
  await pool`update batches set leased_until = null`
  await pool`update expiries set due_at = now()`
  await expire()
  assert.equal((await readMessage(account, bad)).summary.failed, 2)
  await assertLedgerHolds(pool)
})

test('a paused message whose last recipient opts out is over, and leaves nothing in the queue', async (t) => {
  const service = await startService(t)
  const { newAccount, pool } = service
  const account = await newAccount({ credits: 100 })
  const [phone = '', other = ''] = mobiles(2)
  const conversations = [{ accountId: account.id, messageId: null }]
  const stop = (phone: string) =>
    pool.begin((database) => stopRecipients(database, { phone, conversations, way: 'reply' }))
  const id = await send(account, { recipients: [phone, other] })
  await pause(account, id)
  await stop(phone)
  assert.equal((await pool`select from batches where is_paused`).length, 1)
  await stop(other)
  const { state, summary, credits_refunded } = await readMessage(account, id)
  assert.deepEqual([state, summary.stopped, credits_refunded], ['sent', 2, 2])
  await account.expect(409).put(`/messages/${id}/resume`)
  assert.equal((await pool`select from batches`).length, 0)

  // The same while a dispatcher holds the batch: the batch comes back to the queue, where a claim ends it.
  const held = await send(account, { recipients: [phone] })
  const claim = { token: randomUUID(), route: '', lane: 0, leaseSeconds: 30, afterAccountId: 0, exceptAccountIds: [] }
  const [batch] = await claimBatches(pool, claim)
  assert.ok(batch)
  await pause(account, held)
  await stop(phone)
  const { positions } = batch
  await giveBack(pool, { batch, positions, attempts: 0, delaySeconds: 0, mayBePaused: true })
  assert.equal((await pool`select from batches where is_paused`).length, 0)
  startDispatcher(t, service, startPeer())
  await assertInvariants(service, { accounts: [account] })
})

test('messages of another account are neither paused nor resumed nor forecast', async (t) => {
  const { newAccount } = await startService(t)
  const [account, stranger] = [await newAccount({ credits: 10 }), await newAccount()]
  const id = await send(account, { recipients: mobiles(2), scheduleAt: LATER })
  await stranger.expect(404).put(`/messages/${id}/pause`)
  await pause(account, id)
  await stranger.expect(404).put(`/messages/${id}/resume`)
  await stranger.expect(404).get(`/messages/${id}/forecast`)
  await stranger.expect(404).put(`/messages/${id}/labels`, { name: 'Mine' })
  const message = await readMessage(account, id)
  assert.ok(message.paused_at && message.name === undefined)
})

test('after any sequence of pause, resume, cancel, STOP and answers the ledger is exact', async (t) => {
  const service = await startService(t)
  const { newAccount, pool } = service
  const account = await newAccount({ credits: 1_000 })
  const outcomes: (() => SubmitOutcome)[] = [
    accept,
    accept,
    () => ({ kind: 'rejected', reason: 'unknown number', carrierMessageIds: [] }),
    () => ({ kind: 'retry', reason: 'throttled', delaySeconds: 0 })
  ]
  const peer = startPeer(async () => (outcomes[randomInt(outcomes.length)] ?? accept)(), { capacity: 8 })
  startDispatcher(t, service, peer)
  readyOften(t, pool)
  const phones = mobiles(200)
  const ids: number[] = []
  for (let at = 0; at < 4; at++) ids.push(await send(account, { recipients: phones.slice(at * 50, at * 50 + 50) }))
  const acts: string[] = []
  for (let turn = 0; turn < 40; turn++) {
    const id = ids[randomInt(ids.length)] as number
    const act = ['pause', 'pause', 'resume', 'resume', 'cancel', 'stop'][randomInt(6)] as string
    acts.push(`${act} ${id}`)
    if (act === 'stop') await account.post('/stops', { recipient: phones[randomInt(phones.length)] })
    else if (act !== 'cancel' || turn > 20) await account.put(`/messages/${id}/${act}`)
  }
  for (const id of ids) await account.put(`/messages/${id}/resume`)
  await eventually(
    async () => {
      const [open] = await pool<[{ waiting: number }]>`
        select coalesce(sum(waiting_count), 0)::bigint as waiting
        from messages
      `
      assert.equal(open.waiting, 0, acts.join(', '))
    },
    { withinMs: 30_000 }
  )
  const [{ awaited } = { awaited: 0 }] = await pool<{ awaited: number }[]>`
    select count(*) as awaited
    from recipients
    where state = 2
  `
  await assertInvariants(service, { awaited, accounts: [account] })
  const [spent] = await pool<{ required: number; refunded: number }[]>`
    select sum(credits_required)::bigint as required, sum(credits_refunded)::bigint as refunded
    from messages
  `
  assert.ok(spent)
  assert.equal(await credits(account), 1_000 - spent.required + spent.refunded, acts.join(', '))
})
