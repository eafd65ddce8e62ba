/*
 * What a carrier is to the rest of the service: it takes a message and tells what became of it, and later reports receipts
 * and replies. It knows nothing of accounts, credits and tables.
 */

/** One message to one phone. */
export interface OutboundMessage {
  /** Ours: the same for every attempt at the same recipient. */
  reference: number
  from: string
  /** E.164, with `+`. */
  to: string
  text: string
}

export type SubmitOutcome =
  | { kind: 'accepted'; carrierMessageId: string }
  | { kind: 'retry'; reason: string; delaySeconds: number }
  | { kind: 'rejected'; reason: string }
  | { kind: 'in-doubt'; reason: string } // The peer may have it: never send again blindly.

export interface Carrier {
  name: string
  /** Settles within a deadline of its own, whatever the peer does. */
  submit(message: OutboundMessage): Promise<SubmitOutcome>
}

/** The carrier's later word on a message it took. */
export interface Receipt {
  carrier: string
  carrierMessageId: string
  state: 'delivered' | 'failed' | 'expired' | 'rejected' | 'unknown'
  /** The carrier's own words. */
  text: string
  at: Date
}

/** A message that came in. */
export interface InboundMessage {
  carrier: string
  from: string
  to: string
  text: string
  at: Date
}
