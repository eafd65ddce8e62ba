import type { Database, Pool } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { Failures, isAway } from './failures.ts'

const TRIES_MAX = 3

export interface DueGroup<T> {
  /** Locks items that are due, until the transaction ends; with `only`, that item if it is still due. */
  claim(database: Database, only?: T): Promise<readonly T[]>
  work(database: Database, items: readonly T[]): Promise<unknown>
  /** Lets the others go first after an item has failed. */
  putOff?(database: Database, item: T): Promise<unknown>
}

/**
 * Works on a group of due items in one transaction. When that fails, each item gets a transaction of its own, so that one
 * that fails each time does not hold up the others; the first failure is thrown at the end. Returns the number of items.
 */
export async function workOnDue<T>(pool: Pool, { claim, work, putOff }: DueGroup<T>): Promise<number> {
  let due: readonly T[] = []
  const workOn = (only?: T) =>
    retryBusy(TRIES_MAX, () =>
      pool.begin(async (database) => {
        const claimed = await claim(database, only)
        if (only === undefined) due = claimed
        if (claimed.length > 0) await work(database, claimed)
      })
    )
  try {
    await workOn()
    return due.length
  } catch (error) {
    if (due.length === 0 || isAway(error)) throw error
  }
  const failures = new Failures()
  for (const item of due) {
    await failures.try(async () => {
      try {
        await workOn(item)
      } catch (error) {
        await putOff?.(pool, item)
        throw error
      }
    })
  }
  failures.throwFirst()
  return due.length
}
