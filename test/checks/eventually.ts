import { setTimeout as sleep } from 'node:timers/promises'

/** A deadline is for what never comes true. `withinMs` is meant for an idle machine; a busy one gets so many times as long. */
const BUSY_TIMES = 5

/** Repeats a check until it passes, or fails with its last error at the deadline. */
export async function eventually<T>(check: () => Promise<T> | T, { withinMs = 10_000, everyMs = 20 } = {}): Promise<T> {
  const deadline = Date.now() + withinMs * BUSY_TIMES
  while (true) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(everyMs)
    }
  }
}
