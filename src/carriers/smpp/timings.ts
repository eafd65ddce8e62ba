import type { BackoffBounds } from '../backoff.ts'

/** Waits that the carriers file does not set. Tests shorten them. */
export interface SmppTimings {
  /** While all binds are other processes'. */
  claimEveryMs: number
  /** After a bind that failed. */
  backoff: BackoffBounds
  /** After a bind that will fail until a person does something: carriers lock out clients that insist. */
  refusedBackoff: BackoffBounds
  /** A bind that was up this long starts over with the shortest wait. */
  stableMs: number
  /** To connect, and again to bind. */
  openTimeoutMs: number
  unbindTimeoutMs: number
  lateAnswersMs: number
  /** A part that the carrier was too busy for is sent again after this. */
  partRetryMs: number
  /** The most that a message waits for its turn; then the caller keeps it. */
  queueWaitMs: number
  /** The most that the next part of a message waits for a carrier that is too busy. */
  partWaitMs: number
  /** A window that is full for this long, without an answer, is worth an alarm. */
  windowStallMs: number
}

export const SMPP_TIMINGS: SmppTimings = {
  claimEveryMs: 2_000,
  backoff: { minMs: 1_000, maxMs: 60_000 },
  refusedBackoff: { minMs: 60_000, maxMs: 600_000 },
  stableMs: 10_000,
  openTimeoutMs: 10_000,
  unbindTimeoutMs: 2_000,
  lateAnswersMs: 120_000,
  partRetryMs: 1_000,
  queueWaitMs: 20_000,
  partWaitMs: 60_000,
  windowStallMs: 5_000
}
