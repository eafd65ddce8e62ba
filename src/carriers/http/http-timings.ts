import type { BackoffBounds } from '../backoff.ts'

/** Waits that the carriers file does not set. Tests shorten them. */
export interface HttpTimings {
  connectMs: number
  /** How long an unused connection is kept. */
  idleMs: number
  /** Before the first repeat of a request that got no answer; before the second, twice as long. */
  repeatMs: number
  /** Between trials of a provider that fails. */
  backoff: BackoffBounds
  /** The most that a message waits for its turn; then the caller keeps it. */
  turnWaitMs: number
  /** The most that a stop waits for answers. */
  stopMs: number
}

export const HTTP_TIMINGS: HttpTimings = {
  connectMs: 5_000,
  // Common servers close an idle connection after 5 s and more. A request on a closing connection would be in doubt.
  idleMs: 4_000,
  repeatMs: 500,
  backoff: { minMs: 1_000, maxMs: 60_000 },
  turnWaitMs: 20_000,
  stopMs: 20_000
}
