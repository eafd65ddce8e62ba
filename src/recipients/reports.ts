import { REPORTS, type Report, type Reported } from '../callbacks/callback.ts'
import type { Moved } from './move.ts'
import { RECIPIENT_STATES } from './recipient.ts'

/* Moves of recipients as reports for callbacks, in the terms of Kannel. */

const S = RECIPIENT_STATES

/** The reports of moves, for accounts that have asked for callbacks. */
export function toReports(moves: readonly Moved[], accountIds: ReadonlySet<number>): Reported[] {
  if (accountIds.size === 0) return []
  return moves.flatMap(({ accountId, messageId, position, from, to }) => {
    const report = accountIds.has(accountId) ? reportOf(from, to) : undefined
    return report === undefined ? [] : [{ accountId, messageId, position, report, state: to }]
  })
}

/** The report of a move; undefined for a move that ends nothing. A message that never left was refused. */
export function reportOf(from: number, to: number): Report | undefined {
  if (to === S.sent) return from === S.sent ? undefined : REPORTS.accepted
  if (to === S.delivered) return REPORTS.delivered
  if (to === S.failed || to === S.expired || to === S.rejected || to === S.stopped || to === S.cancelled) {
    return from === S.sent ? REPORTS.undelivered : REPORTS.refused
  }
  return undefined
}
