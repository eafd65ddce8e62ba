import type { Sample } from './samples.ts'

/*
 * Whether something grows: the median of the last quarter of the samples against that of the second. The first quarter is
 * left out: caches fill, tables get their size. Of handles the fewest that there were: how many clients are connected at the
 * moment comes and goes, but one that is never given back is there at every moment.
 */

export interface Growth {
  what: string
  before: number
  after: number
  /** The most that it may be. */
  bound: number
}

/** A heap is collected when it has grown by 60 %, so a median wanders. */
const MEMORY_FACTOR = 1.2
const MEMORY_MB = 25
const HANDLES = 10
const SIZE_FACTOR = 1.5
/** Of a small table: autovacuum looks once a minute, and what was freed is used again before the file grows. */
const SIZE_MB = 8

/** Emptied all the time: their size is that of the most that ever waited, and may not go on growing. */
const QUEUES = ['batches', 'doubts', 'webhook_queue', 'webhook_turns', 'carrier_binds', 'carrier_states']
const MORE_QUEUES = ['rcs_waits', 'rbm_events', 'reply_segments', 'scheduled_messages', 'parked_receipts', 'removals']
/** Emptied by retention, once it has begun. */
const KEPT_FOR_A_TIME = ['messages', 'recipients', 'submissions', 'timeline_steps', 'events', 'webhook_deliveries']
const MORE_KEPT = ['replies', 'short_links', 'link_visitors', 'figure_changes']

export function measureGrowth(samples: readonly Sample[]): Growth[] {
  const quarter = Math.floor(samples.length / 4)
  const [second, last] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)]
  const growth = (
    what: string,
    of: (sample: Sample) => number,
    bound: (before: number) => number,
    typical = median
  ): Growth => {
    const before = typical(second.map(of))
    return { what, before, after: typical(last.map(of)), bound: bound(before) }
  }
  const handles = (before: number) => before + HANDLES
  const memory = (before: number) => before * MEMORY_FACTOR + MEMORY_MB
  const size = (before: number) => before * SIZE_FACTOR + SIZE_MB
  const tables = [...QUEUES, ...MORE_QUEUES, ...KEPT_FOR_A_TIME, ...MORE_KEPT].filter((name) =>
    samples.at(-1)?.tables.has(name)
  )
  return [
    growth('resident memory, MB', ({ rssMb }) => rssMb, memory),
    growth('heap, MB', ({ heapMb }) => heapMb, memory),
    growth('file descriptors, fewest', ({ descriptors }) => descriptors, handles, fewest),
    growth('database connections, fewest', ({ connections }) => connections, handles, fewest),
    ...tables.flatMap((name) => [
      growth(`${name}, MB`, ({ tables }) => tables.get(name)?.mb ?? 0, size),
      growth(`${name}, indexes, MB`, ({ tables }) => tables.get(name)?.indexMb ?? 0, size)
    ])
  ]
}

export function isBounded({ after, bound }: Growth): boolean {
  return after <= bound
}

export function describeGrowth(growths: readonly Growth[]): string {
  const cells = (parts: readonly string[]) =>
    parts.map((part, index) => (index === 0 ? part.padEnd(36) : part.padStart(12)))
  const rows = growths.map((growth) => [
    growth.what,
    growth.before.toFixed(1),
    growth.after.toFixed(1),
    growth.bound.toFixed(1),
    isBounded(growth) ? 'good' : 'grows'
  ])
  return [['', '2nd quarter', '4th quarter', 'at most', ''], ...rows].map((row) => cells(row).join('')).join('\n')
}

function fewest(values: readonly number[]): number {
  return Math.min(...values)
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
