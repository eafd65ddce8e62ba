import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../src/database/database.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { assertLedgerHolds } from '../checks/ledger.ts'
import { untilWaiting } from '../database/waiting.ts'
import { decideDoubts, startDelivering, untilReady } from '../messages/sending.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { endLeases, randomFrom, startChild } from '../processes/children.ts'
import { type Node, startNode } from '../processes/nodes.ts'
import { createApiClient } from '../service/api-client.ts'
import { startService, type TestAccount, type TestService, test } from '../service/service.ts'

/* A process dies while it accepts small sends with an Idempotency-Key. Their repeats go to another process. */

const phone = (index: number) => `+336120${String(index).padStart(5, '0')}`
const toSend = (index: number) => ({ recipients: [phone(index)], content: `Code ${index}` })
const keyOf = (index: number) => ({ 'idempotency-key': `key ${index}` })

/**
 * Where the transactions of two groups wait. The first group has one send, the second has three. At the balance, it
 * depends on PostgreSQL whether it sees that its client has gone before it comes to the commit.
 */
const POINTS = [
  { name: 'while it reads', hold: 'lock table stops in access exclusive mode', storedCounts: [0] },
  { name: 'while it writes the balance', hold: 'select from credit_balances for update', storedCounts: [0, 1, 3, 4] },
  { name: 'in the middle of its commit', hold: 'select pg_advisory_xact_lock(64)', storedCounts: [1, 4] }
]

for (const { name, hold, storedCounts } of POINTS) {
  test(`killed ${name}: all of a group is stored with its answers, or nothing, and repeats send once`, async (t) => {
    const smsc = await startSmsc(t)
    const file = await carriersFile(t, [carrierTo(smsc)])
    const service = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
    const account = await service.newAccount({ credits: 10 })
    await service.pool.unsafe(`
      create function hold_commit() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(64);
        return new;
      end $$;
      create constraint trigger hold_commit after insert on idempotent_answers
        deferrable initially deferred for each row execute function hold_commit();
    `)
    const node = await startNode(t, service, { carriersPath: file.path, settings: { CHAPPE_ROLES: 'api' } })
    await killWhileHeld(service, node, { hold, account })
    const stored = await count(service.pool, 'messages')
    assert.ok(storedCounts.includes(stored), `${stored} are stored`)
    assert.equal(await count(service.pool, 'idempotent_answers'), stored)
    let replayed = 0
    for (const index of [0, 1, 2, 3]) {
      const { headers } = await account.expect(200).post('/messages/sms', toSend(index), keyOf(index))
      if (headers.get('idempotent-replayed') === 'true') replayed++
    }
    assert.equal(replayed, stored)
    assert.equal(await count(service.pool, 'messages'), 4)
    assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 6)
    await assertLedgerHolds(service.pool)
  })
}

/** Sends through a process until two groups wait, kills it, and lets the database end what the groups began. */
async function killWhileHeld(
  { pool }: TestService,
  node: Node,
  { hold, account }: { hold: string; account: TestAccount }
): Promise<void> {
  const client = (await createApiClient(node.url, {})).as({ 'x-api-key': account.apiKey })
  const ask = (index: number) => client.post('/messages/sms', toSend(index), keyOf(index))
  // The process knows the account from now on: of a send, only its group waits in the database.
  await eventually(() => client.expect(200).get('/users/me'))
  const asked: Promise<unknown>[] = []
  await pool.begin(async (database) => {
    await database.unsafe(hold)
    asked.push(ask(0))
    await untilWaiting(pool, 1)
    asked.push(...[1, 2, 3].map(ask))
    await untilWaiting(pool, 2)
    const failed = Promise.allSettled(asked)
    node.signal('SIGKILL')
    await node.exit
    for (const { status } of await failed) assert.equal(status, 'rejected')
  })
  await eventually(async () => {
    const left = await pool`
      select from pg_stat_activity
      where datname = current_database() and application_name like ${`chappe ${node.pid}%`}
    `
    assert.equal(left.length, 0)
  })
}

async function count(pool: Pool, table: string): Promise<number> {
  return (await pool<[{ count: number }]>`select count(*) as count from ${pool(table)}`)[0].count
}

test('killed with -9 at any moment under small sends with keys: each key is one message, sent and charged once', async (t) => {
  const seed = Number(process.env.CHAPPE_TEST_SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`seed ${seed}: CHAPPE_TEST_SEED=${seed} npm test -- keyed-crashes`)
  const random = randomFrom(seed)
  const smsc = await startSmsc(t, { faults: 'delay answers 5ms' })
  const file = await carriersFile(t, [carrierTo(smsc, { window: 50 })])
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
  const account = await service.newAccount({ credits: 1_000 })
  let child = await startReady(t, service, file.path)
  const senders = startSenders(t, () => child.url, account)
  for (let round = 0; round < 3; round++) {
    const target = senders.doneCount + 5 + Math.floor(random() * 60)
    await eventually(() => assert.ok(senders.doneCount >= target), { everyMs: 1, withinMs: 20_000 })
    await child.kill()
    t.diagnostic(`round ${round}: killed after ${senders.doneCount} answers, with ${smsc.stats.accepted} taken`)
    await endLeases(service)
    child = await startReady(t, service, file.path)
  }
  const { keyCount, texts } = await senders.stop()
  await eventually(
    async () => {
      await endLeases(service)
      assert.equal((await service.pool`select from recipients where state = 0`).length, 0)
      assert.equal(smsc.waitingCount, 0)
      assert.ok(smsc.stats.receiptsAcknowledged >= smsc.stats.accepted)
    },
    { withinMs: 20_000 }
  )
  await decideDoubts(service)
  assert.equal(await count(service.pool, 'messages'), keyCount)
  for (const [index, text] of texts.entries()) {
    const again = await account.expect(200).post('/messages/sms', toSend(index), keyOf(index))
    assert.equal(again.text, text)
  }
  assert.deepEqual(smsc.repeated(), [])
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 1_000 - keyCount)
})

test('small sends while connections are cut, carriers are reloaded, messages cancelled and phones opted out: each key is one message', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 5ms' })
  const service = await startDelivering(t, [carrierTo(smsc, { window: 50 })])
  const { pool, file } = service
  const account = await service.newAccount({ credits: 1_000 })
  const senders = startSenders(t, () => service.url, account)
  for (let round = 0; round < 12; round++) {
    const target = senders.doneCount + 8
    await eventually(() => assert.ok(senders.doneCount >= target), { everyMs: 5, withinMs: 20_000 })
    if (round % 4 === 0) {
      await pool`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state = 'active'
      `.catch(() => undefined)
    }
    if (round % 4 === 1) {
      await file.write([carrierTo(smsc, { window: 40 + round })])
      await service.reload()
    }
    if (round % 4 === 2) await account.post('/stops', { recipient: phone(senders.doneCount + 10) })
    const ids = await pool<{ id: number }[]>`select id from messages order by id desc limit 3`.catch(() => [])
    await Promise.all(ids.map(({ id }) => account.put(`/messages/${id}/cancel`)))
  }
  const { keyCount } = await senders.stop()
  await decideDoubts(service)
  const messages = await count(pool, 'messages')
  assert.ok(messages <= keyCount && messages >= keyCount - 3, `${messages} messages of ${keyCount} keys`)
  assert.equal(await count(pool, 'idempotent_answers'), messages)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

async function startReady(t: TestContext, service: TestService, carriersPath: string) {
  const child = await startChild(t, service, carriersPath)
  await untilReady(child)
  return child
}

/** Clients that send one message after the other, and repeat each with its key until it is accepted. */
function startSenders(t: TestContext, url: () => string, account: TestAccount) {
  const texts: string[] = []
  let next = 0
  let isOver = false
  const { signal } = t
  const headers = { 'x-api-key': account.apiKey, 'content-type': 'application/json', connection: 'close' }
  async function ask(index: number): Promise<string | undefined> {
    try {
      const options = { method: 'POST', headers: { ...headers, ...keyOf(index) }, body: JSON.stringify(toSend(index)) }
      const answer = await fetch(`${url()}/messages/sms`, options)
      const text = await answer.text()
      // A phone that opted out is a 400: there is nobody to send to.
      if (answer.status === 400) return text
      if (answer.status !== 200) assert.ok([409, 429, 503].includes(answer.status), text)
      return answer.status === 200 ? text : undefined
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return undefined // The process is dead.
    }
  }
  async function run(): Promise<void> {
    while (!isOver && !signal.aborted) {
      const index = next++
      let text: string | undefined
      while (text === undefined && !signal.aborted) {
        text = await ask(index)
        if (text === undefined) await sleep(20)
      }
      if (text !== undefined) texts[index] = text
    }
  }
  const running = Promise.all(Array.from({ length: 8 }, run))
  return {
    get doneCount() {
      return texts.filter((text) => text !== undefined).length
    },
    async stop() {
      isOver = true
      await running
      return { keyCount: next, texts }
    }
  }
}
