import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type SocketUrl, socketServer } from '../src/database/database.ts'
import { startEmbeddedServer } from '../src/database/embedded-server.ts'
import { asSuperuserOf, distributeFresh, postgresIn, startCluster } from '../test/database/cluster.ts'
import { storeAccounts } from './accounts.ts'
import { API_KEY, MACHINE, phoneNumber, say, startChappe, timed } from './child.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './cpu-seconds.ts'
import { CONTENT, sendSingles, settingsAt, takeNumbers } from './harness.ts'
import { load, median } from './load.ts'
import { type Smsc, startSmsc } from './smsc.ts'

/*
 * `npm run bench:scale -- --database postgres --database citus:2`: the CPU and the WAL that a message takes until its receipt is
 * answered, split by process and by node, on one PostgreSQL and on Citus clusters of so many workers: bulk and single messages, of one
 * account, of many, and of many of which one is larger than all others. A cluster needs CHAPPE_CITUS_BIN, the folder with the
 * binaries of a PostgreSQL that has Citus; the one PostgreSQL has the same binaries then. All nodes are on this machine, so
 * rates say nothing about a cluster of several machines. CPU does. All databases run at once and take turns in each round: a
 * machine that others share may be half as fast some minutes later.
 */

const { values } = parseArgs({
  options: {
    /** `postgres`, or `citus:2` for a coordinator and two workers. */
    database: { type: 'string', multiple: true, default: ['postgres'] },
    /** How often each is measured. The report has medians. */
    rounds: { type: 'string', default: '3' },
    /** Recipients of all bulk messages of a round. */
    bulk: { type: 'string', default: '50000' },
    singles: { type: 'string', default: '5000' },
    /** Numbers of accounts that send at once. */
    accounts: { type: 'string', default: '1,100' },
    connections: { type: 'string', default: '50' },
    /** Instead of as many as `npm run distribute` makes for so many workers. */
    shards: { type: 'string' },
    /** A setting of each PostgreSQL, such as commit_delay=500. May be given several times. */
    postgres: { type: 'string', multiple: true, default: [] }
  }
})
const rounds = Number(values.rounds)
const bulk = Number(values.bulk)
const singles = Number(values.singles)
const connections = Number(values.connections)
const accountCounts = values.accounts.split(',').map(Number)
const serverSettings = Object.fromEntries(values.postgres.map((setting) => setting.split('=') as [string, string]))
/** The share of the account that is larger than all others. */
const LARGE_SHARE = 0.9
/** Chappe puts the last batches away a moment after the last receipt. */
const END_MS = 500
const IDLE_SECONDS = 2
/** What the first messages of many accounts leave to do goes on for a while. Quiet is less than this share of a core. */
const QUIET_SHARE = 0.1
const QUIET_SECONDS_MAX = 90
const WARM_UP_SHARE = 0.1
/** As docs/scale.md advises. */
const CLUSTER_SETTINGS = { 'citus.recover_2pc_interval': '5s' }
const CHAPPE = 'Chappe'
const COORDINATOR = 'coordinator'

interface Node {
  name: string
  folder: string
  socketFolder: string
}

interface Database {
  url: SocketUrl
  nodes: Node[]
  stop(): Promise<void>
}

const smsc = await startSmsc()
const stops: (() => Promise<void>)[] = [smsc.close]
try {
  const measured: Measured[] = []
  for (const name of values.database) measured.push(await startMeasured(smsc, name))
  for (const one of measured) await warmUp(smsc, one)
  await measureAll(smsc, measured)
  say(MACHINE)
} finally {
  for (const stop of stops.toReversed()) await stop()
}

async function startMeasured(smsc: Smsc, name: string): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-bench-'))
  stops.push(() => rm(folder, { recursive: true, force: true }))
  // PostgreSQL's own user passes through it.
  await chmod(folder, 0o711)
  const database = await startDatabase(name, folder)
  stops.push(database.stop)
  const chappe = startChappe(join(folder, 'data'), {
    ...(await settingsAt(smsc, folder)),
    DATABASE_URL: toAddress(database.url)
  })
  stops.push(async () => {
    await chappe.stop()
  })
  const url = await chappe.url
  const keys = [API_KEY, ...(await storeAccounts(database.url, Math.max(...accountCounts) - 1, 'scale'))]
  return { name, url, keys, pid: chappe.child.pid ?? 0, nodes: database.nodes }
}

async function startDatabase(name: string, folder: string): Promise<Database> {
  const [, workers] = /^(?:postgres|citus:([1-9]))$/.exec(name) ?? [undefined, 'unknown']
  if (workers === 'unknown') throw new Error(`--database is ${name}; it must be postgres, or citus:2 for two workers`)
  const binFolder = process.env.CHAPPE_CITUS_BIN
  if (workers === undefined) {
    // Tests have one in which everything was made before.
    const place = process.env.CHAPPE_BENCH_DATA ?? join(folder, 'one')
    const server = await startEmbeddedServer(place, {
      serverSettings,
      ...(binFolder && { other: postgresIn(binFolder) })
    })
    const { socketFolder } = server.url
    return { url: server.url, nodes: [{ name: 'PostgreSQL', folder: place, socketFolder }], stop: server.stop }
  }
  if (!binFolder) throw new Error('Set CHAPPE_CITUS_BIN to the bin folder of a PostgreSQL that has Citus.')
  const cluster = await startCluster(folder, {
    binFolder,
    workers: Number(workers),
    settings: { ...CLUSTER_SETTINGS, ...serverSettings }
  })
  try {
    await distributeFresh(cluster, values.shards === undefined ? {} : { shards: Number(values.shards) })
  } catch (error) {
    await cluster.stop()
    throw error
  }
  const nodes = [cluster.coordinator, ...cluster.workers].map(({ folder, url: { socketFolder } }, index) => {
    return { name: index === 0 ? COORDINATOR : `worker ${index}`, folder, socketFolder }
  })
  return { url: cluster.coordinator.url, nodes, stop: cluster.stop }
}

function toAddress(url: SocketUrl): string {
  const { host = '', user, database } = socketServer(url)
  return `postgres://${user}@${encodeURIComponent(host)}/${database}`
}

interface Measured {
  name: string
  url: string
  keys: readonly string[]
  pid: number
  nodes: readonly Node[]
}

/** What begins when the first messages are sent is over before anything is measured. */
async function warmUp(smsc: Smsc, measured: Measured): Promise<void> {
  const { url, keys } = measured
  await sendBulk(smsc, url, shareOut(bulk * WARM_UP_SHARE, keys))
  await sendSingles(smsc, url, { count: Math.ceil(singles * WARM_UP_SHARE), connections, keys })
  await untilQuiet(measured)
  await reportIdle(measured)
}

async function measureAll(smsc: Smsc, measured: readonly Measured[]): Promise<void> {
  for (const count of accountCounts) {
    const accounts = count === 1 ? '1 account' : `${count} accounts`
    await compare(measured, `bulk, ${accounts}`, ({ url, keys }) =>
      sendBulk(smsc, url, shareOut(bulk, keys.slice(0, count)))
    )
    await compare(measured, `singles, ${accounts}`, async ({ url, keys }) => {
      await sendSingles(smsc, url, { count: singles, connections, keys: keys.slice(0, count) })
      return singles
    })
  }
  const most = Math.max(...accountCounts)
  if (most === 1) return
  await compare(measured, `bulk, ${most} accounts of which one has ${LARGE_SHARE * 100} %`, ({ url, keys }) => {
    const [large = '', ...others] = keys
    const shares = new Map([[large, Math.round(bulk * LARGE_SHARE)], ...shareOut(bulk * (1 - LARGE_SHARE), others)])
    return sendBulk(smsc, url, shares)
  })
}

/** The same number of recipients for each account. */
function shareOut(recipients: number, keys: readonly string[]): Map<string, number> {
  const each = Math.ceil(recipients / keys.length)
  return new Map(keys.map((key) => [key, each]))
}

function sum(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((total, count) => total + count, 0)
}

/** One message of each account, all at once, until the last receipt is answered. Returns how many recipients there were. */
async function sendBulk(smsc: Smsc, url: string, recipientsByKey: ReadonlyMap<string, number>): Promise<number> {
  const messages = [...recipientsByKey]
  const answered = smsc.answered
  await load({
    url,
    connections: Math.min(connections, messages.length),
    count: messages.length,
    request(index) {
      const [key, count] = messages[index] ?? ['', 0]
      const first = takeNumbers(count)
      const recipients = Array.from({ length: count }, (_, index) => phoneNumber(first + index))
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      return { path: '/messages/sms', headers, body: JSON.stringify({ recipients, content: CONTENT }) }
    }
  })
  await smsc.untilAnswered(answered + sum(recipientsByKey))
  return sum(recipientsByKey)
}

async function untilQuiet(measured: Measured): Promise<void> {
  for (let second = 0; second < QUIET_SECONDS_MAX; second++) {
    const cpuSeconds = await usedBy(measured, () => sleep(1_000))
    if (sum(cpuSeconds) < QUIET_SHARE) return
  }
}

/** What runs without messages: at a low rate it is a part of what a message takes. */
async function reportIdle(measured: Measured): Promise<void> {
  const cpuSeconds = await usedBy(measured, () => sleep(1_000 * IDLE_SECONDS))
  const parts = [...cpuSeconds].map(([name, seconds]) => `${name} ${((1e3 * seconds) / IDLE_SECONDS).toFixed(0)}`)
  say(`${measured.name}, idle: CPU in ms a second: ${parts.join(' + ')}`)
}

/** What a message took in a round: CPU in µs and WAL in kB by name, and how many left a second. */
interface Round {
  micros: ReadonlyMap<string, number>
  walKb: ReadonlyMap<string, number>
  perSecond: number
}

/** The work returns how many messages it sent. */
async function compare(
  measured: readonly Measured[],
  what: string,
  work: (one: Measured) => Promise<number>
): Promise<void> {
  const taken = measured.map(() => [] as Round[])
  for (let round = 0; round < rounds; round++) {
    for (const [index, one] of measured.entries()) {
      taken[index]?.push(await measureRound(one, () => work(one)))
    }
  }
  for (const [index, { name }] of measured.entries()) report(name, what, taken[index] ?? [], taken[0] ?? [])
}

async function measureRound(measured: Measured, work: () => Promise<number>): Promise<Round> {
  let [count, perSecond] = [0, 0]
  const walBefore = await readWal(measured)
  const cpuSeconds = await usedBy(measured, async () => {
    const { result, seconds } = await timed(work)
    count = result
    perSecond = count / seconds
    await sleep(END_MS)
  })
  const walAfter = await readWal(measured)
  return {
    micros: new Map([...cpuSeconds].map(([name, seconds]) => [name, (1e6 * seconds) / count])),
    walKb: new Map([...walAfter].map(([name, bytes]) => [name, (bytes - (walBefore.get(name) ?? 0)) / 1024 / count])),
    perSecond
  }
}

/** Medians of the rounds. The ratio to the first database is one of two measurements that followed each other. */
function report(name: string, what: string, taken: readonly Round[], first: readonly Round[]): void {
  const wholeOf = ({ micros }: Round) => sum(micros)
  const shareOf = ({ micros }: Round) => (micros.get(COORDINATOR) ?? 0) / (sum(micros) - (micros.get(CHAPPE) ?? 0))
  const share = median(taken.map(shareOf))
  const ratio = median(taken.map((round, index) => wholeOf(round) / wholeOf(first[index] ?? round)))
  say(
    `${name}, ${what}: CPU a message ${median(taken.map(wholeOf)).toFixed(0)} µs: ` +
      `${toParts(
        taken.map(({ micros }) => micros),
        0
      )}; ` +
      (share > 0 ? `${(100 * share).toFixed(0)} % of the database on the coordinator; ` : '') +
      `${ratio.toFixed(2)} × the first database; WAL a message in kB: ${toParts(
        taken.map(({ walKb }) => walKb),
        1
      )}; ` +
      `${median(taken.map(({ perSecond }) => perSecond)).toFixed(0)}/s`
  )
}

/** The median of each name. */
function toParts(taken: readonly ReadonlyMap<string, number>[], digits: number): string {
  const names = [...(taken[0]?.keys() ?? [])]
  return names.map((name) => `${name} ${median(taken.map((one) => one.get(name) ?? 0)).toFixed(digits)}`).join(' + ')
}

/** The CPU that Chappe and each node took during some work. */
async function usedBy(measured: Measured, work: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const before = await readCpu(measured)
  await work()
  const after = await readCpu(measured)
  return new Map([...after].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]))
}

/** By name, the CPU of Chappe and of each node since its start. */
async function readCpu({ pid, nodes }: Measured): Promise<Map<string, number>> {
  const seconds = new Map([[CHAPPE, await cpuSecondsOf(pid)]])
  for (const { name, folder } of nodes) seconds.set(name, await cpuSecondsOfDatabase(folder))
  return seconds
}

/** By name, how many bytes of WAL each node has written since its start. */
async function readWal({ nodes }: Measured): Promise<Map<string, number>> {
  const bytes = new Map<string, number>()
  for (const { name, socketFolder } of nodes) {
    await asSuperuserOf(socketFolder, 'postgres', async (sql) => {
      const [row] = await sql<[{ bytes: number }]>`select (pg_current_wal_lsn() - '0/0')::float8 as bytes`
      bytes.set(name, row.bytes)
    })
  }
  return bytes
}
