import { addTo } from '../http/counts.ts'

export interface BindPlaces {
  /** Whether there was a place. */
  take(bindId: string, topLevelId: number): boolean
  giveBack(bindId: string): void
}

/** The binds of this process. A top-level account and its sub-accounts have so many at most: others find places too. */
export function createBindPlaces(max: number): BindPlaces {
  const topLevelIds = new Map<string, number>()
  const taken = new Map<number, number>()
  return {
    take(bindId, topLevelId) {
      if ((taken.get(topLevelId) ?? 0) >= max) return false
      topLevelIds.set(bindId, topLevelId)
      addTo(taken, topLevelId, 1)
      return true
    },
    giveBack(bindId) {
      const topLevelId = topLevelIds.get(bindId)
      if (topLevelId !== undefined) addTo(taken, topLevelId, -1)
      topLevelIds.delete(bindId)
    }
  }
}
