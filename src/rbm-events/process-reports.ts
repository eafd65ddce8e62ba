import type { PostedReport } from '../carriers/carrier.ts'
import type { RcsReport } from '../carriers/posted-event.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { workOnDue } from '../workers/work-on-due.ts'
import { applyReports, type DueReport, type ReportResult } from './apply-reports.ts'
import {
  claimReports,
  type DueEvent,
  type EventKey,
  type Retry,
  takeReports,
  updateToDone,
  updateToRetry
} from './rbm-events.store.ts'
import type { RbmEventsParts } from './rbm-events.ts'
import { createNames, readKeptEvent } from './read-events.ts'
import { EARLY_RETRY_SECONDS, EARLY_SECONDS_MAX, RETRY_SECONDS } from './retries.ts'

const BATCH = 500
const TRIES_MAX = 3
/** A report whose work fails is never given up: the cause may be mended meanwhile. */
const LAST_RETRY_SECONDS = 3_600

/** Applies due reports, many at a time. A report that is too early, or matches nothing, is tried again later. */
export async function processReports(parts: RbmEventsParts): Promise<{ isMoreDue: boolean }> {
  const count = await workOnDue<DueEvent>(parts.pool, {
    claim: (database, only) => claimReports(database, { limit: BATCH, only }),
    work: (database, events) => processSome(parts, database, events),
    putOff: (database, { carrier, eventId, tries }) =>
      updateToRetry(database, [{ carrier, eventId, nextTrySeconds: RETRY_SECONDS[tries] ?? LAST_RETRY_SECONDS }])
  })
  return { isMoreDue: count === BATCH }
}

async function processSome(parts: RbmEventsParts, database: Database, events: readonly DueEvent[]): Promise<void> {
  const { routing, history } = parts
  const due = events.map((event) => toDueReport(routing, event))
  const results = await applyReports(database, due, { names: await createNames(database, routing), history })
  await updateToDone(
    database,
    due.filter((one) => !isTriedAgain(results.get(one)))
  )
  await updateToRetry(database, toRetries(results))
  database.afterCommit(() => publishResults(parts, results))
}

/**
 * Applies reports that this process has stored and still has in memory. That saves their claim and their reading. Other
 * processes leave them alone for a moment, and take them then.
 */
export async function processStored(parts: RbmEventsParts, stored: readonly StoredReport[]): Promise<void> {
  const { pool, routing, history } = parts
  const due = stored.map(({ kept, ...report }): DueReport => {
    const event = { carrier: report.carrier, eventId: kept.id, body: kept.body, receivedAt: databaseNow(), tries: 0 }
    return { ...event, report, isLastTry: false, isOld: false }
  })
  const results = await retryBusy(TRIES_MAX, () =>
    pool.begin(async (database) => {
      const names = await createNames(database, routing)
      const results = await applyReports(database, due, { names, history, taking: take(database, due) })
      await updateToRetry(database, toRetries(results))
      return results
    })
  )
  publishResults(parts, results)
}

/** A report with its event as it came. */
export type StoredReport = PostedReport

async function take(database: Database, due: readonly DueReport[]): Promise<Set<DueReport>> {
  const taken = new Set((await takeReports(database, due)).map(nameOf))
  // The platform may have posted an event twice in a moment: of two in one group, the first counts.
  return new Set(due.filter((one) => taken.delete(nameOf(one))))
}

function nameOf({ carrier, eventId }: EventKey): string {
  return `${carrier} ${eventId}`
}

function toRetries(results: ReadonlyMap<DueReport, ReportResult>): Retry[] {
  return [...results]
    .filter(([, result]) => isTriedAgain(result))
    .map(([{ carrier, eventId, body, ...one }, result]) => {
      return { carrier, eventId, body, nextTrySeconds: secondsToNextTry(one, result) }
    })
}

function toDueReport(routing: RoutingTable, event: DueEvent): DueReport {
  // The event was found to be a report when it came in.
  const report = readKeptEvent(routing, event) as RcsReport
  const ageSeconds = (databaseNow().getTime() - event.receivedAt.getTime()) / 1000
  return { ...event, report, isLastTry: event.tries >= RETRY_SECONDS.length, isOld: ageSeconds > EARLY_SECONDS_MAX }
}

/** Undefined when the report is given up. */
function secondsToNextTry(
  { tries, isOld }: Pick<DueReport, 'tries' | 'isOld'>,
  result: ReportResult | undefined
): number | undefined {
  if (result !== 'too-early') return RETRY_SECONDS[tries]
  return isOld ? undefined : Math.min(EARLY_RETRY_SECONDS, RETRY_SECONDS[tries] ?? EARLY_RETRY_SECONDS)
}

function isTriedAgain(result: ReportResult | undefined): boolean {
  return result === 'too-early' || result === 'unknown'
}

function publishResults({ metrics, log }: RbmEventsParts, results: ReadonlyMap<DueReport, ReportResult>): void {
  for (const [{ carrier, eventId, isLastTry, isOld }, result] of results) {
    if (isTriedAgain(result) && !(result === 'too-early' ? isOld : isLastTry)) continue
    metrics.reports(carrier, result)
    if (result === 'foreign') {
      log.warn({ carrier, event_id: eventId }, 'an RCS report is about an agent that is not of this carrier')
    } else if (isTriedAgain(result)) {
      log.warn({ carrier, event_id: eventId }, 'an RCS report matches no message of ours; it is not tried again')
    }
  }
}
