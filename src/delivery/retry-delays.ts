import { backoffMs } from '../carriers/backoff.ts'
import type { ReturnedPosition } from './held-batch.ts'

/** The longest delay of a retry: a carrier that has recovered is noticed within this time. */
const DELAY_SECONDS_MAX = 300

/**
 * When the rest of a batch is due again, and its number of attempts. Each retry may wait longer. The delay is random, so that
 * messages that failed together do not come back together. Waiting for a turn is no attempt.
 */
export function toReturn(
  returned: readonly ReturnedPosition[],
  attempts: number,
  random = Math.random
): { attempts: number; delaySeconds: number } {
  const tried = returned.filter(({ isTried }) => isTried)
  const delays = returned.filter(({ isTried }) => !isTried).map(({ delaySeconds }) => delaySeconds)
  if (tried.length === 0) return { attempts, delaySeconds: Math.min(...delays) }
  const leastMs = 1000 * Math.min(...tried.map(({ delaySeconds }) => delaySeconds))
  // A longer delay that the carrier asks for is respected.
  const bounds = { minMs: leastMs, maxMs: Math.max(leastMs, DELAY_SECONDS_MAX * 1000) }
  return { attempts: attempts + 1, delaySeconds: Math.min(...delays, backoffMs(attempts + 1, bounds, random) / 1000) }
}
