import { strict as assert } from 'node:assert'
import { connect } from '../../src/database/database.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { untilWaiting } from '../database/waiting.ts'
import { countDoubts, decideDoubts, mobiles, send, untilReady, untilSummary } from '../messages/sending.ts'
import { startReceiver } from '../peers/receiver.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { endLeases, randomFrom, startChild } from '../processes/children.ts'
import { startNode } from '../processes/nodes.ts'
import { createApiClient } from '../service/api-client.ts'
import { atEnd } from '../service/cleanup.ts'
import { startService, test } from '../service/service.ts'

test('killed with -9 at any moment: after a restart nothing is lost, nothing charged twice, nothing left behind', async (t) => {
  const seed = Number(process.env.CHAPPE_TEST_SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`seed ${seed}: CHAPPE_TEST_SEED=${seed} npm test -- delivery-crashes`)
  const random = randomFrom(seed)
  const smsc = await startSmsc(t, { faults: 'delay answers 10ms' })
  const file = await carriersFile(t, [carrierTo(smsc, { window: 20 })])
  // It only accepts: what is sent is sent by those that are killed.
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
  const account = await service.newAccount({ credits: 1_000 })
  const ids: number[] = []
  for (let round = 0; round < 3; round++) {
    const child = await startChild(t, service, file.path)
    await untilReady(child)
    ids.push(await send(account, { recipients: mobiles(100, `+3361200${round}`), content: `Round ${round}` }))
    ids.push(await send(account, { recipients: mobiles(1, `+3361210${round}`), content: 'x'.repeat(400) }))
    const before = smsc.stats.submits + smsc.stats.receiptsAcknowledged
    const steps = Math.floor(random() * 180)
    await eventually(() => assert.ok(smsc.stats.submits + smsc.stats.receiptsAcknowledged >= before + steps), {
      everyMs: 1
    })
    child.child.kill('SIGKILL')
    await child.exit
    t.diagnostic(`round ${round}: killed after ${steps} steps, with ${smsc.stats.accepted} taken`)
    await endLeases(service)
  }
  const last = await startChild(t, service, file.path)
  await untilReady(last)
  // All have left or are in doubt, and all receipts are in: what they prove was taken is not sent again.
  await eventually(async () => {
    const open = await service.pool`select from recipients where state = 0`
    assert.equal(open.length, 0)
    assert.equal(smsc.waitingCount, 0)
    assert.ok(smsc.stats.receiptsAcknowledged >= smsc.stats.accepted)
  })
  t.diagnostic(`${await countDoubts(service)} in doubt`)
  await decideDoubts(service)
  for (const [index, id] of ids.entries()) await untilSummary(account, id, { delivered: index % 2 === 0 ? 100 : 1 })
  const repeated = smsc.repeated().filter(({ segment }) => !segment.includes('xxx'))
  assert.deepEqual(repeated, [], 'with receipts as evidence, not even what was on its way comes twice')
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
  last.child.kill('SIGTERM')
  assert.deepEqual(await last.exit, { code: 0, signal: null })
})

test('a large cancel commits at once; its events follow in slices, each once, also when the process is killed between two', async (t) => {
  const receiver = await startReceiver(t)
  const smsc = await startSmsc(t)
  const file = await carriersFile(t, [carrierTo(smsc)])
  const settings = { CHAPPE_CARRIERS: file.path, CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  const service = await startService(t, { settings })
  const [account, stranger] = [await service.newAccount({ credits: 5_000 }), await service.newAccount({ credits: 1 })]
  await account.expect(200).put('/webhooks', {
    webhooks: [{ type: 'sms_status', url: receiver.url, batch_size: 500 }]
  })
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const id = await send(account, { recipients: mobiles(5_000, '+3361'), scheduleAt })
  await service.stop()

  const pool = connect({ url: service.databaseUrl, applicationName: 'test', connectionsMax: 3 })
  atEnd(t, () => pool.close(1))
  // Events from position 2,501 on wait for the test: of three slices, the first is stored and the second is not.
  await pool.unsafe(`
    create function hold_event() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(64);
      return new;
    end $$;
    create trigger hold_event before insert on events for each row
      when ((new.record ->> 'id')::bigint % 1048576 > 2500) execute function hold_event();
  `)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const holding = pool.begin(async (database) => {
    await database`select pg_advisory_xact_lock(64)`
    await released
  })

  const node = await startNode(t, service, { carriersPath: file.path })
  const client = await createApiClient(node.url, {})
  const { body } = await client.as({ 'x-api-key': account.apiKey }).expect(200).put(`/messages/${id}/cancel`)
  assert.deepEqual([body.state, body.summary.cancelled, body.credits_refunded], ['cancelled', 5_000, 5_000])
  assert.equal((await pool`select from batches`).length, 0)
  const toldTo = async () => (await pool<{ toldTo: number }[]>`select told_to from untold_cancels`)[0]?.toldTo
  await eventually(async () => assert.equal(await toldTo(), 2_000))
  await untilWaiting(pool, 1)
  const strangers = client.as({ 'x-api-key': stranger.apiKey })
  await strangers.expect(200).post('/messages/sms', { recipients: ['+33761000000'], content: 'Code' })
  await eventually(() => assert.equal(smsc.stats.accepted, 1), { withinMs: 20_000 })
  node.signal('SIGKILL')
  await node.exit
  release()
  await holding

  const last = await service.startPeer(t, { settings: { ...settings, CHAPPE_ROLES: 'api,webhooks' } })
  const isTold = new Set<number>()
  await eventually(
    () => {
      for (const { id, deliver_label: label } of receiver.records()) if (label === 'cancelled') isTold.add(id)
      assert.equal(isTold.size, 5_000)
    },
    { withinMs: 30_000 }
  )
  const [events] = await last.pool`
    select count(*) as count, count(distinct record ->> 'id') as recipients from events where type = 'sms_status'
  `
  assert.deepEqual({ ...events }, { count: 5_000, recipients: 5_000 })
  assert.equal(await toldTo(), undefined)
})

test('what was whole on its way when its process was killed is in doubt, and nothing of it is held for ever', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 60s' })
  const file = await carriersFile(t, [carrierTo(smsc)])
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
  const account = await service.newAccount({ credits: 10 })
  const first = await startChild(t, service, file.path)
  await untilReady(first)
  await send(account, { recipients: mobiles(1) })
  await eventually(() => assert.equal(smsc.stats.submits, 1))
  first.child.kill('SIGKILL')
  await first.exit
  await endLeases(service)
  await startChild(t, service, file.path)
  await eventually(async () => {
    assert.equal(await countDoubts(service), 1)
    assert.equal((await service.pool`select from batches`).length, 0)
  })
})

test('SIGHUP reads the carriers file again: with mistakes everything stays as it was, without it goes over', async (t) => {
  const [old, fresh] = [await startSmsc(t), await startSmsc(t)]
  const file = await carriersFile(t, [carrierTo(old)])
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
  const child = await startChild(t, service, file.path)
  await untilReady(child)
  await file.writeText('{ "carriers": [')
  child.child.kill('SIGHUP')
  await eventually(() => assert.match(child.output(), /carriers file has mistakes/))
  const before = await send(service.operator, { recipients: mobiles(5) })
  await untilSummary(service.operator, before, { delivered: 5 })
  await file.write([carrierTo(fresh)])
  child.child.kill('SIGHUP')
  await eventually(() => assert.deepEqual([old.sessionCount, fresh.sessionCount], [0, 1]))
  const after = await send(service.operator, { recipients: mobiles(5, '+336130') })
  await untilSummary(service.operator, after, { delivered: 5 })
  assert.deepEqual([old.stats.accepted, fresh.stats.accepted], [5, 5])
  await assertInvariants(service, { smscs: [old, fresh] })
})
