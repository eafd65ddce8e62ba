import type { IdRange } from './id-ranges.ts'

/* The ranges of ids of messages, as this process has last seen them. */

type Range = Pick<IdRange, 'firstId' | 'endId'>

let known: readonly Range[] = []

export function noteRanges(ranges: readonly Range[]): void {
  known = ranges.toSorted((a, b) => a.firstId - b.firstId)
}

/** The first id of the range that holds an id. An id of a range that is newer than the last look gets an earlier one. */
export function beginOfRange(id: number): number {
  return known.findLast(({ firstId }) => firstId <= id)?.firstId ?? 0
}

/** The first id after the range that holds an id; undefined for an id that no known range holds. */
export function endOfRange(id: number): number | undefined {
  return known.find(({ firstId, endId }) => firstId <= id && id < endId)?.endId
}
