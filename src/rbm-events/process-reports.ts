import type { RcsReport } from '../carriers/posted-event.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import { databaseNow } from '../database/clock.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { applyReports, type DueReport, type ReportResult } from './apply-reports.ts'
import { claimReports, type DueEvent, updateToDone, updateToRetry } from './rbm-events.store.ts'
import type { RbmEventsParts } from './rbm-events.ts'
import { createNames, readKeptEvent } from './read-events.ts'
import { EARLY_RETRY_SECONDS, EARLY_SECONDS_MAX, RETRY_SECONDS } from './retries.ts'

const BATCH = 500
const TRIES_MAX = 3

/** Applies due reports, many at a time. A report that is too early, or matches nothing, is tried again later. */
export async function processReports(parts: RbmEventsParts): Promise<{ isMoreDue: boolean }> {
  // Two processes may apply reports on the same recipients at once.
  const results = await retryBusy(TRIES_MAX, () => processSome(parts))
  publishResults(parts, results)
  return { isMoreDue: results.size === BATCH }
}

async function processSome({ pool, routing }: RbmEventsParts): Promise<Map<DueReport, ReportResult>> {
  return pool.begin(async (database) => {
    const due = (await claimReports(database, BATCH)).map((event) => toDueReport(routing, event))
    if (due.length === 0) return new Map()
    const results = await applyReports(database, due, await createNames(database, routing))
    const [again, done] = [true, false].map((isAgain) =>
      due.filter((one) => isTriedAgain(results.get(one)) === isAgain)
    )
    await updateToDone(database, done ?? [])
    await updateToRetry(
      database,
      (again ?? []).map((one) => ({ ...one, nextTrySeconds: secondsToNextTry(one, results.get(one)) }))
    )
    return results
  })
}

function toDueReport(routing: RoutingTable, event: DueEvent): DueReport {
  // The event was found to be a report when it came in.
  const report = readKeptEvent(routing, event) as RcsReport
  const ageSeconds = (databaseNow().getTime() - event.receivedAt.getTime()) / 1000
  return { ...event, report, isLastTry: event.tries >= RETRY_SECONDS.length, isOld: ageSeconds > EARLY_SECONDS_MAX }
}

/** Undefined when the report is given up. */
function secondsToNextTry({ tries, isOld }: DueReport, result: ReportResult | undefined): number | undefined {
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
