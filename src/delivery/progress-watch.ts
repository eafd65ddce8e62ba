import { NONE_SUSPENDED, type SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import type { Carrier } from '../carriers/carrier.ts'
import type { Pool } from '../database/database.ts'
import { isAnyOverdue } from '../queue/queue-ages.store.ts'
import type { Dispatcher } from './dispatch-batches.ts'

/** A dispatcher is stuck after this many looks in a row without progress. The caller looks every 5 s. */
const LOOKS_MAX = 6
const OVERDUE_SECONDS = 30

export interface Watched {
  pool: Pool
  carrier: Carrier
  dispatcher: Pick<Dispatcher, 'progress'>
  /** The routes that this carrier serves now. */
  routes(): readonly string[]
  suspended?: SuspendedAccounts
}

/**
 * Notices a stuck dispatcher: an unclaimed batch is long overdue, the carrier is up with room, and nothing happens. The cause
 * may be a bug, or a promise that never settles. Without this watch, only a restart of the process would help.
 */
export class ProgressWatch {
  #progress = -1
  #looks = 0

  /** Looks once. It counts looks and not time, since a process that the system paused was not stuck. */
  async isStuck({ pool, carrier, dispatcher, routes, suspended = NONE_SUSPENDED }: Watched): Promise<boolean> {
    const isMoving = dispatcher.progress !== this.#progress || !hasRoom(carrier)
    this.#progress = dispatcher.progress
    this.#looks = isMoving ? 0 : this.#looks + 1
    if (this.#looks < LOOKS_MAX) return false
    const overdue = { routes: routes(), seconds: OVERDUE_SECONDS, exceptAccountIds: suspended.ids() }
    if (!(await isAnyOverdue(pool, overdue))) return false
    this.#looks = 0
    return true
  }
}

/** Uses the carrier's own count: a wrong count of the dispatcher is one of the causes to find. */
function hasRoom(carrier: Carrier): boolean {
  const { binds, traffic } = carrier.status()
  const used = binds.reduce((sum, { windowUsed }) => sum + windowUsed, 0) + (traffic?.inFlight ?? 0)
  return carrier.capacity > used
}
