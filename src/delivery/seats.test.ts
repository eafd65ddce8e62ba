import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { createDatabase } from '../../test/database/databases.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { carriersFile } from '../../test/peers/smsc.ts'
import { startWay } from '../../test/processes/nodes.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import type { OutboundMessage, SubmitOutcome } from '../carriers/carrier.ts'
import { CARRIER_KINDS } from '../carriers/kinds.ts'
import { type ToySettings, toy } from '../carriers/toy.samples.ts'
import { connect, SOCKET_PORT } from '../database/database.ts'

/** A carrier with a small window that answers when it is told to. */
async function startSlowCarrier(
  t: TestContext,
  { capacity = 100, databaseUrl }: { capacity?: number; databaseUrl?: string } = {}
) {
  const submitted: { message: OutboundMessage; answer(outcome: SubmitOutcome): void }[] = []
  const slow = {
    ...toy,
    start: ({ name }: ToySettings) => ({
      name,
      capacity,
      pacePerSecond: null,
      submit: (message: OutboundMessage) =>
        new Promise<SubmitOutcome>((answer) => void submitted.push({ message, answer })),
      status: () => ({ isUp: true, binds: [] }),
      stop: async () => undefined
    })
  }
  const carrier = { name: 'slow', type: 'toy', shelf: randomUUID(), sender: 'CHAPPE', stopMention: 'STOP 36111' }
  const file = await carriersFile(t, [carrier], [{ prefix: '', carriers: ['slow'] }])
  const settings = { CHAPPE_CARRIERS: file.path, CHAPPE_ROLES: 'api,delivery' }
  const kinds = [...CARRIER_KINDS.filter(({ name }) => name !== 'toy'), slow]
  const service = await startService(t, { settings, kinds, ...(databaseUrl && { databaseUrl }) })
  const account = await service.newAccount({ credits: 10 })
  const take = async () => {
    await eventually(() => assert.notEqual(submitted.length, 0))
    return submitted.shift() as (typeof submitted)[number]
  }
  return { ...service, account, submitted, take }
}

const accepted = (): SubmitOutcome => ({ kind: 'accepted', carrierMessageIds: [randomUUID()] })
const throttled: SubmitOutcome = { kind: 'retry', reason: 'busy', delaySeconds: 0 }

const send = async (account: TestAccount, number: string): Promise<number> =>
  (await account.expect(200).post('/messages/sms', { recipients: [number], content: 'Code 1234' })).body.message_id
const read = async (account: TestAccount, id: number) => (await account.expect(200).get(`/messages/${id}`)).body
const credits = async (account: TestAccount) => (await account.expect(200).get('/users/credits')).body[0].credits
const reasons = async (account: TestAccount) =>
  (await account.expect(200).get('/users/credits/history')).body.items.map(({ reason }: { reason: string }) => reason)

/** Until a new message takes a seat: the queue was looked into, and is empty. */
async function untilSeatsAreOpen({ account, take, pool }: Awaited<ReturnType<typeof startSlowCarrier>>): Promise<void> {
  await eventually(async () => {
    const id = await send(account, '+33639980090')
    const [batch] = await pool<{ carrier: string | null }[]>`select carrier from batches where message_id = ${id}`
    ;(await take()).answer(accepted())
    await eventually(async () => assert.equal((await read(account, id)).state, 'sent'))
    assert.equal(batch?.carrier, 'slow')
  })
}

test('a small send is stored as being submitted, with its credits spent, and leaves without a claim', async (t) => {
  const slow = await startSlowCarrier(t)
  const { account, pool, take } = slow
  await untilSeatsAreOpen(slow)
  const before = await credits(account)
  const id = await send(account, '+33639980001')
  const [batch] = await pool`
    select carrier, submitting, leased_by is not null as is_leased, leased_until > now() as is_held
    from batches
    where message_id = ${id}
  `
  assert.deepEqual(batch, { carrier: 'slow', submitting: [1], isLeased: true, isHeld: true })
  const { message, answer } = await take()
  assert.deepEqual([message.to, message.from, message.text], ['+33639980001', 'CHAPPE', 'Code 1234'])
  assert.equal((await read(account, id)).state, 'sending')
  answer(accepted())
  await eventually(async () => assert.equal((await read(account, id)).state, 'sent'))
  assert.equal((await pool`select from batches where message_id = ${id}`).length, 0)
  assert.equal(await credits(account), before - 1)
  assert.equal((await reasons(account))[0], 'spend')
  await assertLedgerHolds(pool)
})

test('small sends that are stored together have one lease', async (t) => {
  const slow = await startSlowCarrier(t)
  const { account, pool, take } = slow
  await untilSeatsAreOpen(slow)
  const ids = await Promise.all(Array.from({ length: 4 }, (_, index) => send(account, `+3363998001${index}`)))
  // All that a transaction stores is of the same moment.
  const [stored] = await pool<[{ batches: number; leases: number; transactions: number }]>`
    select count(*) as batches, count(distinct leased_by) as leases, count(distinct created_at) as transactions
    from batches
    join messages on messages.account_id = batches.account_id and messages.id = batches.message_id
    where message_id = any(${ids}::bigint[])
  `
  assert.deepEqual(stored, { batches: ids.length, leases: stored.transactions, transactions: stored.transactions })
  for (const _ of ids) (await take()).answer(accepted())
  await eventually(async () => assert.equal((await pool`select from batches`).length, 0))
})

test('a small send with an Idempotency-Key takes a seat too, and its repeat submits nothing', async (t) => {
  const slow = await startSlowCarrier(t)
  const { account, pool, submitted, take } = slow
  await untilSeatsAreOpen(slow)
  const body = { recipients: ['+33639980001'], content: 'Code 1234' }
  const key = { 'idempotency-key': 'seat' }
  const first = await account.expect(200).post('/messages/sms', body, key)
  const id = first.body.message_id
  const [batch] = await pool`select carrier, submitting from batches where message_id = ${id}`
  assert.deepEqual(batch, { carrier: 'slow', submitting: [1] })
  assert.equal((await account.expect(200).post('/messages/sms', body, key)).text, first.text)
  ;(await take()).answer(accepted())
  await eventually(async () => assert.equal((await read(account, id)).state, 'sent'))
  assert.deepEqual(submitted, [])
  assert.equal((await reasons(account))[0], 'spend')
  await assertLedgerHolds(pool)
})

test('credits that were spent at once come back exactly: by a rejection, and by a cancel while it waits again', async (t) => {
  const slow = await startSlowCarrier(t)
  const { account, pool, take } = slow
  await untilSeatsAreOpen(slow)
  const before = await credits(account)
  const rejected = await send(account, '+33639980002')
  ;(await take()).answer({ kind: 'rejected', reason: 'unknown number', carrierMessageIds: [] })
  await eventually(async () => assert.equal((await read(account, rejected)).state, 'failed'))
  assert.equal(await credits(account), before)
  await assertLedgerHolds(pool)

  const waiting = await send(account, '+33639980003')
  ;(await take()).answer({ ...throttled, delaySeconds: 3600 })
  await eventually(async () => {
    const [batch] = await pool`select leased_by, submitting from batches where message_id = ${waiting}`
    assert.deepEqual(batch, { leasedBy: null, submitting: [] })
  })
  await account.expect(200).put(`/messages/${waiting}/cancel`)
  assert.equal((await read(account, waiting)).state, 'cancelled')
  assert.equal(await credits(account), before)
  await assertLedgerHolds(pool)
})

test('a STOP that comes while the send waits for the balance of its account is honoured, and the credits come back', async (t) => {
  const slow = await startSlowCarrier(t)
  const { account, pool, submitted } = slow
  await untilSeatsAreOpen(slow)
  const before = await credits(account)
  const number = '+33639980004'
  let sending: Promise<number> | undefined
  await pool.begin(async (database) => {
    await database`select from credit_balances for update`
    sending = send(account, number)
    await untilWaiting(pool, 1)
    await account.expect(200).post('/stops', { recipient: number })
    await sleep(1_100)
  })
  const id = await sending
  assert.ok(id)
  await eventually(async () => assert.equal((await read(account, id)).summary.stopped, 1))
  assert.deepEqual(submitted, [])
  assert.equal(await credits(account), before)
  await assertLedgerHolds(pool)
})

test('a commit that the server finishes long after its connection was cut: the message is queued and leaves once, without doubt', async (t) => {
  const database = await createDatabase('begun')
  atEnd(t, () => database.drop())
  const { socketFolder, user, database: name } = database.url
  const way = await startWay(t, { path: join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`) })
  const slow = await startSlowCarrier(t, { databaseUrl: `postgres://${user}@127.0.0.1:${way.port}/${name}` })
  const { account, submitted, take } = slow
  await untilSeatsAreOpen(slow)
  const direct = connect({ url: database.url, applicationName: 'test', connectionsMax: 3 })
  atEnd(t, () => direct.close(1))
  await direct.unsafe(`
    create function hold_commit() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(64);
      return new;
    end $$;
    create constraint trigger hold_commit after insert on messages
      deferrable initially deferred for each row execute function hold_commit();
  `)
  await direct.begin(async (database) => {
    await database`select pg_advisory_xact_lock(64)`
    const sending = account.post('/messages/sms', { recipients: ['+33639980005'], content: 'Code 1234' })
    await untilWaiting(direct, 1)
    way.cut()
    way.mend()
    assert.equal((await sending).status, 503)
    await eventually(() => account.expect(200).get('/users/me'))
    // By now the process has looked for the batch, and has not found it.
    await sleep(1_000)
  })
  ;(await take()).answer(accepted())
  await eventually(async () => {
    const messages = await direct`select from messages where state <> 'sent'`
    assert.equal(messages.length, 0)
  })
  assert.deepEqual(submitted, [])
  assert.equal((await direct`select from timeline_steps where step = 'in_doubt'`).length, 0)
  await assertLedgerHolds(direct)
})

test('while the window is full, small sends queue, and leave in their turn', async (t) => {
  const slow = await startSlowCarrier(t, { capacity: 2 })
  const { account, pool, submitted } = slow
  await untilSeatsAreOpen(slow)
  const ids: number[] = []
  for (const digit of [1, 2, 3, 4]) ids.push(await send(account, `+3363998001${digit}`))
  const batches = await pool<{ carrier: string | null }[]>`select carrier from batches order by id`
  assert.deepEqual(
    batches.map(({ carrier }) => carrier),
    ['slow', 'slow', null, null]
  )
  const left: string[] = []
  await eventually(async () => {
    for (const { message, answer } of submitted.splice(0)) {
      left.push(message.to)
      answer(accepted())
    }
    for (const id of ids) assert.equal((await read(account, id)).state, 'sent')
  })
  assert.deepEqual(left.toSorted(), ['+33639980011', '+33639980012', '+33639980013', '+33639980014'])
  assert.deepEqual(left.slice(0, 2).toSorted(), ['+33639980011', '+33639980012'])
  await assertLedgerHolds(pool)
})

test('many small sends at once with too few credits: as many are accepted as can be paid', async (t) => {
  const slow = await startSlowCarrier(t)
  const { account, pool, submitted } = slow
  await untilSeatsAreOpen(slow)
  const before = await credits(account)
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      account.post('/messages/sms', { recipients: [`+336399801${10 + index}`], content: 'Code 1234' })
    )
  )
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, before)
  assert.equal(statuses.filter((status) => status === 402).length, 60 - before)
  const remaining = answers.filter(({ status }) => status === 200).map(({ body }) => body.credits_remaining)
  assert.deepEqual(
    remaining.toSorted((a, b) => a - b),
    Array.from({ length: before }, (_, index) => index)
  )
  assert.equal(await credits(account), 0)
  await eventually(async () => {
    for (const { answer } of submitted.splice(0)) answer(accepted())
    const [{ count }] = await pool<[{ count: number }]>`select count(*) as count from messages where state <> 'sent'`
    assert.equal(count, 0)
  })
  await assertLedgerHolds(pool)
})

test('a message whose account is suspended while it is stored gives its seat up, and leaves when the account is resumed', async (t) => {
  const slow = await startSlowCarrier(t)
  const { account, operator, pool, submitted, take } = slow
  await untilSeatsAreOpen(slow)
  const path = `/accounts/${account.id}/standing`
  const sending = await pool.begin(async (database) => {
    await database`select from credit_balances where account_id = ${account.id} for update`
    const sending = account.expect(200).post('/messages/sms', { recipients: ['+33639980001'], content: 'Code 1234' })
    await untilWaiting(pool, 1)
    await operator.expect(200).put(path, { standing: 'suspended', reason: 'Unpaid.' })
    await eventually(async () => assert.equal((await account.get('/users/me')).status, 403))
    // Longer than the notice takes on its way to delivery.
    await sleep(500)
    return { answered: sending }
  })
  const id = (await sending.answered).body.message_id
  await eventually(async () => {
    const [batch] = await pool`select carrier, submitting from batches where message_id = ${id}`
    assert.deepEqual(batch, { carrier: null, submitting: [] })
  })
  await sleep(1_000)
  assert.equal(submitted.length, 0)
  await operator.expect(200).put(path, { standing: 'open' })
  ;(await take()).answer(accepted())
  await eventually(async () => assert.equal((await read(account, id)).state, 'sent'))
  await assertLedgerHolds(pool)
})
