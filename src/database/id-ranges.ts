import { isDistributed } from './shape.ts'

/*
 * Tables that grow with every message are partitioned by ranges of ids. Ids grow with time, so a range is a stretch of time.
 * How long it lasts is set beforehand by its number of ids, from the ids that were drawn lately.
 */

export const RANGE_KINDS = ['messages', 'events'] as const

/** What the ids belong to. Recipients and timeline steps are in the ranges of their messages. */
export type RangeKind = (typeof RANGE_KINDS)[number]

export interface IdRange {
  kind: RangeKind
  firstId: number
  /** The first id after the range. */
  endId: number
  /** Whether its partitions exist. Until then its rows are in the default partition. */
  isMade: boolean
  /** Whether it holds all rows of the time before there were ranges. */
  isFirst: boolean
  openedAt: Date | null
  closedAt: Date | null
  /** Since when the messages that are left in it have not changed, and how many they are. */
  settledAt: Date | null
  leftCount: number | null
  /** Whether rows of removed messages leave it one by one, and whether all that were removed before are queued. */
  isReleased: boolean
  isQueued: boolean
}

/** The ranges of a kind, at a moment. */
export interface RangeState {
  now: Date
  /** The last id that was drawn. */
  lastId: number
  /** In their order. */
  ranges: readonly IdRange[]
}

const DAY_MS = 86_400_000
/** About so many ranges hold everything that is kept. Each costs a look-up by phone some microseconds. */
const RANGES_KEPT = 50
const RANGE_DAYS = { min: 0.25, max: 30 }
/** There are 8 billion ids of messages. */
const SIZE_MAX = 100_000_000
const SIZE_MIN = 10_000
/** A first burst must not pass for the pace of a whole day. */
const PACE_DAYS_MIN = 1
/** The ids of so many minutes are ahead, at the latest pace. */
const AHEAD_MINUTES = 10
const AHEAD_MAX = 10_000_000

/** How many days a range should last. */
export function daysOfRange(retentionDays: number): number {
  return Math.min(Math.max(retentionDays / RANGES_KEPT, RANGE_DAYS.min), RANGE_DAYS.max)
}

/**
 * Whether rows past their retention wait until the whole range is dropped. They do if the range was about as short as it should be:
 * else they would stay for too long.
 */
export function isDroppedWhole(range: IdRange, retentionDays: number): boolean {
  const { isMade, isReleased, openedAt, closedAt } = range
  // In a distributed database, a walk along the messages of a range would ask every node for each of them.
  if (range.kind === 'messages' && isDistributed()) return false
  if (!isMade || isReleased || !openedAt || !closedAt) return false
  return closedAt.getTime() - openedAt.getTime() <= 2 * daysOfRange(retentionDays) * DAY_MS
}

/** The range to add, if there are too few ids ahead. */
export function nextRange(
  { now, lastId, ranges }: RangeState,
  { retentionDays, idsPerMinute }: { retentionDays: number; idsPerMinute: number }
): { firstId: number; endId: number } | undefined {
  const last = ranges.at(-1)
  const endId = last?.endId ?? 0
  const aheadMin = Math.min(AHEAD_MINUTES * idsPerMinute, AHEAD_MAX)
  if (last && last.firstId > lastId && endId - lastId > aheadMin) return undefined
  // Ids that were drawn without a range have their rows in the default partition, and so do those of the next minute.
  const firstId = endId > lastId ? endId : lastId + Math.max(SIZE_MIN, idsPerMinute)
  const size = Math.max(idsPerDay({ now, lastId, ranges }) * daysOfRange(retentionDays), aheadMin, SIZE_MIN)
  return { firstId, endId: firstId + Math.ceil(Math.min(size, SIZE_MAX) / 1_000) * 1_000 }
}

/** Over the last ranges, at least a day. Ids between two ranges were skipped. */
function idsPerDay({ now, lastId, ranges }: RangeState): number {
  const opened = ranges.filter(({ openedAt, isFirst }) => openedAt && !isFirst).toReversed()
  const daysSince = ({ openedAt }: IdRange) => (now.getTime() - (openedAt as Date).getTime()) / DAY_MS
  const from = opened.find((range) => daysSince(range) >= PACE_DAYS_MIN) ?? opened.at(-1)
  if (!from) return 0
  const drawn = opened
    .filter(({ firstId }) => firstId >= from.firstId)
    .reduce((sum, { firstId, endId }) => sum + Math.max(0, Math.min(lastId, endId) - firstId), 0)
  return drawn / Math.max(daysSince(from), PACE_DAYS_MIN)
}
