import { strict as assert } from 'node:assert'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { API_KEY, withChappe } from '../../bench/child.ts'
import { Phones } from '../../simulator/phones/phones.ts'
import { type Smsc, startSmsc } from '../../simulator/smpp/smsc.ts'
import { connect, type Pool } from '../../src/database/database.ts'
import { findEmbeddedServer } from '../../src/database/embedded-server.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { type Latency, latencyOf, tally } from './figures.ts'
import { type Order, OUTCOMES, type Outcome } from './generator.ts'
import { BULK_RECIPIENTS, externalIdOf, type Kind, kindOf, phonesOf, type Stream } from './requests.ts'

/*
 * More than can be done, for a while: what a service does with a rate of requests that is a multiple of what it can take. One
 * account floods; it also sends to many and reads; others ask for little, and must hardly notice.
 */

export interface OverloadOptions {
  /** How long the sustainable rate is measured, after as long again to warm up. */
  measureSeconds: number
  seconds: number
  factor: number
  /** Of all that flood together. */
  connectionsMax: number
  /** Told what happens meanwhile. */
  say(line: string): void
}

export interface Overload {
  sustainablePerSecond: number
  /** Of single sends at the sustainable rate. */
  unloaded: Latency
  offeredPerSecond: number
  flood: Outcome[]
  bulk: Outcome
  light: Outcome[]
  probes: Probe[]
  memory: { idleMb: number; peakMb: number; afterMb: number }
  /** The worst that the service told of itself during the overload. */
  loopLagMaxMs: number
  recovery: { answeredSeconds: number; deliveredSeconds: number }
  broken: string[]
}

interface Probe {
  path: string
  /** 0 when there was no answer. */
  status: number
  tookMs: number
}

const MEASURE_CONNECTIONS = 64
const GENERATORS = 2
const BULK_PER_SECOND = 2
const LIGHT_ACCOUNTS = 3
const LIGHT_PER_SECOND = 4
const CREDITS = 50_000_000
const DELIVERY_MAX_MS = 300_000
const NINE_SENDS: Kind[] = Array.from({ length: 9 }, () => 'send')

/** The whole service in a process of its own, on a database with full durability, sending through a carrier of ours. */
export async function runOverload(options: OverloadOptions): Promise<Overload> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-overload-'))
  const smsc = await startSmsc({ phones: new Phones(), record: true })
  try {
    const { host, port } = smsc
    const carrier = { name: 'main', type: 'smpp', host, port, systemId: 'chappe', password: 'secret', window: 1_000 }
    const routes = [{ channel: 'sms', prefix: '', carriers: ['main'] }]
    const carriersPath = join(folder, 'carriers.json')
    await writeFile(carriersPath, JSON.stringify({ carriers: [carrier], routes }))
    let overload: Overload | undefined
    await withChappe({ CHAPPE_CARRIERS: carriersPath }, async (chappe) => {
      overload = await overloadService(chappe, smsc, options)
    })
    assert.ok(overload)
    return overload
  } finally {
    await smsc.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Chappe {
  url: string
  folder: string
  pid: number
}

async function overloadService(chappe: Chappe, smsc: Smsc, options: OverloadOptions): Promise<Overload> {
  const { seconds, factor, say } = options
  const flooder = await newAccount(chappe, 'flood')
  const others: { apiKey: string; name: string }[] = []
  for (let index = 0; index < LIGHT_ACCOUNTS; index++) others.push(await newAccount(chappe, `light${index}`))
  const server = await findEmbeddedServer(chappe.folder)
  assert.ok(server, 'the embedded server answers')
  const pool = connect({ url: server, applicationName: 'overload', connectionsMax: 2 })
  try {
    const steady = {
      apiKey: flooder.apiKey,
      kinds: ['send'] as const,
      perSecond: 0,
      connectionsMax: MEASURE_CONNECTIONS
    }
    await generate(chappe, [{ ...steady, name: 'warm', position: 0, seconds: options.measureSeconds }])
    const [measured] = await generate(chappe, [
      { ...steady, name: 'steady', position: 1, seconds: options.measureSeconds }
    ])
    assert.ok(measured)
    const sustainablePerSecond = measured.due / measured.seconds
    const unloaded = latencyOf([measured], (status) => status === 200)
    await untilDelivered(pool)
    const idleMb = await residentMb(chappe.pid)
    const perSecond = sustainablePerSecond * factor
    say(`${sustainablePerSecond.toFixed(0)}/s can be sustained; ${perSecond.toFixed(0)}/s for ${seconds} s are offered`)

    const floods = Array.from(
      { length: GENERATORS },
      (_, index): Stream => ({
        name: `flood${index}`,
        apiKey: flooder.apiKey,
        kinds: [...NINE_SENDS, 'credits', ...NINE_SENDS, 'messages'],
        perSecond: perSecond / GENERATORS,
        seconds,
        connectionsMax: Math.floor(options.connectionsMax / GENERATORS),
        position: 2 + index
      })
    )
    const few = { seconds, connectionsMax: 50 }
    const bulks: Stream = {
      ...few,
      name: 'bulk',
      apiKey: flooder.apiKey,
      kinds: ['bulk'],
      perSecond: BULK_PER_SECOND,
      position: 4
    }
    const lights = others.map(
      (other, index): Stream => ({
        ...few,
        ...other,
        kinds: ['send', 'send', 'credits', 'send', 'send', 'messages'],
        perSecond: LIGHT_PER_SECOND,
        position: 5 + index
      })
    )
    const watch = watchService(chappe)
    const floodEnd = performance.now() + seconds * 1_000
    const generating = Promise.all([
      ...floods.map((stream) => generate(chappe, [stream])),
      generate(chappe, [bulks, ...lights])
    ])
    const [outcomes, watched, recovery] = await Promise.all([generating, stopAt(watch, floodEnd), recover(floodEnd)])
    const [bulk, ...light] = outcomes[GENERATORS] ?? []
    assert.ok(bulk)
    const flood = outcomes.slice(0, GENERATORS).flat()
    const all = [...flood, bulk, ...light]
    const broken = [...findWrongAnswers(all, watched.probes), ...(await findBroken(pool, smsc, [measured, ...all]))]
    return {
      sustainablePerSecond,
      unloaded,
      offeredPerSecond: flood.reduce((sum, { due }) => sum + due, 0) / seconds,
      flood,
      bulk,
      light,
      probes: watched.probes,
      memory: { idleMb, peakMb: watched.peakMb, afterMb: await residentMb(chappe.pid) },
      loopLagMaxMs: watched.loopLagMaxMs,
      recovery,
      broken
    }

    /** From the end of the flood: until a send takes no longer than most did before it, and until nothing waits any more. */
    async function recover(floodEnd: number): Promise<Overload['recovery']> {
      await sleep(Math.max(0, floodEnd - performance.now()))
      const since = () => (performance.now() - floodEnd) / 1_000
      let tries = 0
      await eventually(
        async () => {
          const { status, tookMs } = await askOnce(chappe.url, '/messages/sms', {
            method: 'POST',
            headers: { 'x-api-key': others[0]?.apiKey ?? '', 'content-type': 'application/json' },
            body: JSON.stringify({ recipients: [`+336${95_000_000 + tries++}`], content: 'Code' })
          })
          assert.ok(status === 200 && tookMs <= Math.max(unloaded.p99, 50), `${status} after ${tookMs} ms`)
        },
        { withinMs: 60_000, everyMs: 100 }
      )
      const answeredSeconds = since()
      await generating
      await untilDelivered(pool)
      return { answeredSeconds, deliveredSeconds: since() }
    }
  } finally {
    await pool.close(1)
  }
}

async function newAccount({ url }: Chappe, name: string) {
  const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' }
  const ask = async (method: string, path: string, body: object) => {
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
    assert.equal(answer.status, 200, `${method} ${path}`)
    return (await answer.json()) as { id: number; apikey: string }
  }
  const { id, apikey } = await ask('POST', '/accounts', {
    email: `${name}@overload.example`,
    password: `password of ${name}`
  })
  await ask('PUT', `/accounts/${id}/credits`, { credits: CREDITS, msgType: 1 })
  return { name, apiKey: apikey }
}

/** Makes this load, in a process of its own. */
async function generate({ url }: Chappe, streams: Stream[]): Promise<Outcome[]> {
  const { hostname, port } = new URL(url)
  // What the runner loads into a process of tests is not for this one.
  const child = fork(join(import.meta.dirname, 'generator.ts'), { serialization: 'advanced', execArgv: [] })
  child.send({ host: hostname, port: Number(port), streams } satisfies Order)
  const [outcomes] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => assert.fail('a generator has died'))
  ])
  return outcomes as Outcome[]
}

interface Watch {
  probes: Probe[]
  peakMb: number
  loopLagMaxMs: number
  stop(): Promise<void>
}

/** Looks at the service from outside: its memory as the system tells it, its probes, and what it says of its event loop. */
function watchService({ url, pid }: Chappe): Watch {
  const watch: Watch = { probes: [], peakMb: 0, loopLagMaxMs: 0, stop }
  let isOver = false
  async function repeat(everyMs: number, look: () => Promise<void>): Promise<void> {
    while (!isOver) {
      await look()
      await sleep(everyMs)
    }
  }
  const watching = Promise.all([
    repeat(50, async () => {
      watch.peakMb = Math.max(watch.peakMb, await residentMb(pid))
    }),
    ...['/health/live', '/health/ready'].map((path) =>
      repeat(250, async () => void watch.probes.push({ path, ...(await askOnce(url, path)) }))
    ),
    repeat(1_000, async () => {
      const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) }).then(
        (answer) => answer.text(),
        () => ''
      )
      const lag = Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1] ?? 0) * 1_000
      watch.loopLagMaxMs = Math.max(watch.loopLagMaxMs, lag)
    })
  ])
  async function stop(): Promise<void> {
    isOver = true
    await watching
  }
  return watch
}

async function stopAt(watch: Watch, time: number): Promise<Watch> {
  await sleep(Math.max(0, time - performance.now()))
  await watch.stop()
  return watch
}

async function askOnce(url: string, path: string, init: RequestInit = {}): Promise<{ status: number; tookMs: number }> {
  const begin = performance.now()
  const status = await fetch(url + path, { ...init, signal: AbortSignal.timeout(10_000) }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    },
    () => 0
  )
  return { status, tookMs: performance.now() - begin }
}

async function residentMb(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000
}

async function untilDelivered(pool: Pool): Promise<void> {
  await eventually(
    async () => {
      const [queue] = await pool<[{ open: number }]>`
        select
          (select count(*)::integer from batches)
          + (select count(*)::integer from recipients where state in (0, 2, 9)) as open
      `
      assert.equal(queue.open, 0, 'everything is delivered')
    },
    { withinMs: DELIVERY_MAX_MS, everyMs: 200 }
  )
}

/** An overload is told, and in one way. That there was no answer at all is for the figures to tell. */
function findWrongAnswers(outcomes: readonly Outcome[], probes: readonly Probe[]): string[] {
  const broken: string[] = []
  const told = Object.keys(tally(outcomes)).filter((status) => /^\d/.test(status) && !['200', '503'].includes(status))
  if (told.length > 0) broken.push(`some answers were ${told.join(', ')}`)
  const without = outcomes.reduce((sum, { withoutRetryAfter }) => sum + withoutRetryAfter, 0)
  if (without > 0) broken.push(`${without} were refused without a time to come back`)
  const unanswered = probes.filter(({ path, status }) => (path === '/health/live' ? status !== 200 : status === 0))
  if (unanswered.length > 0) broken.push(`${unanswered.length} of ${probes.length} probes were not answered`)
  return broken
}

/** Everything that was promised of messages and is not so. */
async function findBroken(pool: Pool, smsc: Smsc, outcomes: readonly Outcome[]): Promise<string[]> {
  const broken: string[] = []
  await pool`set statement_timeout = 0`
  const rows = await pool<{ externalId: string; recipients: number; delivered: number }[]>`
    select external_ids.external_id, recipients_count as recipients, delivered_count as delivered
    from external_ids
    left join messages on messages.account_id = external_ids.account_id and messages.id = external_ids.message_id
  `
  const stored = new Map(rows.map((row) => [row.externalId, row]))
  const missing: string[] = []
  const untrue: string[] = []
  const unseen: string[] = []
  for (const { stream, statuses } of outcomes) {
    for (const [number, status] of statuses.entries()) {
      const kind = kindOf(stream, number)
      if (kind !== 'send' && kind !== 'bulk') continue
      const externalId = externalIdOf(stream, number)
      const message = stored.get(externalId)
      const count = kind === 'bulk' ? BULK_RECIPIENTS : 1
      if (status === 200 && (message?.recipients !== count || message.delivered !== count)) missing.push(externalId)
      // Of what got no answer, nobody has said anything.
      if (message && (status === 503 || status === OUTCOMES.unsent)) untrue.push(externalId)
      if (status !== 200) continue
      const isSeen = (phone: string) => smsc.accepted.get(phone.slice(1))?.count === 1
      if (!phonesOf(stream, number).every(isSeen)) unseen.push(externalId)
    }
  }
  const say = (found: string[], what: string) => {
    if (found.length > 0) broken.push(`${found.length} ${what}: ${found.slice(0, 5).join(', ')}`)
  }
  say(missing, 'were acknowledged and are not delivered')
  say(untrue, 'were refused and yet are stored')
  say(unseen, 'were acknowledged and reached the carrier not at all, or not once')
  say(
    smsc.repeated().map(({ number }) => number),
    'came to the carrier more than once'
  )
  await assertInvariants({ pool }, { smscs: [smsc], policy: 'fail' }).catch((error: Error) =>
    broken.push(error.message)
  )
  return broken
}
