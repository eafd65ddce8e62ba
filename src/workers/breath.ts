import { setImmediate as nextTurn } from 'node:timers/promises'

/** Nobody's request waits longer than this for a loop of ours. */
const HELD_MAX_MS = 20

/** For long loops: `await breathe()` now and then lets others run, if it has been long enough. */
export function createBreath(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < HELD_MAX_MS) return undefined
    return nextTurn().then(() => {
      since = performance.now()
    })
  }
}
