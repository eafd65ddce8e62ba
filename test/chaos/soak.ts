import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { checkCredits } from '../../src/statements/check-statements.ts'
import { startAgeing } from './ageing.ts'
import { startCluster } from './cluster.ts'
import { openCustomer } from './customers.ts'
import { inflict } from './faults.ts'
import { describeGrowth, isBounded, measureGrowth } from './growth.ts'
import { type Fault, type FaultKind, makePlan } from './plan.ts'
import { type Sample, startSampling } from './samples.ts'
import { keepHurrying, settle } from './settle.ts'
import { startSteadyLoad } from './steady-load.ts'

/*
 * `npm run soak -- --minutes 30 --seed 7`: steady load, a fault now and then, and retention at work, while memory, handles and
 * tables are watched. The first of two processes is never killed: it is the one that is watched. See docs/chaos.md.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string' },
    /** Recipients of each part of a campaign, one every five seconds. */
    chunk: { type: 'string', default: '200' }
  }
})
const minutes = Number(values.minutes)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
/** What is shorter says nothing about growth: caches fill, and retention has not begun. */
const JUDGED_MINUTES = 10
const SETTLE_WITHIN_MS = 420_000
const WATCHED = 0
const OTHER = 1
const KINDS: readonly FaultKind[] = ['cut', 'kill', 'database', 'receiver', 'blackhole', 'stop', 'late receipts']

say(`seed ${seed}: npm run soak -- --minutes ${minutes} --seed ${seed}`)
process.exitCode = (await soak()) ? 0 : 1

async function soak(): Promise<boolean> {
  const cluster = await startCluster({
    nodes: 2,
    window: 50,
    answerDelayMs: 50,
    answerTimeoutSeconds: 10,
    enquireLinkSeconds: 5,
    hasRcs: true,
    settings: { CHAPPE_RETENTION_DAYS: '1', CHAPPE_LINK_URL: 'http://links.example/s' }
  })
  try {
    const customers = [await openCustomer(cluster, 'keen', 'resend'), await openCustomer(cluster, 'careful', 'fail')]
    for (const { ask } of customers) {
      const types = ['sms_status', 'rcs_status', 'message_state', 'replies', 'stops', 'clicks']
      const webhooks = types.map((type) => ({ type, url: cluster.receiver.url, batch_size: 20 }))
      await ask('PUT', '/webhooks', { webhooks })
    }
    const end = Date.now() + minutes * 60_000
    const sampling = startSampling(cluster, Math.min(10_000, (minutes * 60_000) / 12))
    const ageing = startAgeing(cluster.pool)
    const load = startSteadyLoad(cluster, customers, { chunk: Number(values.chunk) })
    const happened = await inflict(cluster, { plan: planOf(), isPatient: false, say })
    await sleep(Math.max(0, end - Date.now()))
    await sampling.stop()
    await ageing.stop()
    await load.stop()
    const endHurry = minutes < JUDGED_MINUTES ? keepHurrying(cluster) : async () => undefined
    const settled = await settle(cluster, load, { withinMs: SETTLE_WITHIN_MS, say })
    await endHurry()
    say(`${load.counts.recipients} recipients, ${load.counts.rcs} by RCS; ${load.counts.clicks} links opened`)
    say(`${happened.length} faults, ${cluster.receiver.counts.posts} webhook posts; settled in ${settled.ms / 1000} s`)
    const broken = (await checkCredits(cluster.pool)).filter(({ violations }) => violations.length > 0)
    const problems = [
      ...Object.entries(settled.open).flatMap(([what, count]) => (count > 0 ? [`${count} ${what} are left`] : [])),
      ...broken.map(({ promise }) => `broken: ${promise}`),
      ...customers.flatMap(({ wrongAnswers }) => wrongAnswers),
      ...(cluster.nodes[WATCHED]?.starts === 1 ? [] : ['the process that is watched was started again']),
      ...cluster.nodes.flatMap(({ crashes }) => crashes)
    ]
    for (const problem of problems.slice(0, 10)) say(`✖ ${problem}`)
    return judge(sampling.samples) && problems.length === 0
  } finally {
    await cluster.stop()
  }
}

function judge(samples: readonly Sample[]): boolean {
  const growths = measureGrowth(samples)
  say(`\n${samples.length} samples\n${describeGrowth(growths)}`)
  if (minutes < JUDGED_MINUTES) {
    say(`Growth is not judged: it takes at least ${JUDGED_MINUTES} minutes.`)
    return true
  }
  return growths.every(isBounded)
}

/** One every half a minute, of each kind in its turn; whoever is killed or stopped is the process that is not watched. */
function planOf(): Fault[] {
  const total = Math.max(1, Math.floor(minutes * 2))
  const counts = Object.fromEntries(
    KINDS.map((kind, index) => [kind, Math.floor((total + KINDS.length - 1 - index) / KINDS.length)])
  ) as Record<FaultKind, number>
  const plan = makePlan({
    seed,
    nodes: 1,
    counts,
    // With the faults themselves, half a minute each: they last as long as what is measured.
    gapMs: minutes < 1 ? [500, 2_000] : [12_000, 36_000],
    stopMs: [10_000, 34_000],
    blackholeMs: [5_000, 20_000],
    databaseMs: [0, 3_000],
    receiverMs: [5_000, 20_000],
    lateReceiptsMs: [10_000, 30_000],
    receiptDelayMs: 75_000
  })
  return plan.map((fault) => ('node' in fault ? { ...fault, node: OTHER } : fault))
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
