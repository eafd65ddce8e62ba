import { backoffMs } from '../carriers/backoff.ts'
import type { Left } from './held-batch.ts'

/** The longest that a try is put off: a carrier that has recovered is noticed within this. */
const DELAY_SECONDS_MAX = 300

/**
 * When the rest of a batch is due again, and how often it was tried then. Each try may wait longer. The wait is random, so that
 * messages that failed together do not come back together. Waiting for a turn is no try.
 */
export function toReturn(
  left: readonly Left[],
  attempts: number,
  random = Math.random
): { attempts: number; delaySeconds: number } {
  const tried = left.filter(({ isTried }) => isTried)
  const delays = left.filter(({ isTried }) => !isTried).map(({ delaySeconds }) => delaySeconds)
  if (tried.length === 0) return { attempts, delaySeconds: Math.min(...delays) }
  const leastMs = 1000 * Math.min(...tried.map(({ delaySeconds }) => delaySeconds))
  // A delay that the carrier asks for is kept, also when it is longer.
  const bounds = { minMs: leastMs, maxMs: Math.max(leastMs, DELAY_SECONDS_MAX * 1000) }
  return { attempts: attempts + 1, delaySeconds: Math.min(...delays, backoffMs(attempts + 1, bounds, random) / 1000) }
}
