import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { countDoubts, decideDoubts, mobiles, send, untilReady, untilSummary } from '../messages/sending.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { startNode } from '../processes/nodes.ts'
import { startService, test } from '../service/service.ts'

test('a node whose connections to the database fall silent is taken over, and comes back by itself', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const file = await carriersFile(t, [carrierTo(smsc, { window: 10 })])
  const settings = (roles: string) => ({ settings: { CHAPPE_ROLES: roles, CHAPPE_CARRIERS: file.path } })
  const service = await startService(t, settings('api'))
  const account = await service.newAccount({ credits: 1_000 })
  const node = await startNode(t, service, { carriersPath: file.path })
  await untilReady(node)
  const other = await service.startPeer(t, settings('api,delivery'))
  const id = await send(account, { recipients: mobiles(300) })
  await eventually(() => assert.ok(smsc.stats.accepted >= 60), { everyMs: 1 })
  // No end, no error: packets vanish.
  node.database.silence()
  assert.ok(smsc.stats.submits < 300)
  await eventually(() => assert.equal(smsc.stats.binds, 2, 'the other takes over'), { withinMs: 20_000 })
  await eventually(
    async () => {
      assert.equal((await service.pool`select from recipients where state = 0`).length, 0)
      assert.ok(smsc.stats.receiptsAcknowledged >= smsc.stats.accepted)
    },
    { withinMs: 30_000 }
  )
  t.diagnostic(`${await countDoubts(service)} in doubt`)
  await decideDoubts(service)
  await untilSummary(account, id, { delivered: 300 })
  assert.deepEqual(smsc.repeated(), [])

  // With nobody else there, it sends again, and its API answers.
  node.database.mend()
  await other.stop()
  await eventually(() => assert.equal(smsc.sessionCount, 1), { withinMs: 30_000 })
  await untilReady(node)
  const later = await send(account, { recipients: mobiles(20, '+336130') })
  await untilSummary(account, later, { delivered: 20 })
  const answer = await fetch(`${node.url}/messages/${later}`, { headers: { 'x-api-key': account.apiKey } })
  assert.equal(answer.status, 200)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})
