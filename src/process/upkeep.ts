import { setTimeout as sleep } from 'node:timers/promises'
import { storeHistory } from '../carriers/store-history.ts'
import { finishClosings } from '../closing/finish-closings.ts'
import { emptyHiddenLists } from '../contacts/empty-hidden-lists.ts'
import { createAnalyzeYoungTables } from '../database/analyze-young-tables.ts'
import { createBuildIndexes } from '../database/build-indexes.ts'
import { readDatabaseClock } from '../database/clock.ts'
import { connect } from '../database/database.ts'
import { createKeepIdRanges } from '../database/keep-id-ranges.ts'
import { beginScheduledMessages } from '../messages/begin-scheduled-messages.ts'
import { recordNextCancelEvents } from '../recipients/cancel-events.ts'
import { type RunningWorker, startWorker, UPKEEP_FIRST_PAUSE_MS, type Worker } from '../workers/loop.ts'
import type { SharedParts } from './shared-parts.ts'
import type { RunningPart } from './started-parts.ts'

const BEGIN_PAUSE_MS = 1_000
const ANALYZE_PAUSE_MS = 500
const CLOCK_PAUSE_MS = 10_000
const EMPTY_PAUSE_MS = 5_000
const CLOSE_PAUSE_MS = 5_000
const HISTORY_PAUSE_MS = 10_000
const TELL_PAUSE_MS = 1_000
const RANGES_PAUSE_MS = 10_000
const INDEXES_PAUSE_MS = 60_000
/** Old rows are read once, which takes as long as it takes. */
const LONG_WORK_STUCK_MS = 12 * 3_600_000
const LONG_WORK_STOP_MS = 1_000

/** The workers of every process, whatever its roles. */
export function startUpkeep({ pool, suspended, history, log }: SharedParts): RunningWorker[] {
  const analyzeYoungTables = createAnalyzeYoungTables()
  const analyze = () => analyzeYoungTables(pool).then(() => ({ isMoreDue: false }))
  const readClock = () => readDatabaseClock(pool).then(() => ({ isMoreDue: false }))
  const upkeep = (name: string, work: Worker['work'], pauseMs: number) =>
    startWorker({ name, work, pauseMs, firstPauseMs: UPKEEP_FIRST_PAUSE_MS, log })
  return [
    startWorker({
      name: 'beginning scheduled messages',
      work: () => beginScheduledMessages(pool, suspended),
      pauseMs: BEGIN_PAUSE_MS,
      log
    }),
    upkeep('analysing young tables', analyze, ANALYZE_PAUSE_MS),
    upkeep('reading the database clock', readClock, CLOCK_PAUSE_MS),
    upkeep('emptying deleted lists', () => emptyHiddenLists(pool), EMPTY_PAUSE_MS),
    upkeep('closing accounts', () => finishClosings(pool), CLOSE_PAUSE_MS),
    upkeep('storing figures of carriers', () => storeHistory(pool, history), HISTORY_PAUSE_MS),
    upkeep('telling of cancels', () => recordNextCancelEvents(pool), TELL_PAUSE_MS)
  ]
}

export function startKeepingRanges({ pool, config, log }: SharedParts, onFailed: (kind: string) => void): RunningPart {
  return startLongWork({
    name: 'keeping ranges of ids',
    work: createKeepIdRanges(pool, { retentionDays: config.retentionDays, log, onFailed }),
    pauseMs: RANGES_PAUSE_MS,
    log
  })
}

export function startBuildingIndexes({ pool, databaseUrl: url, log }: SharedParts): RunningPart {
  const applicationName = `chappe ${process.pid} indexes`
  const openLong = () => connect({ url, applicationName, connectionsMax: 1, hasTimeLimit: false })
  return startLongWork({
    name: 'building indexes',
    work: createBuildIndexes(pool, { openLong, log }),
    pauseMs: INDEXES_PAUSE_MS,
    log
  })
}

/** A stop does not wait for a look at all rows of a table: the next start begins it again. */
function startLongWork(work: Pick<Worker, 'name' | 'work' | 'pauseMs' | 'log'>): RunningPart {
  const worker = startWorker({ ...work, firstPauseMs: UPKEEP_FIRST_PAUSE_MS, stuckMs: LONG_WORK_STUCK_MS })
  const stop = () => Promise.race([worker.stop(), sleep(LONG_WORK_STOP_MS, undefined, { ref: false })])
  return { name: worker.name, stop }
}
