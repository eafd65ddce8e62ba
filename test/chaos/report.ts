import type { Check } from './check-delivery.ts'
import type { Repeats } from './check-repeats.ts'
import type { Cluster } from './cluster.ts'
import type { Customer } from './customers.ts'
import type { Seen } from './extracts.ts'
import type { Happened } from './faults.ts'
import type { Load } from './load.ts'

/** All that a run found. */
export interface Outcome {
  seed: number
  seconds: number
  happened: Happened[]
  settled: { ms: number; open: Record<string, number> }
  customers: Customer[]
  cluster: Cluster
  load: Load
  seen: Seen[]
  repeats: Repeats
  steps: { doubts: number; resent: number; proven: number; failed: number }
  checks: Check[]
}

const PROBLEMS_SHOWN = 5

export function isGood({ checks }: Outcome): boolean {
  return checks.every(({ problems }) => problems.length === 0)
}

/** For people: what happened, in figures, and each promise with what broke it. */
export function describeOutcome(outcome: Outcome): string {
  const { checks } = outcome
  const lines = Object.entries(figuresOf(outcome)).map(([name, value]) => `${name.padEnd(36)}${value}`)
  const promises = checks.flatMap(({ promise, problems }) => [
    `${problems.length === 0 ? '✔' : '✖'} ${promise}`,
    ...problems.slice(0, PROBLEMS_SHOWN).map((problem) => `    ${problem}`),
    ...(problems.length > PROBLEMS_SHOWN ? [`    and ${problems.length - PROBLEMS_SHOWN} more`] : [])
  ])
  return [...lines, '', ...promises].join('\n')
}

function figuresOf({ seed, seconds, happened, settled, customers, cluster, load, seen, repeats, steps }: Outcome) {
  const { smsc, receiver, nodes } = cluster
  const sends = customers.flatMap(({ acknowledged }) => acknowledged)
  const recipients = sends.reduce((sum, { phones }) => sum + phones.length, 0)
  const failedStarts = nodes.flatMap((node) => node.failedStarts)
  const count = (kind: string) => happened.filter(({ fault }) => fault.kind === kind).length
  const states = Map.groupBy(
    seen.flatMap(({ recipients }) => [...recipients.values()].flat()),
    ({ deliver }) => deliver
  )
  const ofState = (state: number) => states.get(state)?.length ?? 0
  const kills = happened.filter(({ fault }) => fault.kind === 'kill')
  const recoveries = kills.flatMap(({ submittedAfterMs }) => submittedAfterMs ?? []).sort((a, b) => a - b)
  const events = seen.reduce((sum, { events }) => sum + events.length, 0)
  const again = sends.filter(({ tries }) => tries > 1).length
  return {
    seed,
    'time, with settling': `${seconds.toFixed(0)} s, of which settling ${(settled.ms / 1000).toFixed(0)} s`,
    faults: [...new Set(happened.map(({ fault }) => fault.kind))].map((kind) => `${kind} ${count(kind)}`).join(', '),
    'starts of processes': `${nodes.reduce((sum, { starts }) => sum + starts, 0)}, of which in vain ${failedStarts.length}`,
    acknowledged: `${sends.length} sends, ${recipients} recipients; ${again} sends were asked for more than once`,
    'how they ended': `delivered ${ofState(1)}, failed ${ofState(3)}, stopped ${ofState(7)}, other ${ofState(4) + ofState(5) + ofState(6)}`,
    'segments taken by the carrier': smsc.stats.accepted,
    'in doubt': `${steps.doubts}: proven by receipts ${steps.proven}, sent again ${steps.resent}, failed ${steps.failed}`,
    'links lost': `${repeats.linksLost}, with ${repeats.unanswered} without an answer`,
    'recipients that came twice': `${repeats.repeated} (at most ${repeats.most})`,
    'from a kill to the next submit': describeTimes(recoveries),
    receipts: `${smsc.stats.receiptsAcknowledged} taken by us, ${smsc.stats.resent} sent again by the carrier`,
    replies: `${load.replies.size} phones answered, ${[...load.replies.values()].filter(({ content }) => content === 'STOP').length} with STOP`,
    events: `${events}, all types`,
    'webhook posts': `${receiver.counts.posts}: ${receiver.counts.taken} taken, ${receiver.counts.refused} refused, ${receiver.counts.unanswered} unanswered`
  }
}

function describeTimes(sortedMs: readonly number[]): string {
  const [middle, most] = [sortedMs[Math.floor(sortedMs.length / 2)] ?? 0, sortedMs.at(-1) ?? 0]
  return `of ${sortedMs.length} that nothing else interrupted: median ${(middle / 1000).toFixed(1)} s, longest ${(most / 1000).toFixed(1)} s`
}
