import type { BackoffBounds } from '../backoff.ts'

/** Waits that the carriers file does not set. Tests shorten them. */
export interface RbmTimings {
  connectMs: number
  sendMs: number
  /** For one phone. Shorter than for the send that follows, whose answer says the same. */
  checkMs: number
  checkManyMs: number
  revokeMs: number
  tokenMs: number
  /** After a token that could not be had, and between trials of a platform that fails. */
  backoff: BackoffBounds
  /** After a key that was refused: it will be again, until a person does something. */
  refusedBackoff: BackoffBounds
  /** The most that a message waits for its turn; then the caller keeps it. */
  turnWaitMs: number
  /** The most that a list waits for its turn to be checked. */
  listWaitMs: number
  /** The most that a stop waits for answers. */
  stopMs: number
}

export const RBM_TIMINGS: RbmTimings = {
  connectMs: 5_000,
  sendMs: 15_000,
  checkMs: 5_000,
  checkManyMs: 60_000,
  revokeMs: 15_000,
  tokenMs: 10_000,
  backoff: { minMs: 1_000, maxMs: 60_000 },
  refusedBackoff: { minMs: 15_000, maxMs: 600_000 },
  turnWaitMs: 20_000,
  listWaitMs: 60_000,
  stopMs: 20_000
}
