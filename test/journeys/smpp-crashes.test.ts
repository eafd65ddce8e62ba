import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { bindForeign, type ForeignClient } from '../../simulator/smpp/foreign-client.ts'
import { SERVER_TIMINGS } from '../../src/smpp-server/timings.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { untilReady } from '../messages/sending.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { randomFrom } from '../processes/children.ts'
import { type Node, startNode } from '../processes/nodes.ts'
import { createApiClient } from '../service/api-client.ts'
import { startService, test } from '../service/service.ts'
import { addressOf, NO_SENDER, newCredentials } from '../service/smpp-customer.ts'

/* A process that serves SMPP dies while a foreign client submits. The client binds to another, and goes on. */

const SINGLES = 40
const LONGS = 10
const PHONE = '33612000001'

/** All that the client submits: texts with an id of its own, and halves of long texts. */
const SUBMITS: Record<string, unknown>[] = [
  ...Array.from({ length: SINGLES }, (_, index) => ({ short_message: `Code ${index}`, external_id: `order ${index}` })),
  ...Array.from({ length: LONGS }, (_, index) =>
    [1, 2].map((position) => ({
      short_message: `half ${position} of ${index} `,
      sar_msg_ref_num: index,
      sar_total_segments: 2,
      sar_segment_seqnum: position
    }))
  ).flat()
]

/** Submits what has no answer yet, and comes back when all of it has one, or the link is lost. */
async function submitRest(client: ForeignClient, ids: Map<number, string>): Promise<void> {
  const rest = SUBMITS.flatMap((fields, index) => (ids.has(index) ? [] : [{ index, fields }]))
  await Promise.allSettled(
    rest.map(async ({ index, fields }) => {
      const answer = await client.submit(PHONE, '', { ...NO_SENDER, ...fields })
      assert.equal(answer.command_status, 0)
      ids.set(index, String(answer.message_id))
    })
  )
}

async function bindTo(t: TestContext, node: Node, apiKey: string, options: Parameters<typeof bindForeign>[2]) {
  const client = (await createApiClient(node.url, {})).as({ 'x-api-key': apiKey })
  const { body: server } = await eventually(() => client.expect(200).get('/smpp/server'))
  return bindForeign(t, { host: '127.0.0.1', port: server.port }, options)
}

test('killed with -9 while a client submits: what was answered is sent and charged once, and its receipts come', async (t) => {
  const seed = Number(process.env.CHAPPE_TEST_SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`seed ${seed}: CHAPPE_TEST_SEED=${seed} npm test -- smpp-crashes`)
  const random = randomFrom(seed)
  const smsc = await startSmsc(t)
  const file = await carriersFile(t, [carrierTo(smsc)])
  const service = await startService(t, {
    settings: { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: file.path, CHAPPE_SMPP_PORT: '0' },
    smppTimings: { ...SERVER_TIMINGS, pollMs: 50 }
  })
  await untilReady(service)
  const account = await service.newAccount({ credits: 1_000 })
  const { credentials } = await newCredentials(account)
  const settings = { CHAPPE_ROLES: 'api,smpp', CHAPPE_SMPP_PORT: '0' }
  const nodes = await Promise.all([0, 1].map(() => startNode(t, service, { carriersPath: file.path, settings })))
  const ids = new Map<number, string>()
  const seen: string[] = []

  for (const [round, node] of nodes.entries()) {
    // The first client answers no receipt: all of them must come again.
    const answerStatus = round === 0 ? undefined : 0
    const client = await bindTo(t, node, account.apiKey, { ...credentials, answerStatus })
    const target = Math.min(ids.size + 1 + Math.floor(random() * 25), SUBMITS.length - 1)
    const submitted = submitRest(client, ids)
    const isDone = () => assert.ok(ids.size >= target && (round === 0 || client.receipts().length > 0))
    await eventually(isDone, { everyMs: 1, withinMs: 20_000 })
    node.signal('SIGKILL')
    await node.exit
    await submitted
    if (round > 0) seen.push(...client.receipts().map(({ id }) => id))
    t.diagnostic(`round ${round}: ${ids.size} answers, ${client.receipts().length} receipts`)
    await service.pool`update smpp_binds set leased_until = now()`
  }

  const last = await bindForeign(t, addressOf(service), credentials)
  // A busy service refuses some of so many at once. A client submits those again.
  await eventually(async () => {
    await submitRest(last, ids)
    assert.equal(ids.size, SUBMITS.length)
  })
  const wanted = [...ids.values()].sort()
  assert.equal(new Set(wanted).size, SUBMITS.length, 'each submit has an id of its own')
  await eventually(
    async () => {
      const came = new Set([...seen, ...last.receipts().map(({ id }) => id)])
      assert.deepEqual([...came].sort(), wanted)
      assert.equal((await service.pool`select from smpp_deliveries`).length, 0)
    },
    { withinMs: 20_000 }
  )
  assert.deepEqual(new Set(last.receipts().map(({ word }) => word)), new Set(['DELIVRD']))

  const messages = await service.pool<{ content: string }[]>`select content from messages order by id`
  const texts = [
    ...Array.from({ length: SINGLES }, (_, index) => `Code ${index}`),
    ...Array.from({ length: LONGS }, (_, index) => `half 1 of ${index} half 2 of ${index} `)
  ]
  assert.deepEqual(messages.map(({ content }) => content).sort(), texts.sort())
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 1_000 - SINGLES - LONGS)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})
