/** How long to wait after each failure in a row. */
export interface BackoffBounds {
  minMs: number
  maxMs: number
}

/**
 * Anything between the minimum and a limit that doubles with each failure: processes that failed together do not come
 * back together. `failures` is 1 after the first.
 */
export function backoffMs(failures: number, { minMs, maxMs }: BackoffBounds, random = Math.random): number {
  const limitMs = Math.min(maxMs, minMs * 2 ** Math.min(failures, 30))
  return minMs + random() * (limitMs - minMs)
}
