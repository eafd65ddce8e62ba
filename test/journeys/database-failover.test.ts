import { strict as assert } from 'node:assert'
import { connect } from '../../src/database/database.ts'
import { readPosition } from '../../src/database/lineage.ts'
import { eventually } from '../checks/eventually.ts'
import { type Node, startReplication, untilSynchronous } from '../database/replication.ts'
import { mobiles, untilReady } from '../messages/sending.ts'
import { assertAllArrived, startUnderLoad } from '../messages/steady-sends.ts'
import { atEnd } from '../service/cleanup.ts'
import { startService, test } from '../service/service.ts'

async function countMessages({ sql }: Node): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select count(*)::integer from messages`
  return row.count
}

test('the primary is killed and its synchronous standby promoted: the service goes over by itself, nothing acknowledged is lost, and the old primary is refused when it comes back', async (t) => {
  const replication = await startReplication(t)
  const { primary, standby } = replication
  const load = await startUnderLoad(t, replication.url)
  const { service, sends } = load
  await primary.kill()
  await primary.address.close()
  const killedAt = Date.now()
  await eventually(async () => assert.equal((await fetch(`${service.url}/health/ready`)).status, 503))
  await sends.untilRefused(5)
  await replication.promote()
  const promotedAt = Date.now()
  await sends.untilMore(1)
  t.diagnostic(
    `acknowledging ${Date.now() - promotedAt} ms after the promotion, ${Date.now() - killedAt} after the kill`
  )
  await sends.untilMore(20)
  await untilReady(service)

  // The old primary comes back, waits for nobody, and would take writes that the new one never sees.
  await primary.restart({ synchronous_standby_names: '' })
  await primary.address.open()
  const before = await countMessages(primary)
  await standby.address.close()
  await sends.untilRefused(5)
  await eventually(async () => {
    const ready = await fetch(`${service.url}/health/ready`)
    assert.equal(ready.status, 503)
    assert.match(await ready.text(), /old primary: it is on timeline 1, and timeline 2 has begun elsewhere/)
  })
  await standby.address.open()
  await sends.untilMore(20)
  // A process that starts now knows nothing yet. The old one is named first.
  const fresh = connect({ url: `${replication.url}?connect_timeout=5`, applicationName: 'fresh', connectionsMax: 1 })
  atEnd(t, () => fresh.close(1))
  assert.equal((await readPosition(fresh))?.timeline, 2)
  assert.equal(await countMessages(primary), before, 'nothing was written to the old primary')
  await assertAllArrived(t, load)
})

test('one address, and what is behind it changes: a primary that was made read-only is left for the one that takes its place', async (t) => {
  const replication = await startReplication(t)
  const { primary, standby } = replication
  const { address } = primary
  const load = await startUnderLoad(t, `postgres://chappe@127.0.0.1:${address.port}/chappe`)
  const { service, account, sends } = load
  await primary.sql`alter system set default_transaction_read_only = on`
  await primary.sql`select pg_reload_conf()`
  await sends.untilRefused(10)
  const refused = await account.expect(503).post('/messages/sms', { recipients: ['+33612999999'], content: 'Non' })
  assert.equal(refused.body.code, 'unavailable')
  await eventually(async () => {
    const ready = await fetch(`${service.url}/health/ready`)
    assert.equal(ready.status, 503)
    assert.match(await ready.text(), /takes no writes/)
  })
  // Connections to the old one are not ended: it is there, and would answer. The new one is still a standby.
  address.moveTo({ path: standby.socketPath })
  await sends.untilRefused(10)
  await replication.promote()
  await sends.untilMore(20)
  await untilReady(service)
  await eventually(async () => {
    const left = await primary.sql`select application_name from pg_stat_activity where usename = 'chappe'`
    assert.deepEqual([...left], [], 'nobody reads or listens at the old one any more')
  })
  await assertAllArrived(t, load)
})

test('a commit that the synchronous standby has not confirmed is never answered 200, and is there when it has', async (t) => {
  const replication = await startReplication(t)
  const { primary, standby } = replication
  const service = await startService(t, { databaseUrl: replication.url })
  const account = await service.newAccount({ credits: 100 })
  const key = { 'idempotency-key': 'held' }
  const body = { recipients: mobiles(1), content: 'Bonjour' }
  await standby.kill()
  let isAnswered = false
  const held = account.post('/messages/sms', body, key).finally(() => {
    isAnswered = true
  })
  await eventually(async () => {
    const ready = await fetch(`${service.url}/health/ready`)
    assert.equal(ready.status, 503)
    assert.match(await ready.text(), /wait for a synchronous standby/)
  })
  assert.equal(isAnswered, false)
  // Somebody loses patience. PostgreSQL then calls the commit done, with a warning, although a failover would lose it.
  await primary.sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
  assert.equal((await held).status, 503)

  await standby.restart()
  await untilSynchronous(replication)
  await untilReady(service)
  // It was stored after all, so its repeat is answered with it and makes no second one.
  const repeat = await account.expect(200).post('/messages/sms', body, key)
  const messages = await service.pool`select id from messages`
  assert.deepEqual([...messages], [{ id: repeat.body.message_id }])
})
