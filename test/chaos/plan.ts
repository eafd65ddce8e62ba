import { randomFrom } from '../processes/children.ts'

/*
 * What goes wrong, and when: all of it is drawn from one seed before anything begins, so that a run can be repeated. What
 * the machine makes of it (how far a process is when it is killed) differs from run to run, and is not meant to be the same.
 */

export type Fault = Moment &
  /** SIGKILL, and started again at once. */
  (
    | { kind: 'kill'; node: number }
    /** SIGSTOP, and SIGCONT later, past the lease of a bind or of a batch. */
    | { kind: 'stop'; node: number; forMs: number }
    /** All links to the carrier are reset. */
    | { kind: 'cut' }
    /** All links to the carrier are there, and nothing passes. Afterwards they go on, or are gone. */
    | { kind: 'blackhole'; forMs: number; isGoneAfterwards: boolean }
    /** PostgreSQL ends in immediate mode, as in a crash, and is started again later. */
    | { kind: 'database'; forMs: number }
    /** The receiver of webhooks does not answer until the time-out has passed, or answers 500. */
    | { kind: 'receiver'; forMs: number; conduct: 'silent' | 'failing' }
    /** Receipts come later than doubts are decided: so there is no evidence of what a lost link took. */
    | { kind: 'late receipts'; forMs: number; delayMs: number }
  )

interface Moment {
  afterMs: number
  /**
   * The time runs from when something was handed to the carrier again, so that there is something to lose, however slow the
   * machine is. Without it, it runs from the fault before, and may hit a process that is starting.
   */
  isAtWork: boolean
}

export type FaultKind = Fault['kind']

const AT_WORK_SHARE = 0.7

export interface PlanOptions {
  seed: number
  nodes: number
  counts: Readonly<Record<FaultKind, number>>
  /** Between one fault and the next. */
  gapMs: readonly [number, number]
  stopMs: readonly [number, number]
  blackholeMs: readonly [number, number]
  databaseMs: readonly [number, number]
  receiverMs: readonly [number, number]
  lateReceiptsMs: readonly [number, number]
  receiptDelayMs: number
}

export function makePlan(options: PlanOptions): Fault[] {
  const random = randomFrom(options.seed)
  const between = ([least, most]: readonly [number, number]) => Math.round(least + random() * (most - least))
  const kinds = shuffle(
    Object.entries(options.counts).flatMap(([kind, count]) => Array<FaultKind>(count).fill(kind as FaultKind)),
    random
  )
  return kinds.map((kind): Fault => {
    const moment = { afterMs: between(options.gapMs), isAtWork: random() < AT_WORK_SHARE }
    const node = Math.floor(random() * options.nodes)
    switch (kind) {
      case 'kill':
        return { kind, ...moment, node }
      case 'stop':
        return { kind, ...moment, node, forMs: between(options.stopMs) }
      case 'cut':
        return { kind, ...moment }
      case 'blackhole':
        return { kind, ...moment, forMs: between(options.blackholeMs), isGoneAfterwards: random() < 0.5 }
      case 'database':
        return { kind, ...moment, forMs: between(options.databaseMs) }
      case 'receiver':
        return { kind, ...moment, forMs: between(options.receiverMs), conduct: random() < 0.5 ? 'silent' : 'failing' }
      case 'late receipts':
        return { kind, ...moment, forMs: between(options.lateReceiptsMs), delayMs: options.receiptDelayMs }
    }
    return kind satisfies never
  })
}

function shuffle<T>(items: T[], random: () => number): T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[items[last], items[other]] = [items[other] as T, items[last] as T]
  }
  return items
}

export function describeFault(fault: Fault): string {
  const { kind, afterMs, isAtWork, ...rest } = fault
  const details = Object.entries(rest).map(([name, value]) => `${name} ${value}`)
  return `${afterMs} ms ${isAtWork ? 'at work' : 'later'}: ${kind}${details.length > 0 ? ` (${details.join(', ')})` : ''}`
}
