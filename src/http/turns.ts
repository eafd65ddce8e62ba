export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Lets so many work at once; the others wait for their turn, in the order they came. */
export function createTurns(atOnceMax: number): Turns {
  let busy = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (busy >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy++
    try {
      return await work()
    } finally {
      // The place is handed on as it is, so that nobody who comes in between can take it.
      const next = waiting.shift()
      if (next) next()
      else busy--
    }
  }
}
