import type { Carrier } from '../carriers/carrier.ts'
import type { Pool } from '../database/database.ts'
import { isAnyOverdue } from '../queue/claims.store.ts'
import type { Dispatcher } from './dispatch-batches.ts'

/** Looks in a row without any progress: those who watch look every 5 s. */
const LOOKS_MAX = 6
const OVERDUE_SECONDS = 30

export interface Watched {
  pool: Pool
  carrier: Carrier
  dispatcher: Pick<Dispatcher, 'progress'>
  /** Those that this carrier is the one to send on now. */
  routes(): readonly string[]
}

/**
 * Notices a dispatcher that does nothing, although something has been due for long and is nobody's, and the carrier is up
 * with room. Whatever the cause, a bug or a promise that nobody keeps, it would stay so until somebody restarts the process.
 */
export class ProgressWatch {
  #progress = -1
  #looks = 0

  /** Looks once; looks are counted, and not the time: a process that was stopped has not stood still. */
  async isStuck({ pool, carrier, dispatcher, routes }: Watched): Promise<boolean> {
    const isMoving = dispatcher.progress !== this.#progress || !hasRoom(carrier)
    this.#progress = dispatcher.progress
    this.#looks = isMoving ? 0 : this.#looks + 1
    if (this.#looks < LOOKS_MAX || !(await isAnyOverdue(pool, { routes: routes(), seconds: OVERDUE_SECONDS })))
      return false
    this.#looks = 0
    return true
  }
}

/** As the carrier itself counts: a count of the dispatcher's that went wrong is just what is looked for. */
function hasRoom(carrier: Carrier): boolean {
  const { binds, traffic } = carrier.status()
  const used = binds.reduce((sum, { windowUsed }) => sum + windowUsed, 0) + (traffic?.inFlight ?? 0)
  return carrier.capacity > used
}
