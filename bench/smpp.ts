import { parseArgs } from 'node:util'
import { ask, MACHINE, phoneNumber, type RunningChappe, say, watchMemory } from './child.ts'
import { type Cost, measureCost, sayCost } from './cost.ts'
import { CONTENT, measureAlone, sendSingles, takeNumbers, withChappeAt } from './harness.ts'
import { median, percentile } from './load.ts'
import { openClient, type SmppClient } from './smpp-client.ts'
import { type Smsc, startSmsc } from './smsc.ts'
import { countStatements, type StatementCounter } from './statements.ts'

/*
 * `npm run bench:smpp`: messages to one recipient, a submit_sm each, to the SMPP server for customers: over one bind and
 * over ten, each with a window of 100. The reference are single sends over HTTP in the same run: the same text, the same
 * carrier, until the carrier's last receipt is answered. Then one bind asks for receipts, and the rate counts until the
 * client has the last one.
 */

const { values } = parseArgs({
  options: {
    /** Messages of each measurement. */
    messages: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '50' },
    binds: { type: 'string', default: '10' },
    window: { type: 'string', default: '100' },
    /** Messages with receipts. */
    receipts: { type: 'string', default: '20000' },
    /** How many of the costliest statements each measurement lists. */
    top: { type: 'string', default: '0' }
  }
})
const count = Number(values.messages)
const rounds = Number(values.rounds)
const connections = Number(values.connections)
const window = Number(values.window)
const receipts = Number(values.receipts)
const top = Number(values.top)

const RATIO_AIM = 0.7
const CPU_AIM = 450

const smsc = await startSmsc()
try {
  await measureAlone(smsc, count, connections)
  await withChappeAt(smsc, {}, run, { more: { CHAPPE_SMPP_PORT: '0' } })
  say(MACHINE)
} finally {
  await smsc.close()
}

async function run(chappe: RunningChappe): Promise<void> {
  const counter = await countStatements(chappe.folder)
  const open = await createCredentials(chappe.url)
  try {
    await measureShapes(chappe, counter, open)
    if (receipts > 0) await measureReceipts(chappe, counter, open)
  } finally {
    await counter.close()
  }
}

type Open = (binds: number) => Promise<SmppClient>

async function createCredentials(url: string): Promise<Open> {
  const { port } = await ask<{ port: number }>(url, '/smpp/server')
  const systemId = 'bench'
  const fields = { system_id: systemId, name: 'Bench', binds: 50, window }
  const { password } = await ask<{ password: string }>(url, '/smpp/credentials', fields)
  return (binds) => openClient({ port, systemId, password, binds, window })
}

/** A way to send single messages, and what each round of it took. */
interface Shape {
  name: string
  send(): Promise<{ tookMs: ArrayLike<number> }>
  costs: Cost[]
  tookMs: ArrayLike<number>
}

async function measureShapes(chappe: RunningChappe, counter: StatementCounter, open: Open): Promise<void> {
  const clients: SmppClient[] = []
  const overSmpp = async (binds: number): Promise<Shape> => {
    const client = await open(binds)
    clients.push(client)
    const name = `SMPP, ${binds} ${binds === 1 ? 'bind' : 'binds'}, a window of ${window}`
    return { name, send: () => submitSingles(smsc, client, { count, withReceipts: false }), costs: [], tookMs: [] }
  }
  const http: Shape = {
    name: `HTTP, ${connections} connections`,
    send: () => sendSingles(smsc, chappe.url, { count, connections }),
    costs: [],
    tookMs: []
  }
  const shapes = [await overSmpp(1), await overSmpp(Number(values.binds))]
  const all = [http, ...shapes]
  // The first round warms up, and does not count.
  for (let round = 0; round <= rounds; round++) {
    // Turn about: no shape is always the first.
    for (const shape of round % 2 === 0 ? all : all.toReversed()) await measure(chappe, counter, shape)
    if (round === 0) for (const { costs } of all) costs.length = 0
  }
  for (const client of clients) client.close()
  for (const shape of all) sayShape(shape)
  for (const shape of shapes) sayRatio(shape, http)
}

async function measure(chappe: RunningChappe, counter: StatementCounter, shape: Shape): Promise<void> {
  shape.costs.push(
    await measureCost(chappe, counter, count, async () => {
      shape.tookMs = (await shape.send()).tookMs
    })
  )
}

/** Submits single messages until the last receipt of the carrier is answered. */
async function submitSingles(
  smsc: Smsc,
  client: SmppClient,
  { count, withReceipts }: { count: number; withReceipts: boolean }
) {
  const first = takeNumbers(count)
  const answered = smsc.answered
  const toNumber = (index: number) => phoneNumber(first + index).slice(1)
  const submitted = await client.submit({ count, toNumber, text: CONTENT, withReceipts })
  await smsc.untilAnswered(answered + count)
  return submitted
}

function sayShape({ name, costs, tookMs }: Shape): void {
  const rate = count / median(costs.map(({ seconds }) => seconds))
  say(
    `${name}: ${rate.toFixed(0)}/s until the carrier's last receipt is answered (median of ${costs.length} rounds of ${count}); ` +
      `answers 50 % within ${percentile(tookMs, 0.5).toFixed(1)} ms, 99 % within ${percentile(tookMs, 0.99).toFixed(1)} ms`
  )
  const last = costs.at(-1)
  if (last) sayCost(last, { cpuAim: CPU_AIM, top })
}

function sayRatio({ name, costs }: Shape, http: Shape): void {
  const ratio = (read: (cost: Cost) => number) =>
    median(costs.map((cost, round) => read(cost) / read(http.costs[round] as Cost))).toFixed(2)
  say(
    `ratio of ${name} to HTTP: ${ratio(({ seconds }) => 1 / seconds)} (aim: at least ${RATIO_AIM}); ` +
      `of the CPU a message: ${ratio(({ cpu }) => cpu.chappe + cpu.postgres)}`
  )
}

/** All the way: each message has a receipt that the client answers, and nothing stays behind. */
async function measureReceipts(chappe: RunningChappe, counter: StatementCounter, open: Open): Promise<void> {
  const client = await open(1)
  let submitSeconds = 0
  const watched = await watchMemory(chappe.url, () =>
    measureCost(chappe, counter, receipts, async () => {
      submitSeconds = (await submitSingles(smsc, client, { count: receipts, withReceipts: true })).seconds
      await client.untilReceipts(receipts)
    })
  )
  if (client.receipts !== receipts) throw new Error(`${client.receipts} receipts came for ${receipts} submits`)
  client.close()
  const { result: cost, idleMb, peakMb } = watched
  say(
    `with receipts, one bind: ${(receipts / cost.seconds).toFixed(0)}/s until the client has the last receipt ` +
      `(${receipts} in ${cost.seconds.toFixed(1)} s); submits answered ${(receipts / submitSeconds).toFixed(0)}/s; ` +
      `memory ${peakMb.toFixed(0)} MB at most, ${(peakMb - idleMb).toFixed(0)} MB above idle`
  )
  sayCost(cost, { cpuAim: CPU_AIM, top })
}
