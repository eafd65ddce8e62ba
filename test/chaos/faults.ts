import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { describeFault, type Fault, type FaultKind } from './plan.ts'

/** What a fault was and when, and how long the service took to work again. */
export interface Happened {
  fault: Fault
  at: number
  /** Until something was handed to the carrier again, over a link that was opened afterwards; undefined if the next fault came first. */
  submittedAfterMs: number | undefined
}

export interface FaultOptions {
  plan: readonly Fault[]
  /** Called when a process was killed, before it is started again. */
  afterKill?: () => Promise<void>
  /** Called when a process is stopped, before it goes on. */
  whileStopped?: () => Promise<void>
  /** A fault comes only when all are ready again after the one before. */
  isPatient: boolean
  say(line: string): void
}

/** Does what the plan says, one after the other; what lasts, lasts while the next ones happen. */
export async function inflict(cluster: Cluster, options: FaultOptions): Promise<Happened[]> {
  const happened: Happened[] = []
  const ends: Promise<void>[] = []
  for (const [index, fault] of options.plan.entries()) {
    if (options.isPatient) await cluster.untilReady()
    if (fault.isAtWork) await untilAtWork(cluster)
    await sleep(fault.afterMs)
    const entry: Happened = { fault, at: Date.now(), submittedAfterMs: undefined }
    happened.push(entry)
    options.say(`${index + 1}/${options.plan.length} ${describeFault(fault)}; ${cluster.smsc.stats.accepted} taken`)
    ends.push((await inflictOne(cluster, fault, options)).end)
  }
  await Promise.all(ends)
  for (const [index, entry] of happened.entries()) {
    const next = happened.slice(index + 1).find(({ fault }) => INTERRUPTING.has(fault.kind))
    entry.submittedAfterMs = recoveryAfter(cluster, entry.at, next?.at ?? Number.POSITIVE_INFINITY)
  }
  return happened
}

/** Long enough for the lease of a bind, and a start. When there is nothing to send, it comes all the same. */
const AT_WORK_WITHIN_MS = 30_000

/** Until something is handed to the carrier, from now on. */
async function untilAtWork({ links }: Cluster): Promise<void> {
  const before = links.submits.length
  const deadline = Date.now() + AT_WORK_WITHIN_MS
  while (links.submits.length === before && Date.now() < deadline) await sleep(10)
}

const OVER = { end: Promise.resolve() }

/** Returns when the next fault may come, and tells when this one has ended. */
async function inflictOne(cluster: Cluster, fault: Fault, options: FaultOptions): Promise<{ end: Promise<void> }> {
  const { nodes, links, smsc, receiver } = cluster
  switch (fault.kind) {
    case 'kill': {
      const node = nodes[fault.node]
      await node?.kill()
      await options.afterKill?.()
      node?.start()
      return OVER
    }
    case 'stop': {
      const node = nodes[fault.node]
      const from = Date.now()
      node?.signal('SIGSTOP')
      await options.whileStopped?.()
      await sleep(fault.forMs)
      node?.signal('SIGCONT')
      // What was answered meanwhile was heard by nobody.
      cluster.outages.push({ from, to: Date.now() })
      return OVER
    }
    case 'cut':
      links.cut()
      return OVER
    case 'blackhole': {
      const from = Date.now()
      const end = links.blackhole()
      return lasting(fault.forMs, () => {
        end(fault.isGoneAfterwards)
        cluster.outages.push({ from, to: Date.now() })
      })
    }
    case 'database':
      await cluster.restartDatabase(fault.forMs)
      return OVER
    case 'receiver':
      receiver.conduct = fault.conduct
      return lasting(fault.forMs, () => {
        receiver.conduct = 'well'
      })
    case 'late receipts':
      smsc.apply(`delay receipts ${fault.delayMs}ms`)
      return lasting(fault.forMs, () => smsc.apply('delay receipts 0ms'))
  }
  return fault satisfies never
}

function lasting(ms: number, end: () => void): { end: Promise<void> } {
  return { end: sleep(ms).then(end) }
}

/** What ends or delays the recovery from an earlier fault. */
const INTERRUPTING: ReadonlySet<FaultKind> = new Set(['kill', 'stop', 'database', 'blackhole', 'cut'])

function recoveryAfter({ links }: Cluster, from: number, to: number): number | undefined {
  const next = links.submits.find(({ link, at }) => link.openedAt > from && at < to)
  return next && next.at - from
}
