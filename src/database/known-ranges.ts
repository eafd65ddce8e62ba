import type { IdRange } from './id-ranges.ts'

/* Where the ranges of ids of messages begin, as this process has last seen them. */

let begins: readonly number[] = []

export function noteRanges(ranges: readonly IdRange[]): void {
  begins = ranges.map(({ firstId }) => firstId).toSorted((a, b) => a - b)
}

/** The first id of the range that holds an id. An id of a range that is newer than the last look gets an earlier one. */
export function beginOfRange(id: number): number {
  return begins.findLast((firstId) => firstId <= id) ?? 0
}
