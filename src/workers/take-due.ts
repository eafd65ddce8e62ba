import type { Database, Pool } from '../database/database.ts'

/** Taken per turn. */
const TURN = 20

export interface DueWork<Due> {
  pool: Pool
  /** Locks the one that has been due longest; those that other processes work on are passed over. */
  lock(database: Database): Promise<Due | undefined>
  work(database: Database, due: Due): Promise<void>
  /** Lets the others go first. */
  putOff(database: Database, due: Due): Promise<void>
  onDone?(): void
}

/**
 * The work of a worker on what is due, one after the other, each in a transaction of its own: a crash leaves it due, and two
 * processes never do it twice. One that fails is put off, so that the others need not wait for it.
 */
export function createTakeDue<Due>({ pool, lock, work, putOff, onDone }: DueWork<Due>) {
  async function next(): Promise<boolean> {
    let taken: Due | undefined
    try {
      return await pool.begin(async (database) => {
        taken = await lock(database)
        if (taken) await work(database, taken)
        return taken !== undefined
      })
    } catch (error) {
      if (taken) await putOff(pool, taken)
      throw error
    }
  }

  return async (): Promise<{ isMoreDue: boolean }> => {
    for (let count = 0; count < TURN; count++) {
      if (!(await next())) return { isMoreDue: false }
      onDone?.()
    }
    return { isMoreDue: true }
  }
}
