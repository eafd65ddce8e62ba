import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { countDoubts, decideDoubts, mobiles, send, untilReady, untilSummary } from '../messages/sending.ts'
import { startReceiver } from '../peers/receiver.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { startNode } from '../processes/nodes.ts'
import { startService, type TestService, test } from '../service/service.ts'

const TAKEN_OVER_MS = 15_000

test('a node is killed: what it held leaves through another within 15 s, and nothing comes twice', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const file = await carriersFile(t, [carrierTo(smsc, { window: 10 })])
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
  const account = await service.newAccount({ credits: 1_000 })
  const first = await startNode(t, service, { carriersPath: file.path })
  await untilReady(first)
  await startNode(t, service, { carriersPath: file.path })
  // One batch, which the first holds as a whole: what leaves after its death was taken from it.
  const id = await send(account, { recipients: mobiles(300) })
  await eventually(() => assert.ok(smsc.stats.accepted >= 60), { everyMs: 1 })
  assert.equal((await service.pool`select from batches where leased_by is not null`).length, 1)

  const killedAtMs = performance.now()
  first.signal('SIGKILL')
  await eventually(() => assert.equal(smsc.sessionCount, 0))
  const before = smsc.stats.submits
  assert.ok(before < 300)
  await eventually(() => assert.ok(smsc.stats.submits > before), { withinMs: TAKEN_OVER_MS, everyMs: 5 })
  const tookMs = performance.now() - killedAtMs
  t.diagnostic(`taken over after ${(tookMs / 1000).toFixed(1)} s`)
  assert.ok(tookMs < TAKEN_OVER_MS)

  await eventually(async () => {
    assert.equal((await service.pool`select from recipients where state = 0`).length, 0)
    // With all receipts in, what they prove was taken is not sent again.
    assert.ok(smsc.stats.receiptsAcknowledged >= smsc.stats.accepted)
  })
  t.diagnostic(`${await countDoubts(service)} in doubt`)
  await decideDoubts(service)
  await untilSummary(account, id, { delivered: 300 })
  assert.deepEqual(smsc.repeated(), [])
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('a node that was paused past its leases, with all it had in hand, changes nothing when it goes on', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const receiver = await startReceiver(t, async () => {
    await isReleased
    return 200
  })
  const file = await carriersFile(t, [carrierTo(smsc, { window: 10 })])
  const service = await startService(t, {
    settings: { CHAPPE_CARRIERS: file.path, CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  const account = await service.newAccount({ credits: 1_000 })
  await account.expect(200).put('/webhooks', { webhooks: [{ type: 'sms_status', url: receiver.url, batch_size: 5 }] })
  const paused = await startNode(t, service, { carriersPath: file.path })
  await untilReady(paused)
  await startNode(t, service, { carriersPath: file.path, settings: { CHAPPE_ROLES: 'api,delivery' } })

  // Paused with submits on their way, a batch in hand, receipts that came and are not stored, and posts without an answer.
  const id = await send(account, { recipients: mobiles(200) })
  await eventually(
    () => {
      assert.ok(smsc.stats.accepted >= 60)
      assert.ok(receiver.posts.length > 0)
    },
    { everyMs: 1 }
  )
  assert.deepEqual([smsc.sessionCount, smsc.stats.binds], [1, 1], 'only one is bound')
  paused.signal('SIGSTOP')
  release()
  assert.ok(smsc.stats.submits < 200)
  await startNode(t, service, { carriersPath: file.path })
  await eventually(() => assert.equal(smsc.stats.binds, 2), { withinMs: 20_000 })
  await eventually(async () => assert.equal((await service.pool`select from recipients where state = 0`).length, 0), {
    withinMs: 30_000
  })
  const doubts = await countDoubts(service)
  t.diagnostic(`${doubts} in doubt`)
  assert.ok(doubts <= 10, 'no more than its window')
  await decideDoubts(service)
  await eventually(
    async () => {
      const open = await service.pool`select from recipients where state not in (1, 2)`
      assert.equal(open.length, 0, 'what was in doubt is sent again')
      assert.equal((await service.pool`select from batches`).length, 0)
      assert.equal((await service.pool`select from webhook_queue`).length, 0)
      assert.equal((await service.pool`select from webhook_deliveries where status <> 'succeeded'`).length, 0)
    },
    { withinMs: 30_000 }
  )
  const before = { ...(await snapshot(service)), submits: smsc.stats.submits }
  const told = new Set(receiver.posts.map(({ body }) => body.id))
  const postsBefore = receiver.posts.length

  paused.signal('SIGCONT')
  await eventually(() => assert.equal(smsc.sessionCount, 1, 'it gives up its link'))
  // A stop waits for all that it still had in hand.
  assert.deepEqual(await paused.stop(), { code: 0, signal: null })
  // Receipts that it had received and not stored were not answered: the carrier sends them again, to the other.
  await untilSummary(account, id, { delivered: 200 })
  const after = { ...(await snapshot(service)), submits: smsc.stats.submits }
  assert.deepEqual(after, before)
  await eventually(async () => {
    assert.equal((await service.pool`select from webhook_deliveries where status <> 'succeeded'`).length, 0)
    assert.equal(
      new Set(
        receiver
          .records()
          .filter(({ deliver }) => deliver === 1)
          .map((one) => one.recipient)
      ).size,
      200
    )
  })
  const again = receiver.posts.slice(postsBefore).filter(({ body }) => told.has(body.id))
  assert.deepEqual(again, [], 'what was told is not told again')
  const [events] = await service.pool<[{ most: number }]>`
    select max(count)::integer as most
    from (select count(*) as count from events group by record ->> 'recipient', record ->> 'deliver') as told
  `
  assert.equal(events.most, 1, 'each step is one event')
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

/** Whatever a node that is late could spoil. Receipts are not among it: they are true, whoever brings them. */
async function snapshot({ pool }: TestService) {
  const [row] = await pool<[Record<string, unknown>]>`
    select
      (select count(*) from recipients where state in (1, 2)) as taken,
      (select json_agg(s order by carrier_message_id) from (select message_id, position, carrier_message_id from submissions) as s)
        as submissions,
      (select json_agg(s order by s.position, s.id) from (select position, id, step, detail from timeline_steps where step <> 'receipt') as s) as steps,
      (select count(*) from credit_entries) as entries,
      (select count(*) from doubts) as doubts,
      (select json_agg(s order by s.slot) from (select slot, owner, token from carrier_binds) as s) as binds,
      (
        select count(*)
        from webhook_deliveries
        where attempts > 1
      ) as told_again
  `
  return { ...row }
}
