import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { decideDoubts, mobiles, send, untilReady, untilSummary } from '../messages/sending.ts'
import { PER_SEND, startStream } from '../messages/stream.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { startNode } from '../processes/nodes.ts'
import { startService, test } from '../service/service.ts'

const NODES = 2
/** The fewest sends before each restart: a fast machine would restart both nodes within a few. */
const SENDS_MIN = 12

test('nodes are restarted one after the other under load: nothing is lost, repeated or in doubt', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const file = await carriersFile(t, [carrierTo(smsc, { sessions: 2, window: 10 })])
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
  const account = await service.newAccount({ credits: 100_000 })
  const nodes = await Promise.all(
    Array.from({ length: NODES }, () => startNode(t, service, { carriersPath: file.path }))
  )
  await Promise.all(nodes.map(untilReady))
  // Some wait in the queue all the time, so that a node always has a batch in hand when it goes.
  const campaign = await send(account, { recipients: mobiles(1_000, '+3361') })
  const stream = startStream(nodes, account)

  for (let turn = 0; turn < NODES; turn++) {
    const before = smsc.stats.accepted
    await eventually(
      () => {
        stream.check()
        assert.ok(smsc.stats.accepted >= before + 20)
        assert.ok(stream.answered().length >= SENDS_MIN * (turn + 1))
      },
      { withinMs: 60_000 }
    )
    const [old] = nodes.splice(turn, 1)
    assert.deepEqual(await old?.stop(), { code: 0, signal: null })
    const fresh = await startNode(t, service, { carriersPath: file.path })
    await untilReady(fresh)
    nodes.splice(turn, 0, fresh)
  }
  const ids = await stream.stop()
  t.diagnostic(`${ids.length} sends, ${stream.repeats()} of them tried at another node`)
  await untilSummary(account, campaign, { delivered: 1_000 }, { withinMs: 30_000 })
  for (const id of ids) await untilSummary(account, id, { delivered: PER_SEND })
  assert.deepEqual([smsc.stats.accepted, smsc.repeated()], [1_000 + ids.length * PER_SEND, []])
  const doubtful = await service.pool`select from timeline_steps where step = 'in_doubt'`
  assert.equal(doubtful.length, 0, 'nothing was in doubt')
  await decideDoubts(service)
  await assertInvariants(service, { smscs: [smsc] })
})
