/** Does the work when it is its turn. `whose` names who asks. */
export type Turns = <T>(whose: number, work: () => Promise<T>) => Promise<T>

/**
 * Lets so many work at once, and of each asker so many; the others wait, in the order they came. So one who asks for
 * much waits for themselves, and not everybody else for them.
 */
export function createTurns({ atOnceMax, eachMax }: { atOnceMax: number; eachMax: number }): Turns {
  let busy = 0
  const busyOf = new Map<number, number>()
  const waiting: { whose: number; start: () => void }[] = []

  function startNext(): void {
    while (busy < atOnceMax) {
      const next = waiting.findIndex(({ whose }) => (busyOf.get(whose) ?? 0) < eachMax)
      const [found] = next === -1 ? [] : waiting.splice(next, 1)
      if (!found) return
      busy++
      busyOf.set(found.whose, (busyOf.get(found.whose) ?? 0) + 1)
      found.start()
    }
  }

  return async (whose, work) => {
    await new Promise<void>((start) => {
      waiting.push({ whose, start })
      startNext()
    })
    try {
      return await work()
    } finally {
      busy--
      const left = (busyOf.get(whose) ?? 1) - 1
      if (left === 0) busyOf.delete(whose)
      else busyOf.set(whose, left)
      startNext()
    }
  }
}
