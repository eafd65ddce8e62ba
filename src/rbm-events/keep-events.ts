import type { PostedNotice, PostedReply, PostedReport } from '../carriers/carrier.ts'
import type { KeptEvent } from '../carriers/posted-event.ts'
import type { Pool } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { retryBusy } from '../database/retry-busy.ts'
import type { Log } from '../http/log.ts'
import type { RcsMetrics } from './metrics.ts'
import { insertEvents, type NewEvent } from './rbm-events.store.ts'

/** Keeps events that peers post. Each function settles once the event is committed; only then the peer is answered. */
export interface KeepEvents {
  onReport(report: PostedReport): Promise<void>
  onReply(reply: PostedReply): Promise<void>
  onNotice(notice: PostedNotice): Promise<void>
}

/** However many events come, they take no more connections than this from other requests. */
const GROUP_LIMITS = { sizeMax: 500, runningMax: 2, spacingMs: 5 }
const TRIES_MAX = 3

interface KeepEventsParts {
  pool: Pool
  metrics: RcsMetrics
  log: Log
  /** Wakes the workers that apply events. */
  onStored(): void
}

export function createKeepEvents({ pool, metrics, log, onStored }: KeepEventsParts): KeepEvents {
  // Events that arrive together share one statement.
  const store = groupCalls(async (events: NewEvent[]): Promise<undefined[]> => {
    await retryBusy(TRIES_MAX, () => insertEvents(pool, events))
    onStored()
    return []
  }, GROUP_LIMITS)
  async function keep(
    { carrier, kind, kept }: { carrier: string; kind: string; kept: KeptEvent },
    work: Pick<NewEvent, 'isReport' | 'isDue'>
  ): Promise<void> {
    await store({ carrier, eventId: kept.id, body: kept.body, ...work })
    metrics.events(carrier, kind)
  }
  return {
    onReport: (report) => keep(report, { isReport: true, isDue: true }),
    onReply: (reply) => keep(reply, { isReport: false, isDue: true }),
    async onNotice(notice) {
      const { carrier, kind } = notice
      if (kind === 'unreadable') {
        metrics.events(carrier, kind)
        log.warn({ carrier }, 'an RCS event is no JSON; it is left out')
        return
      }
      await keep(notice, { isReport: false, isDue: false })
      // Whether to write to that person again is for the account to decide: the earlier STOP stays in its list.
      if (kind === 'subscribe') log.info({ carrier }, 'a person subscribed to an RCS agent; an earlier STOP stays')
    }
  }
}
