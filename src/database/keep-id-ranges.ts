import type { Log } from '../http/log.ts'
import type { Pool } from './database.ts'
import { analyzeTables, changeRanges, insertRange, readRanges, updateReached } from './id-ranges.store.ts'
import { nextRange, RANGE_KINDS, type RangeKind, type RangeState } from './id-ranges.ts'
import { noteRanges } from './known-ranges.ts'
import { moveToRanges } from './move-to-ranges.ts'

/*
 * Makes ranges before their ids are drawn. Without a range, rows go to the default partition and nothing stops; they only leave it one
 * by one.
 */

const MINUTE_MS = 60_000

export interface KeepIdRangesOptions {
  retentionDays: number
  log: Log
  /** Called when a range could not be made. */
  onFailed(kind: RangeKind): void
}

export function createKeepIdRanges(pool: Pool, { retentionDays, log, onFailed }: KeepIdRangesOptions) {
  const looks = new Map<RangeKind, RangeState>()

  /** Since the last look of this process. */
  function idsPerMinute(kind: RangeKind, { now, lastId }: RangeState): number {
    const before = looks.get(kind)
    const minutes = before ? (now.getTime() - before.now.getTime()) / MINUTE_MS : 0
    return before && minutes > 0 ? (lastId - before.lastId) / minutes : 0
  }

  async function keep(kind: RangeKind): Promise<void> {
    const state = await readRanges(pool, kind)
    const { lastId, ranges } = state
    if (kind === 'messages') noteRanges(ranges)
    const isNewlyReached = ranges.some(
      ({ firstId, endId, openedAt, closedAt }) => (!openedAt && firstId <= lastId) || (!closedAt && endId <= lastId)
    )
    const reachedCount = isNewlyReached ? await updateReached(pool, kind, lastId) : 0
    await prepare(kind, state)
    if (reachedCount > 0) await analyzeTables(pool, kind)
  }

  async function prepare(kind: RangeKind, state: RangeState): Promise<void> {
    const { lastId, ranges } = state
    const first = ranges.find(({ isFirst, closedAt }) => isFirst && !closedAt)
    if (first && lastId < first.endId) {
      await moveToRanges(pool, first, { log })
      return
    }
    const wanted = { retentionDays, idsPerMinute: idsPerMinute(kind, state) }
    looks.set(kind, state)
    if (!nextRange(state, wanted)) return
    const hadTurn = await changeRanges(pool, async (sql) => {
      // Another process may have added it meanwhile.
      const next = nextRange(await readRanges(sql, kind), wanted)
      if (next) await insertRange(sql, kind, next)
    })
    if (!hadTurn) log.info({ kind }, 'range of ids not added: its tables are busy; tried again soon')
  }

  return async (): Promise<{ isMoreDue: boolean }> => {
    for (const kind of RANGE_KINDS) {
      try {
        await keep(kind)
      } catch (error) {
        onFailed(kind)
        log.error({ kind, err: error }, 'range of ids not added; rows go to the default partition meanwhile')
      }
    }
    return { isMoreDue: false }
  }
}
