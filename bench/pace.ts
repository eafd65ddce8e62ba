import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Phones } from '../simulator/phones/phones.ts'
import { type Smsc, startSmsc } from '../simulator/smpp/smsc.ts'
import { ask, MACHINE, phoneNumber, say, timed, withChappe } from './child.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './cpu-seconds.ts'

/*
 * `npm run bench:pace`: campaigns through a carrier with a `throughput` of 200 a second, and through carriers that throttle:
 * a token bucket, a fixed window a second, 2 % at random, a limit that changes. For each, the used share of the limit in that time,
 * and the CPU that a message costs Chappe and PostgreSQL. The reference for random throttling is the same campaign without any.
 */

const { values } = parseArgs({
  options: {
    'per-second': { type: 'string', default: '200' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' }
  }
})
const perSecond = Number(values['per-second'])
const seconds = Number(values.seconds)
const POLL_MS = 20
const MEASURED_SHARE = 0.95
/** The pace of a carrier without a limit, in messages of a campaign for each of a limited one. */
const UNLIMITED_FACTOR = 10
const RANDOM_SHARE = 0.02

interface Case {
  name: string
  throughput: number
  /** The rules of the simulator from the beginning, and those from the middle on. */
  faults: string
  faultsLater?: string
  recipients: number
  /** The number that the carrier would have accepted in this time. */
  wouldTake(elapsedSeconds: number): number
}

const paced = perSecond * seconds
/** A token bucket is full at the beginning. */
const limited = (elapsedSeconds: number) => perSecond * (elapsedSeconds + 1)
let unlimitedPerSecond = 0

const CASES: Case[] = [
  {
    name: `throughput ${perSecond}`,
    throughput: perSecond,
    faults: '',
    recipients: paced,
    wouldTake: (elapsedSeconds) => perSecond * elapsedSeconds
  },
  { name: 'token bucket', throughput: 0, faults: `throttle ${perSecond}/s`, recipients: paced, wouldTake: limited },
  {
    name: 'fixed window',
    throughput: 0,
    faults: `throttle ${perSecond}/s by the second`,
    recipients: paced,
    wouldTake: limited
  },
  {
    name: 'no limit',
    throughput: 0,
    faults: 'delay answers 20ms',
    recipients: paced * UNLIMITED_FACTOR,
    wouldTake: (elapsedSeconds) => unlimitedPerSecond * elapsedSeconds
  },
  {
    name: '2 % at random',
    throughput: 0,
    faults: `delay answers 20ms\nthrottle ${RANDOM_SHARE * 100}% at random`,
    recipients: paced * UNLIMITED_FACTOR,
    wouldTake: (elapsedSeconds) => unlimitedPerSecond * (1 - RANDOM_SHARE) * elapsedSeconds
  },
  {
    name: 'changing limit',
    throughput: 0,
    faults: `throttle ${perSecond}/s`,
    faultsLater: `throttle ${perSecond * 3}/s`,
    recipients: paced * 2,
    // The first half of the time at the lower limit, and a full bucket with each.
    wouldTake: (elapsedSeconds) =>
      perSecond * (seconds / 2 + 1) + perSecond * 3 * Math.max(0, elapsedSeconds - seconds / 2 + 1)
  }
]

for (const one of CASES.filter(({ name }) => name.includes(values.only))) await measure(one)
say(MACHINE)

/** Each with a carrier and a Chappe of its own: no run uses the pace that another learned. */
async function measure(one: Case): Promise<void> {
  const smsc = await startSmsc({ phones: new Phones() })
  const folder = await mkdtemp(join(tmpdir(), 'chappe-bench-'))
  try {
    const carriersFile = join(folder, 'carriers.json')
    await writeFile(carriersFile, JSON.stringify(carriersAt(smsc, one)))
    await withChappe({ CHAPPE_ADMIN_CREDITS: '100000000', CHAPPE_CARRIERS: carriersFile }, (chappe) =>
      run(one, smsc, chappe)
    )
  } finally {
    await smsc.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function carriersAt({ host, port }: Smsc, { throughput }: Case) {
  const carrier = { name: 'main', type: 'smpp', host, port, systemId: 'bench', password: 'bench' }
  return {
    carriers: [{ ...carrier, window: 200, throughput }],
    routes: [{ channel: 'sms', prefix: '', carriers: ['main'] }]
  }
}

async function run(one: Case, smsc: Smsc, chappe: { url: string; folder: string; pid: number }): Promise<void> {
  const { recipients, faultsLater } = one
  const id = await send(chappe.url, Math.min(100, recipients)) // To warm up.
  await until(() => isDelivered(chappe.url, id, Math.min(100, recipients)))
  const idle = await idlePerSecond(chappe)
  smsc.apply(one.faults)
  const [taken, throttled] = [smsc.stats.accepted, smsc.stats.throttled]
  const takenNow = () => smsc.stats.accepted - taken
  const before = await cpuSeconds(chappe)
  const { seconds: allSeconds } = await timed(async () => {
    await send(chappe.url, recipients)
    await until(() => takenNow() > 0)
    const later = faultsLater && setTimeout(() => smsc.apply(faultsLater), (seconds / 2) * 1000)
    // Without the last messages, which may have to wait for a retry.
    const { seconds: elapsed } = await timed(() => until(() => takenNow() >= recipients * MEASURED_SHARE))
    const measured = takenNow()
    if (one.name === 'no limit') unlimitedPerSecond = measured / elapsed
    say(
      `${one.name}: ${((100 * measured) / one.wouldTake(elapsed)).toFixed(0)} % of what the carrier would take ` +
        `(${measured} in ${elapsed.toFixed(1)} s, ${(measured / elapsed).toFixed(0)}/s)`
    )
    await until(() => takenNow() >= recipients)
    if (later) clearTimeout(later)
  })
  const after = await cpuSeconds(chappe)
  const perMessage = (name: 'chappe' | 'postgres') => {
    const used = after[name] - before[name]
    const aboveIdle = used - idle[name] * allSeconds
    return `${toMicros(used / recipients)} µs, ${toMicros(aboveIdle / recipients)} above idle`
  }
  say(
    `  all ${recipients} taken in ${allSeconds.toFixed(1)} s; throttled ${smsc.stats.throttled - throttled}; ` +
      `CPU a message: Chappe ${perMessage('chappe')}; PostgreSQL ${perMessage('postgres')} (aim: at most 300)`
  )
}

function toMicros(cpuSeconds: number): string {
  return (cpuSeconds * 1e6).toFixed(0)
}

async function send(url: string, count: number): Promise<number> {
  const numbers = Array.from({ length: count }, (_, index) => phoneNumber(index))
  const content = 'Bonjour, votre commande est prête.'
  const { message_id: id } = await ask<{ message_id: number }>(url, '/messages/sms', { recipients: numbers, content })
  return id
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await sleep(POLL_MS)
}

/** The CPU of the process while nothing is sent. */
async function idlePerSecond(chappe: { pid: number; folder: string }) {
  const idleSeconds = Math.min(5, seconds / 2)
  const before = await cpuSeconds(chappe)
  await sleep(idleSeconds * 1000)
  const after = await cpuSeconds(chappe)
  return {
    chappe: (after.chappe - before.chappe) / idleSeconds,
    postgres: (after.postgres - before.postgres) / idleSeconds
  }
}

async function isDelivered(url: string, id: number, count: number): Promise<boolean> {
  const { summary } = await ask<{ summary: { delivered: number } }>(url, `/messages/${id}`)
  return summary.delivered === count
}

async function cpuSeconds({ pid, folder }: { pid: number; folder: string }) {
  return { chappe: await cpuSecondsOf(pid), postgres: await cpuSecondsOfDatabase(folder) }
}
