import type { CarrierHistory } from '../carriers/history.ts'
import { deleteOldCapabilities } from '../carriers/rcs-capabilities.store.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { startWorker } from '../workers/loop.ts'
import type { RcsMetrics } from './metrics.ts'
import { processReplies } from './process-replies.ts'
import { processReports } from './process-reports.ts'
import { deleteOldEvents } from './rbm-events.store.ts'
import { type StoredReports, type StoredReportsParts, startStoredReports } from './stored-reports.ts'

/*
 * Applies kept events (keep-events.ts): reports move their recipients, and replies are passed on. Two workers do this,
 * so that neither waits for the other. Reports that this process has stored are applied from memory (stored-reports.ts);
 * the worker applies the others, and those that came to nothing at first.
 */

/** Wakes the workers that apply events, in all processes. */
export const RBM_EVENTS_CHANNEL = 'chappe_rbm_events'

/** As soon as the first of RETRY_SECONDS: most reports come a moment before the answer to their message is stored. */
const PAUSE_MS = 300
const FORGET_PAUSE_MS = 60_000
/** The platform posts an unanswered event again for up to 7 days. */
const EVENT_DAYS = 8
/** The capability of a phone is checked again long before. */
const CAPABILITY_DAYS = 40
const FORGET_BATCH = 1_000

export interface RbmEventsParts {
  pool: Pool
  routing: RoutingTable
  metrics: RcsMetrics
  history?: CarrierHistory
  log: Log
}

export interface RunningRbmEvents {
  readonly storedReports: StoredReports
  /** Something may be due. */
  wake(): void
  stop(): Promise<void>
}

export function startRbmEvents(parts: StoredReportsParts): RunningRbmEvents {
  const { pool, log } = parts
  const storedReports = startStoredReports(parts)
  const start = (name: string, pauseMs: number, work: () => Promise<{ isMoreDue: boolean }>) =>
    startWorker({ name, pauseMs, work, log })
  const workers = [
    start('applying RCS reports', PAUSE_MS, () => processReports(parts)),
    start('passing on RCS replies', PAUSE_MS, () => processReplies(parts))
  ]
  const forgetting = start('forgetting RCS events', FORGET_PAUSE_MS, () => forgetOld(pool))
  return {
    storedReports,
    wake() {
      for (const worker of workers) worker.wake()
    },
    async stop() {
      await Promise.all([...workers, forgetting, storedReports].map((running) => running.stop()))
    }
  }
}

/** Deletes old events and capabilities, a little at a time. */
export async function forgetOld(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const removed = [
    await deleteOldEvents(pool, { days: EVENT_DAYS, limit: FORGET_BATCH }),
    await deleteOldCapabilities(pool, { days: CAPABILITY_DAYS, limit: FORGET_BATCH })
  ]
  return { isMoreDue: removed.includes(FORGET_BATCH) }
}
