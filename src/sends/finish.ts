/*
 * When a message has left: by the due times of its batches, the pace of the carrier, what waits before it, and the hours allowed for
 * marketing.
 */

export interface WaitingBatch {
  /** The way that it takes. */
  route: string
  dueAt: Date
  recipients: number
}

/** What waits on a way beside the message, of one account in one lane. */
export interface Queued {
  accountId: number
  lane: number
  recipients: number
}

export interface FinishOptions {
  now: Date
  /** How many segments or RCS a second its way takes; undefined when no limit is known. */
  perSecond: number | undefined
  /** Segments or RCS of each recipient. */
  perRecipient: number
  /** What leaves before it, in recipients of one segment each. */
  ahead: number
  /** The next allowed moment at or after a moment. */
  nextAllowed(from: Date): Date
}

/** About when the last of these batches, all of one way, has left. */
export function finishOf(batches: readonly WaitingBatch[], options: FinishOptions): Date {
  const { now, perSecond = Number.POSITIVE_INFINITY, perRecipient, ahead, nextAllowed } = options
  let at = now.getTime() + (ahead / perSecond) * 1000
  for (const { dueAt, recipients } of batches.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime())) {
    const beginsAt = nextAllowed(new Date(Math.max(at, dueAt.getTime()))).getTime()
    at = beginsAt + ((recipients * perRecipient) / perSecond) * 1000
  }
  return new Date(Math.ceil(at))
}

/**
 * How many recipients leave before so many of a message. The lane before its own goes first, and so does what its account has queued
 * already. Other accounts of its lane take turns with it: of each, no more leaves meanwhile than of the message.
 */
export function countAhead(
  queued: readonly Queued[],
  { accountId, lane, recipients }: { accountId: number; lane: number; recipients: number }
): number {
  return queued.reduce((sum, each) => {
    if (each.lane > lane) return sum
    const isBefore = each.lane < lane || each.accountId === accountId
    return sum + (isBefore ? each.recipients : Math.min(each.recipients, recipients))
  }, 0)
}
