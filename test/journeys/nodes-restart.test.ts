import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { decideDoubts, mobiles, send, untilReady, untilSummary } from '../messages/sending.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { type Node, startNode } from '../processes/nodes.ts'
import { startService, type TestAccount, test } from '../service/service.ts'

const NODES = 2
const PER_SEND = 4

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
  assert.ok(ids.length > 20)
  await untilSummary(account, campaign, { delivered: 1_000 }, { withinMs: 30_000 })
  for (const id of ids) await untilSummary(account, id, { delivered: PER_SEND })
  assert.deepEqual([smsc.stats.accepted, smsc.repeated()], [1_000 + ids.length * PER_SEND, []])
  const doubtful = await service.pool`select from timeline_steps where step = 'in_doubt'`
  assert.equal(doubtful.length, 0, 'nothing was in doubt')
  await decideDoubts(service)
  await assertInvariants(service, { smscs: [smsc] })
})

/** Sends all the time, through the nodes in turn; what one does not take, another is given under the same key. */
function startStream(nodes: readonly Node[], { apiKey }: TestAccount) {
  const ids: number[] = []
  let isOver = false
  let repeats = 0
  async function offer(index: number): Promise<number> {
    const recipients = mobiles(PER_SEND, `+3376${String(index).padStart(4, '0')}`)
    for (let tries = 0; tries < 50; tries++) {
      const node = nodes[(index + tries) % nodes.length]
      const response = await fetch(`${node?.url}/messages/sms`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': `send ${index}` },
        body: JSON.stringify({ recipients, content: `Bonjour ${index}` })
      }).catch(() => undefined) // It has just gone.
      const answer = response && ((await response.json().catch(() => undefined)) as { message_id: number } | undefined)
      if (response?.status === 200 && answer) return answer.message_id
      if (response)
        assert.ok(response.status === 503 || !answer, `answered ${response.status}: ${JSON.stringify(answer)}`)
      repeats++
      await sleep(20)
    }
    throw new Error(`send ${index} was not taken by anybody`)
  }
  const running = (async () => {
    for (let index = 0; !isOver; index++) {
      ids.push(await offer(index))
      await sleep(25)
    }
  })()
  let failure: unknown
  running.catch((error) => {
    failure = error
  })
  return {
    check: () => assert.equal(failure, undefined),
    repeats: () => repeats,
    async stop() {
      isOver = true
      await running
      return ids
    }
  }
}
