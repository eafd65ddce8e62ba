import type { DoorName } from '../callbacks/callback.ts'
import { delayReport, deleteReport, type TakenReport, takeReports } from '../callbacks/callbacks.store.ts'
import type { Pool } from '../database/database.ts'
import { addTo } from '../http/counts.ts'
import type { Log } from '../http/log.ts'
import { toRecipientId } from '../recipients/recipient.ts'
import { logFieldsOf } from '../traces/tracer.ts'
import type { Poster, PostResult } from '../webhooks/post.ts'
import { delayAfter, meaningOf } from '../webhooks/schedule.ts'
import { readTarget } from '../webhooks/target.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { toJasminCall } from './jasmin-report.ts'
import { toKannelCall } from './kannel-report.ts'
import type { FullReport, ReportCall } from './report.ts'
import { listReportedRecipients, type ReportedRecipient } from './reports.store.ts'

/*
 * Calls the addresses that messages name, with their delivery reports. A report waits in the database until its
 * receiver has it, by the schedule of webhooks. A process that dies leaves its reports to another one, which makes them
 * again: a receiver may get a report twice. Each account has so many places, and a top-level account with all its
 * sub-accounts a share of them, so that slow receivers of one family delay no other account.
 */

const PLACES = 100
const PLACES_OF_ACCOUNT = 16
/** Longer than a call can take: a time-out of 15 s, and the rest of the answer. */
const LEASE_SECONDS = 60

const CALLS: Readonly<Record<DoorName, (full: FullReport) => ReportCall>> = {
  kannel: toKannelCall,
  jasmin: toJasminCall
}

export interface CallbackParts {
  pool: Pool
  poster: Poster
  allowPrivate: boolean
  log: Log
  /** How long to wait after a look that found nothing. */
  pauseMs: number
}

export function startCallbacks(parts: CallbackParts): RunningWorker {
  const { pool, log, pauseMs } = parts
  const making = new Set<Promise<void>>()
  const held = new Map<number, number>()
  const worker = startWorker({ name: 'making callbacks', work: take, pauseMs, log })

  async function take(): Promise<{ isMoreDue: boolean }> {
    if (making.size >= PLACES) return { isMoreDue: false }
    const limits = { places: PLACES, eachMax: PLACES_OF_ACCOUNT, leaseSeconds: LEASE_SECONDS }
    const taken = await takeReports(pool, { ...limits, held })
    const recipients = await recipientsOf(pool, taken)
    for (const report of taken) {
      addTo(held, report.accountId, 1)
      const recipient = recipients.get(toRecipientId(report))
      const made = make(parts, report, recipient)
        .catch((error) => {
          const { accountId: account_id, messageId: message_id } = report
          const fields = { account_id, message_id, ...logFieldsOf(recipient?.trace) }
          log.error({ ...fields, report: report.id, err: error }, 'a callback could not be made')
        })
        .finally(() => {
          making.delete(made)
          addTo(held, report.accountId, -1)
          worker.wake()
        })
      making.add(made)
    }
    return { isMoreDue: false }
  }

  return {
    name: worker.name,
    wake: worker.wake,
    async stop() {
      await worker.stop()
      await Promise.all(making)
    }
  }
}

async function recipientsOf(pool: Pool, taken: readonly TakenReport[]): Promise<Map<number, ReportedRecipient>> {
  const found = await listReportedRecipients(pool, taken)
  return new Map(found.map((recipient) => [toRecipientId(recipient), recipient]))
}

/** Makes one call, and settles the report by its answer. */
async function make(
  { pool, poster, allowPrivate, log }: CallbackParts,
  report: TakenReport,
  recipient: ReportedRecipient | undefined
): Promise<void> {
  // Its message or its callback was removed meanwhile.
  if (!recipient || report.door === null) return deleteReport(pool, report)
  const { trace } = recipient
  const { url, post, isAcknowledged } = CALLS[report.door]({ report, recipient })
  const read = readTarget(url, { allowPrivate })
  // With its values it is too long, or not an address: it will be no better later.
  if ('problem' in read) return giveUp(`The URL ${read.problem}.`)
  const result = await poster.post(read.target, post)
  const meaning = meaningOf(result)
  const isTold = meaning === 'succeeded' && (result.kind === 'failed' || (isAcknowledged?.(result.body) ?? true))
  if (isTold) return deleteReport(pool, report)
  const retryAfterSeconds = result.kind === 'answered' ? result.retryAfterSeconds : undefined
  const delaySeconds = meaning === 'gone' ? undefined : delayAfter(report.attempts, { retryAfterSeconds })
  if (delaySeconds !== undefined) return delayReport(pool, { ...report, delaySeconds })
  return giveUp(reasonOf(result))

  function giveUp(reason: string): Promise<void> {
    const { accountId: account_id, messageId: message_id, attempts } = report
    log.warn({ account_id, message_id, ...logFieldsOf(trace), attempts, reason }, 'callback given up')
    return deleteReport(pool, report)
  }
}

function reasonOf(result: PostResult): string {
  return result.kind === 'failed' ? result.error : `The receiver answered ${result.status}.`
}
