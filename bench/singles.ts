import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openSubAccounts } from './accounts.ts'
import { measureBareDatabase } from './bare-database.ts'
import { MACHINE, type RunningChappe, say, timed } from './child.ts'
import { type Cost, measureCost, sayCost } from './cost.ts'
import { measureAlone, type Singles, sendSingles, withChappeAt } from './harness.ts'
import { measureLatencies, sayLatencies, sendCampaign } from './latency.ts'
import { percentile } from './load.ts'
import { type Smsc, startSmsc } from './smsc.ts'
import { countStatements, type StatementCounter } from './statements.ts'
import { storeRecipients } from './stored.ts'

/*
 * `npm run bench:singles`: messages to one recipient, a request each, from the request until the receipt is answered, which
 * Chappe does after its commit. An SMPP carrier with two binds and a window of 1,000, full durability. From the first
 * second of a new database, again when it is warm, with an Idempotency-Key each, of 50 accounts at once, of one account
 * beside a campaign of another, and with many stored recipients.
 */

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '50' },
    accounts: { type: 'string', default: '50' },
    /** Sends of a loop that waits for each answer, and sends whose receipts come one at a time. */
    'in-turn': { type: 'string', default: '500' },
    latencies: { type: 'string', default: '300' },
    campaign: { type: 'string', default: '100000' },
    /** Recipients to store, in messages of ten, for the last measurements: one number, or several such as 10000000,50000000. */
    stored: { type: 'string', default: '' },
    /** How often each of them is measured. */
    rounds: { type: 'string', default: '4' },
    /** How many of the costliest statements each measurement lists. */
    top: { type: 'string', default: '0' },
    /** A setting of PostgreSQL, such as commit_delay=500. May be given several times. */
    postgres: { type: 'string', multiple: true, default: [] }
  }
})
const count = Number(values.messages)
const connections = Number(values.connections)
const inTurn = Number(values['in-turn'])
const campaign = Number(values.campaign)
const storedSizes = values.stored.split(',').map(Number).filter(Boolean)
const rounds = Number(values.rounds)
const top = Number(values.top)
const postgres = Object.fromEntries(values.postgres.map((setting) => setting.split('=') as [string, string]))

/** Messages in a transaction of the bare database. */
const TOGETHER = 50
/** Connections over which sends come whose receipts are sent one at a time. */
const FEW = 10
/** So long after a crowd, its size is forgotten. */
const FORGOTTEN_MS = 2_000
const CPU_AIM = { single: 450, campaign: 120 }
const CAMPAIGN_AIM = 12_000
const IDLE_AIM_MS = 25
const BESIDE_AIM = { factor: 2, moreMs: 50 }
const STORED_AIM = { rate: 0.85, cpu: 1.15 }

const smsc = await startSmsc()
try {
  const { barePerSecond } = await measureAlone(smsc, count, connections)
  await withChappeAt(smsc, postgres, (chappe) => run(smsc, chappe, barePerSecond))
  say(MACHINE)
} finally {
  await smsc.close()
}

async function run(smsc: Smsc, chappe: RunningChappe, barePerSecond: number): Promise<void> {
  const counter = await countStatements(chappe.folder)
  const measure = measureAt({ smsc, chappe, counter, barePerSecond })
  try {
    await measure('cold: one account, from the first second of a new database')
    const warm = await measure('warm: one account')
    const keyed = await measure('keyed: one account, an Idempotency-Key with each request', { isKeyed: true })
    sayRatio('keyed to warm', keyed, warm)
    await measureInTurn(smsc, chappe)
    await measureAccounts(chappe.url, warm, measure)
    if (campaign > 0) {
      await measureCampaign(smsc, chappe, counter)
      await measureBesideCampaign(smsc, chappe.url)
    }
    const bare = await measureBareDatabase(chappe.folder, count, { together: TOGETHER })
    sayRatio('one account to the bare database', warm, bare)
    if (storedSizes.length > 0) await measureStored(smsc, chappe, { measure, barePerSecond })
  } finally {
    await counter.close()
  }
}

interface Measured {
  perSecond: number
  cpuMicros: number
}

type Options = Pick<Singles, 'keys' | 'isKeyed'>
type Measure = (what: string, options?: Options) => Promise<Measured>

interface Parts {
  smsc: Smsc
  chappe: RunningChappe
  counter: StatementCounter
  barePerSecond: number
}

function measureAt(parts: Parts): Measure {
  return (what, options) => measureSingles(parts, what, options)
}

async function measureSingles(parts: Parts, what: string, options: Options = {}): Promise<Measured> {
  const { smsc, chappe, counter, barePerSecond } = parts
  let acceptedPerSecond = 0
  let tookMs: ArrayLike<number> = []
  const cost: Cost = await measureCost(chappe, counter, count, async () => {
    const loaded = await sendSingles(smsc, chappe.url, { count, connections, ...options })
    acceptedPerSecond = loaded.count / loaded.seconds
    tookMs = loaded.tookMs
  })
  const perSecond = count / cost.seconds
  say(
    `${what}: ${perSecond.toFixed(0)}/s until the last receipt is answered (${count} in ${cost.seconds.toFixed(1)} s); ` +
      `accepted ${acceptedPerSecond.toFixed(0)}/s, ratio to bare HTTP ${(acceptedPerSecond / barePerSecond).toFixed(2)}; ` +
      `answers 50 % within ${percentile(tookMs, 0.5).toFixed(1)} ms, 99 % within ${percentile(tookMs, 0.99).toFixed(1)} ms`
  )
  sayCost(cost, { cpuAim: CPU_AIM.single, top })
  return { perSecond, cpuMicros: ((cost.cpu.chappe + cost.cpu.postgres) * 1e6) / count }
}

/**
 * A program that sends in a loop, and a carrier that waits for the answer to each receipt. Grouping must not slow them down:
 * while one of them waits, nothing more comes.
 */
async function measureInTurn(smsc: Smsc, chappe: RunningChappe): Promise<void> {
  const send = async (connections: number) => {
    await sleep(FORGOTTEN_MS)
    const { seconds } = await timed(() => sendSingles(smsc, chappe.url, { count: inTurn, connections }))
    return { perSecond: inTurn / seconds }
  }
  const bare = await measureBareDatabase(chappe.folder, inTurn, { together: 1 })
  const loop = await send(1)
  say(`one after the other over one connection: ${loop.perSecond.toFixed(0)}/s until the last receipt is answered`)
  sayRatio('one after the other to the bare database, one after the other', loop, bare)
  const unlimited = await send(FEW)
  smsc.receiptsAtOnce = 1
  const limited = await send(FEW)
  smsc.receiptsAtOnce = Number.POSITIVE_INFINITY
  say(`${FEW} connections, receipts one at a time on each bind: ${limited.perSecond.toFixed(0)}/s`)
  sayRatio('receipts one at a time to receipts without a limit', limited, unlimited)
}

async function measureAccounts(url: string, one: Measured, measure: Measure): Promise<void> {
  const keys = await openSubAccounts(url, Number(values.accounts), 'many')
  const many = await measure(`${keys.length} accounts at once`, { keys })
  sayRatio(`${keys.length} accounts to one account`, many, one, 1)
}

function sayRatio(what: string, measured: { perSecond: number }, reference: { perSecond: number }, aim?: number): void {
  const ratio = (measured.perSecond / reference.perSecond).toFixed(2)
  say(`  ratio of ${what}: ${ratio}${aim === undefined ? '' : ` (aim: at least ${aim})`}`)
}

async function measureCampaign(smsc: Smsc, chappe: RunningChappe, counter: StatementCounter): Promise<void> {
  const answered = smsc.answered
  const cost = await measureCost(chappe, counter, campaign, async () => {
    await sendCampaign(chappe.url, campaign)
    await smsc.untilAnswered(answered + campaign)
  })
  const perSecond = (campaign / cost.seconds).toFixed(0)
  say(`campaign: one request for ${campaign}: ${perSecond}/s until the last receipt is answered (aim: ${CAMPAIGN_AIM})`)
  sayCost(cost, { cpuAim: CPU_AIM.campaign, top })
}

async function measureBesideCampaign(smsc: Smsc, url: string): Promise<void> {
  const [key = ''] = await openSubAccounts(url, 1, 'codes')
  const idle = await measureLatencies(smsc, url, key, { count: Number(values.latencies) })
  sayLatencies('idle', idle, IDLE_AIM_MS)
  await smsc.untilAnswered(smsc.submitted)
  const answered = smsc.answered
  let isOver = false
  const besideSends = measureLatencies(smsc, url, key, { until: () => isOver })
  await sendCampaign(url, campaign)
  await smsc.untilAnswered(answered + campaign)
  isOver = true
  const beside = await besideSends
  await smsc.untilAnswered(answered + campaign + beside.fromAnswer.length)
  const aimMs = BESIDE_AIM.factor * percentile(idle.fromAnswer, 0.99) + BESIDE_AIM.moreMs
  sayLatencies(`beside a campaign of another account to ${campaign}`, beside, aimMs)
}

/**
 * The reference is a second Chappe with an empty database, measured in turn with the first: storing takes long, and the
 * machine may be another after it.
 */
async function measureStored(
  smsc: Smsc,
  chappe: RunningChappe,
  { measure, barePerSecond }: { measure: Measure; barePerSecond: number }
): Promise<void> {
  await withChappeAt(smsc, postgres, async (reference) => {
    const counter = await countStatements(reference.folder)
    const measureEmpty = measureAt({ smsc, chappe: reference, counter, barePerSecond })
    const pair = async (what: string) => ({ full: await measure(what), empty: await measureEmpty('an empty database') })
    try {
      for (const round of ['cold', 'warm']) await measureEmpty(`the reference, an empty database, ${round}`)
      let before = 0
      for (const size of storedSizes) {
        const share = (size - before) / Math.max(...storedSizes)
        await storeRecipients(chappe, smsc, { recipients: size - before, share })
        before = size
        const stored = `with ${size} stored recipients`
        sayStored(`${stored}, right after a checkpoint`, [await pair(`${stored}, right after a checkpoint`)])
        const later = []
        for (let round = 1; round <= rounds; round++) later.push(await pair(`${stored}, later (${round})`))
        sayStored(`${stored}, later`, later)
      }
    } finally {
      await counter.close()
    }
  })
}

/** Compares the rates and the CPU of all rounds. */
function sayStored(what: string, pairs: readonly { full: Measured; empty: Measured }[]): void {
  const full = meanOf(pairs.map((pair) => pair.full))
  const empty = meanOf(pairs.map((pair) => pair.empty))
  say(`${what}:`)
  sayRatio('the stored to the empty database', full, empty, STORED_AIM.rate)
  const cpu = (full.cpuMicros / empty.cpuMicros).toFixed(2)
  say(`  CPU a message, stored to empty: ${cpu} (aim: at most ${STORED_AIM.cpu})`)
}

/** All messages over all of the time, as if they had been one measurement. */
function meanOf(measured: readonly Measured[]): Measured {
  const mean = (of: (one: Measured) => number) => measured.reduce((sum, one) => sum + of(one), 0) / measured.length
  return { perSecond: 1 / mean(({ perSecond }) => 1 / perSecond), cpuMicros: mean(({ cpuMicros }) => cpuMicros) }
}
