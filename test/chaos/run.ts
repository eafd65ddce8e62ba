import { assertInvariants } from '../checks/invariants.ts'
import { type Check, checkAcknowledged, checkCredits, checkEnds, checkReplies, checkTaken } from './check-delivery.ts'
import { checkEvents } from './check-events.ts'
import { checkRepeats } from './check-repeats.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Customer, openCustomer, type Policy } from './customers.ts'
import { readEverything } from './extracts.ts'
import { inflict } from './faults.ts'
import { type Load, type LoadOptions, startLoad } from './load.ts'
import { makePlan, type PlanOptions } from './plan.ts'
import type { Outcome } from './report.ts'
import { endLeasesOfTheDead, keepHurrying, settle } from './settle.ts'

export interface ChaosOptions {
  plan: PlanOptions
  load: LoadOptions
  policies: readonly Policy[]
  window: number
  answerDelayMs: number
  answerTimeoutSeconds: number
  enquireLinkSeconds: number
  settleWithinMs: number
  /** Where waiting is all that happens, the database is told that the time has passed. Only with one process. */
  isHurried: boolean
  say(line: string): void
}

/** The whole of it: load, faults, an end to both, and then what can be seen from outside. */
export async function runChaos(options: ChaosOptions): Promise<Outcome> {
  const { plan, say, isHurried } = options
  const cluster = await startCluster({ ...options, nodes: plan.nodes })
  try {
    const startedAt = Date.now()
    const customers = await openCustomers(cluster, options.policies)
    const load = startLoad(cluster, customers, options.load)
    const endHurry = isHurried ? keepHurrying(cluster) : async () => undefined
    const happened = await inflict(cluster, {
      plan: makePlan(plan),
      isPatient: isHurried,
      say,
      ...(isHurried && {
        afterKill: () => endLeasesOfTheDead(cluster.pool),
        whileStopped: async () => {
          await cluster.pool`update batches set leased_until = now() where leased_until > now()`
        }
      })
    })
    await cluster.untilReady()
    await load.stopSending()
    say(`no more faults; ${cluster.smsc.stats.accepted} taken, ${load.singles} singles`)
    // What is left need not take its time: nothing goes wrong any more.
    if (isHurried) cluster.smsc.apply('delay answers 0ms')
    const settled = await settle(cluster, load, { withinMs: options.settleWithinMs, say })
    await endHurry()
    say(`settled in ${Math.round(settled.ms / 1000)} s: ${JSON.stringify(settled.open)}`)
    const seconds = (Date.now() - startedAt) / 1000
    const { checks, ...figures } = await check(cluster, { customers, load, window: options.window })
    const isWell = await Promise.all(cluster.nodes.map((node) => node.stop()))
    checks.push({
      promise: 'each process stops when it is asked to',
      problems: isWell.includes(false) ? ['one did not'] : []
    })
    return { ...figures, seed: plan.seed, happened, settled, seconds, checks, customers, cluster }
  } finally {
    await cluster.stop()
  }
}

async function openCustomers(cluster: Cluster, policies: readonly Policy[]): Promise<Customer[]> {
  const customers: Customer[] = []
  for (const [index, policy] of policies.entries()) {
    const customer = await openCustomer(cluster, `${policy}-${index}`, policy)
    const { url } = cluster.receiver
    // Sizes are mixed on purpose: one event in a request, some, many.
    const sizes = { sms_status: index === 0 ? 10 : 100, message_state: 1, replies: 1, stops: 2 }
    const webhooks = Object.entries(sizes).map(([type, size]) => ({ type, url: `${url}/${index}`, batch_size: size }))
    await customer.ask('PUT', '/webhooks', { webhooks })
    // From the first time that it is asked for, the feed tells everything.
    await customer.ask('GET', '/events')
    customers.push(customer)
  }
  return customers
}

async function check(cluster: Cluster, parts: { customers: readonly Customer[]; load: Load; window: number }) {
  const { customers, load, window } = parts
  const seen = await Promise.all(customers.map(readEverything))
  const { repeats, checks: repeatChecks } = checkRepeats(cluster, seen, { window })
  const crashes = cluster.nodes.flatMap((node) => node.crashes)
  const checks: Check[] = [
    checkAcknowledged(seen),
    checkEnds(seen, load),
    ...checkTaken(cluster, seen, load),
    ...repeatChecks,
    checkCredits(seen),
    checkReplies(seen, load),
    ...checkEvents(cluster.receiver, seen),
    await checkInside(cluster),
    { promise: 'no process ended by itself', problems: crashes },
    {
      promise: 'customers got no other answers than 200, 409 to a repeat, 429 and 503',
      problems: customers.flatMap(({ wrongAnswers }) => wrongAnswers)
    }
  ]
  const [steps] = await cluster.pool<[{ doubts: number; resent: number; proven: number; failed: number }]>`
    select
      count(*) filter (where step = 'in_doubt') as doubts,
      count(*) filter (where step = 'resent') as resent,
      count(*) filter (where step = 'taken') as proven,
      count(*) filter (where step = 'failed' and detail like 'The carrier never confirmed%') as failed
    from timeline_steps
  `
  return { checks, repeats, steps, seen, load }
}

/** The ledger, the counts, the refunds, and that nothing is left behind. */
async function checkInside({ pool, smsc }: Cluster): Promise<Check> {
  const promise = 'nothing is stuck, the ledger balances, and counts and refunds are those of the recipients'
  try {
    await assertInvariants({ pool }, { smscs: [smsc] })
    return { promise, problems: [] }
  } catch (error) {
    return { promise, problems: [String((error as Error).message).slice(0, 1_000)] }
  }
}
