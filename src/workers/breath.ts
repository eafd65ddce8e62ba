import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long a loop may keep requests waiting. */
const HELD_MAX_MS = 20

/** For long loops: `await breathe()` lets requests run, if the loop has run for long enough. */
export function createBreath(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < HELD_MAX_MS) return undefined
    return nextTurn().then(() => {
      since = performance.now()
    })
  }
}
