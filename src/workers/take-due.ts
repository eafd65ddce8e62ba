import type { Database, Pool } from '../database/database.ts'

/** Taken per turn. */
const TURN = 20
/**
 * How long the work of a top-level account and its sub-accounts may take in a row while others wait. Short work stays together:
 * to find what others wait for, all that is due is looked at.
 */
const TURN_MS = 250

type Locked<Due> = Due & { topLevelId: number }

export interface DueWork<Due> {
  pool: Pool
  /**
   * Locks the one that has been due longest, of any but these top-level accounts; those that other processes work on are passed
   * over.
   */
  lock(database: Database, except: readonly number[]): Promise<Locked<Due> | undefined>
  work(database: Database, due: Due): Promise<void>
  /** Lets the others go first. */
  putOff(database: Database, due: Due): Promise<void>
  onDone?(): void
}

/**
 * The work of a worker on what is due, one after the other, each in a transaction of its own: a crash leaves it due, and two
 * processes never do it twice. One that fails is put off, so that the others need not wait for it. Top-level accounts take
 * turns: however much is due in one of them, the others wait for one piece of its work at most.
 */
export function createTakeDue<Due>({ pool, lock, work, putOff, onDone }: DueWork<Due>) {
  /** The time that the work of each top-level account took in this round. */
  const spentMs = new Map<number, number>()

  async function lockNext(database: Database): Promise<Locked<Due> | undefined> {
    const served = [...spentMs].flatMap(([id, ms]) => (ms < TURN_MS ? [] : [id]))
    const due = await lock(database, served)
    if (due) return due
    // Everybody has had a turn: the next round begins.
    spentMs.clear()
    return served.length > 0 ? lock(database, []) : undefined
  }

  async function next(): Promise<boolean> {
    let taken: Locked<Due> | undefined
    const startedMs = performance.now()
    try {
      return await pool.begin(async (database) => {
        taken = await lockNext(database)
        if (taken) await work(database, taken)
        return taken !== undefined
      })
    } catch (error) {
      if (taken) await putOff(pool, taken)
      throw error
    } finally {
      if (taken) spentMs.set(taken.topLevelId, (spentMs.get(taken.topLevelId) ?? 0) + performance.now() - startedMs)
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
