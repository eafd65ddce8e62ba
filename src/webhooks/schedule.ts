import type { PostResult } from './post.ts'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3_600
const DAY_MS = 86_400_000

/** How long to wait after each attempt that failed: eleven attempts in a little over three days. */
const RETRY_DELAYS_SECONDS: readonly number[] = [
  5,
  30,
  5 * MINUTE_SECONDS,
  30 * MINUTE_SECONDS,
  2 * HOUR_SECONDS,
  5 * HOUR_SECONDS,
  10 * HOUR_SECONDS,
  14 * HOUR_SECONDS,
  20 * HOUR_SECONDS,
  24 * HOUR_SECONDS
]
// Deliveries that failed together must not come back together: the receiver would fall over again.
const JITTER = 0.1
const FAILING_MAX_MS = 5 * DAY_MS

/**
 * Seconds to wait after the attempt of this number (from 1) failed; undefined when it was the last. A receiver may ask
 * for more (`retry-after`), not for less.
 */
export function delayAfter(
  attempt: number,
  {
    random = Math.random,
    retryAfterSeconds = 0
  }: { random?: () => number; retryAfterSeconds?: number | undefined } = {}
): number | undefined {
  const delaySeconds = RETRY_DELAYS_SECONDS[attempt - 1]
  if (delaySeconds === undefined) return undefined
  const jitter = 1 + JITTER * (2 * random() - 1)
  return Math.max(delaySeconds * jitter, retryAfterSeconds)
}

/** Whether a webhook is disabled because nothing has succeeded for five days: `firstFailureAt` is since the last success. */
export function isGivenUp({ firstFailureAt, now }: { firstFailureAt: Date; now: Date }): boolean {
  return now.getTime() - firstFailureAt.getTime() >= FAILING_MAX_MS
}

/** `gone` disables the webhook at once. A redirect is a failure: it is not followed. */
export function meaningOf(result: PostResult): 'succeeded' | 'retry' | 'gone' {
  if (result.kind === 'failed') return 'retry'
  if (result.status >= 200 && result.status < 300) return 'succeeded'
  return result.status === 410 ? 'gone' : 'retry'
}
