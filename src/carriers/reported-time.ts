/** No platform that reports to us is older. */
const EARLIEST_MS = Date.UTC(2015, 0, 1)
const CLOCKS_APART_MS = 86_400_000

/** A moment that a peer reports; `receivedAt` where it is missing or impossible. */
export function reportedTime(ms: number, receivedAt: Date): Date {
  return ms >= EARLIEST_MS && ms <= receivedAt.getTime() + CLOCKS_APART_MS ? new Date(ms) : receivedAt
}
