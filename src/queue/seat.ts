import type { CarriedOptions } from '../messages/options.ts'
import type { TraceContext } from '../traces/trace-context.ts'

/*
 * Few recipients that are due at once need not wait in the queue. A carrier of this process that has room keeps a seat for
 * them. Their batch is then stored as one that the carrier's dispatcher holds and is submitting, in the transaction that
 * accepts the message. After the commit they leave, without a claim and without being read again. If the process dies
 * before it has stored their outcome, the batch is found like any other whose holder died.
 */

export interface Seats {
  /** Keeps room with the carrier that serves the route. Undefined when the recipients have to queue. */
  take(wanted: { route: string; lane: number; count: number }): Seat | undefined
}

/** The lease of a batch that is stored as being submitted. */
export interface SeatLease {
  leasedBy: string
  leaseSeconds: number
  carrier: string
}

/** Room for the recipients of one batch. */
export interface Seat {
  lease: SeatLease
  /** The batch is committed: its recipients leave. */
  leave(batch: SeatedBatch, recipients: readonly SeatedRecipient[]): void
  /** The recipients do not leave from here. If their batch is stored, or may be, it is queued. */
  giveUp(batch: Pick<SeatedBatch, 'accountId' | 'messageId'>, options: { mayBeStored: boolean }): void
}

export interface SeatedBatch {
  accountId: number
  messageId: number
  id: number
  lane: number
  route: string
  expiresAt: Date
  headStartSeconds: number | null
  /** Whether the credits of its message are spent already, since all recipients of the message have seats. */
  isPaid: boolean
  /** What its recipients carry besides the text; undefined: nothing. */
  carried?: CarriedOptions | undefined
  /** The context of its message's acceptance; null without traces. */
  trace: TraceContext | null
}

export interface SeatedRecipient {
  position: number
  from: string
  to: string
  /** Of the phone. */
  country: string
  text: string
}
