import type { PostedNotice, PostedReply, PostedReport } from '../carriers/carrier.ts'
import type { KeptEvent } from '../carriers/posted-event.ts'
import type { Pool } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { retryBusy } from '../database/retry-busy.ts'
import type { Log } from '../http/log.ts'
import type { RcsMetrics } from './metrics.ts'
import { insertEvents, type NewEvent } from './rbm-events.store.ts'
import { STORED_SECONDS, type StoredReports } from './stored-reports.ts'

/** Keeps events that peers post. Each function settles once the event is committed; only then the peer is answered. */
export interface KeepEvents {
  onReport(report: PostedReport): Promise<void>
  onReply(reply: PostedReply): Promise<void>
  onNotice(notice: PostedNotice): Promise<void>
}

/** However many events come, they take no more connections than this from other requests. */
const GROUP_LIMITS = { sizeMax: 500, runningMax: 2, spacingMs: 20 }
const TRIES_MAX = 3

interface KeepEventsParts {
  pool: Pool
  metrics: RcsMetrics
  log: Log
  /** Where this process applies reports itself; undefined while it does not deliver. */
  storedReports(): StoredReports | undefined
  /** Wakes the workers that apply events. */
  onStored(): void
}

export function createKeepEvents({ pool, metrics, log, storedReports, onStored }: KeepEventsParts): KeepEvents {
  // Events that arrive together share one statement.
  const store = groupCalls(async (events: NewEvent[]): Promise<undefined[]> => {
    await retryBusy(TRIES_MAX, () => insertEvents(pool, events))
    if (events.some(({ dueInSeconds }) => dueInSeconds === 0)) onStored()
    return []
  }, GROUP_LIMITS)
  async function keep(
    { carrier, kind, kept }: { carrier: string; kind: string; kept: KeptEvent },
    work: Pick<NewEvent, 'isReport' | 'dueInSeconds'>
  ): Promise<void> {
    await store({ carrier, eventId: kept.id, body: kept.body, ...work })
    metrics.events(carrier, kind)
  }
  return {
    async onReport(report) {
      const here = storedReports()
      const isTaken = here?.hasRoom === true
      await keep(report, { isReport: true, dueInSeconds: isTaken ? STORED_SECONDS : 0 })
      if (isTaken) here.take(report)
    },
    onReply: (reply) => keep(reply, { isReport: false, dueInSeconds: 0 }),
    async onNotice(notice) {
      const { carrier, kind } = notice
      if (kind === 'unreadable') {
        metrics.events(carrier, kind)
        log.warn({ carrier }, 'an RCS event is no JSON; it is left out')
        return
      }
      await keep(notice, { isReport: false, dueInSeconds: null })
      // Whether to write to that person again is for the account to decide: the earlier STOP stays in its list.
      if (kind === 'subscribe') log.info({ carrier }, 'a person subscribed to an RCS agent; an earlier STOP stays')
    }
  }
}
