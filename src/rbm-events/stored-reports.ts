import { groupCalls } from '../database/group-calls.ts'
import { processStored, type StoredReport } from './process-reports.ts'
import type { RbmEventsParts } from './rbm-events.ts'

/*
 * Reports that this process has stored and will apply itself, from memory. A report often comes before the commit that
 * settles its message: here it waits for that commit, and is not tried in vain. If the process dies, or the database fails,
 * the reports become due for every process after STORED_SECONDS.
 */

/** How long the other workers leave such a report alone. */
export const STORED_SECONDS = 1
/** Under load, larger groups cost less for each report. */
const GROUP_LIMITS = { sizeMax: 500, runningMax: 1, spacingMs: 100 }
/** Each takes about 1,000 bytes. */
const WAITING_MAX = 20_000

export interface StoredReports {
  /** False while too many reports wait: the next ones are due at once, for every process. */
  readonly hasRoom: boolean
  /** The report is committed, and due in STORED_SECONDS. */
  take(report: StoredReport): void
  /** Waits for the reports that are being applied. */
  stop(): Promise<void>
}

export interface StoredReportsParts extends RbmEventsParts {
  /** Settles when the recipient with this new message id is committed. Undefined when the id is not pending. */
  untilSettled(carrier: string, messageId: string): Promise<unknown> | undefined
}

export function startStoredReports(parts: StoredReportsParts): StoredReports {
  const { untilSettled, log } = parts
  let waitingCount = 0
  let isStopping = false
  let applying: Promise<void> = Promise.resolve()
  const apply = groupCalls(async (reports: StoredReport[]): Promise<undefined[]> => {
    if (isStopping) return []
    applying = processStored(parts, reports).catch((error) => {
      log.warn({ count: reports.length, err: error }, 'RCS reports could not be applied; they are tried again')
    })
    await applying
    return []
  }, GROUP_LIMITS)

  async function applyOnceSettled(report: StoredReport): Promise<void> {
    waitingCount++
    await untilSettled(report.carrier, report.messageId)
    await apply(report)
    waitingCount--
  }

  return {
    get hasRoom() {
      return !isStopping && waitingCount < WAITING_MAX
    },
    take(report) {
      void applyOnceSettled(report)
    },
    async stop() {
      isStopping = true
      await applying
    }
  }
}
