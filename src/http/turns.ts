import type { Asker } from './caller.ts'
import { addTo } from './counts.ts'

/** Does the work when its turn comes. Turns are counted for the account `asker`. */
export type Turns = <T>(asker: Asker, work: () => Promise<T>) => Promise<T>

export interface SharedLimits {
  atOnceMax: number
  /** Of one account. */
  eachMax: number
  /** Of a top-level account and its sub-accounts together. */
  topLevelMax: number
}

/**
 * Limits the work that runs at once, in all and of each account. Other work waits, in the order it came. So an account
 * that asks for much waits for its own work, and no other account does.
 */
export function createTurns({ atOnceMax, eachMax, topLevelMax }: SharedLimits): Turns {
  let busy = 0
  const busyOf = new Map<Asker['accountId'], number>()
  const busyOfTopLevel = new Map<Asker['accountId'], number>()
  const waiting: { asker: Asker; start: () => void }[] = []

  function mayStart({ accountId, topLevelId }: Asker): boolean {
    return (busyOf.get(accountId) ?? 0) < eachMax && (busyOfTopLevel.get(topLevelId) ?? 0) < topLevelMax
  }

  function count({ accountId, topLevelId }: Asker, change: 1 | -1): void {
    busy += change
    addTo(busyOf, accountId, change)
    addTo(busyOfTopLevel, topLevelId, change)
  }

  function startNext(): void {
    while (busy < atOnceMax) {
      const next = waiting.findIndex(({ asker }) => mayStart(asker))
      const [found] = next === -1 ? [] : waiting.splice(next, 1)
      if (!found) return
      count(found.asker, 1)
      found.start()
    }
  }

  return async (asker, work) => {
    await new Promise<void>((start) => {
      waiting.push({ asker, start })
      startNext()
    })
    try {
      return await work()
    } finally {
      count(asker, -1)
      startNext()
    }
  }
}
