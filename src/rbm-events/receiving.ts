import type { CarriersInUse } from '../carriers/carriers-in-use.ts'
import type { RbmEvent } from '../carriers/rbm/read-event.ts'
import type { Pool } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { retryBusy } from '../database/retry-busy.ts'
import type { Log } from '../http/log.ts'
import type { RcsMetrics } from './metrics.ts'
import { insertEvents, type NewEvent } from './rbm-events.store.ts'

/** What becomes of events as they come in. */
export interface Receiving {
  inUse: Pick<CarriersInUse, 'file'>
  /** Settles once it is committed. Events that arrive together share one statement. */
  store(event: NewEvent): Promise<void>
  /** `unreadable` is one that could not be stored. */
  onEvent(carrier: string, kind: RbmEvent['kind'] | 'unreadable'): void
}

/** However many come, they take no more connections than this from other requests. */
const GROUP_LIMITS = { sizeMax: 500, runningMax: 2, spacingMs: 5 }
const TRIES_MAX = 3

export interface ReceivingParts {
  pool: Pool
  inUse: Pick<CarriersInUse, 'file'>
  metrics: RcsMetrics
  log: Log
  /** Wakes those who work on events. */
  onStored(): void
}

export function createReceiving({ pool, inUse, metrics, log, onStored }: ReceivingParts): Receiving {
  async function storeAll(events: NewEvent[]): Promise<undefined[]> {
    await retryBusy(TRIES_MAX, () => insertEvents(pool, events))
    onStored()
    return []
  }
  return {
    inUse,
    store: groupCalls(storeAll, GROUP_LIMITS),
    onEvent(carrier, kind) {
      metrics.events(carrier, kind)
      if (kind === 'unreadable') log.warn({ carrier }, 'an RCS event is no JSON; it is left out')
      // To write to them again is for the account to decide: what they said before stands in its list.
      else if (kind === 'subscribe')
        log.info({ carrier }, 'somebody subscribed to an RCS agent; a STOP of theirs stays')
    }
  }
}
