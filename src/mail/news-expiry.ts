import { databaseNowMs } from '../database/clock.ts'

const DAY_MS = 86_400_000

/** Until when a mail that only tells something may be sent: older news is of no use. */
export function newsExpiry(): Date {
  return new Date(databaseNowMs() + DAY_MS)
}
