import type { Channel } from '../messages/message.ts'
import { RECIPIENT_STATES, type RecipientState } from './recipient.ts'
import type { Step } from './timeline.store.ts'

/*
 * The moves of a recipient, as values. `moveRecipients` carries them out with all their consequences. A recipient that
 * has left the starting state of its move stays as it is.
 */

export interface RecipientKey {
  accountId: number
  messageId: number
  position: number
}

interface BaseMove extends RecipientKey {
  /** Added to the timeline if the recipient moves. */
  step?: Step
}

/** A carrier accepted it: from waiting or submitting to sent. */
export interface SentMove extends BaseMove {
  kind: 'sent'
  /**
   * The channel that was submitted. After a fallback only the SMS can move the recipient; a late RCS answer does not.
   */
  channel: Channel
  carrier: string
  carrierMessageIds: readonly string[]
  /** Whether the credits of the whole message are spent already, so that none are left to settle. */
  isPaid?: boolean
}

/** It is unknown whether the carrier has it: from waiting or submitting to submitting. */
export interface InDoubtMove extends BaseMove {
  kind: 'in-doubt'
}

/**
 * A delivery report of an SMS, or its absence, ends the recipient: from sent. A late rejection by the carrier is
 * refunded.
 */
export interface ReportedMove extends BaseMove {
  kind: 'reported'
  to: RecipientState
  at: Date
  /** The status word of the carrier. */
  receipt: string
  errorCode: string
  /** The carrier that reported it, and since when it had the message; undefined for a report that never came. */
  origin?: { carrier: string; submittedAtMs: number }
}

/** A report of the RCS platform: from sent to delivered or read, or from delivered to read. */
export interface RcsReportedMove extends BaseMove {
  kind: 'rcs-reported'
  from: RecipientState
  to: RecipientState
  deliveredAt: Date
  /** Used only when `to` is read. */
  readAt: Date
  /** The status word of the platform. */
  receipt: string
}

/** A decision other than a report: the recipient ends, or waits again. */
export interface DecidedMove extends BaseMove {
  kind: 'decided'
  /** `open` is waiting or submitting. */
  from: RecipientState | 'open'
  to: RecipientState
  errorCode: string | null
  refund: Refund
}

/** Which credits are refunded: all, none, or those of the segments that the carrier did not accept. */
export type Refund = 'all' | 'none' | { takenSegments: number }

/** How a recipient ends that must not be sent to any more. */
export type Ending = 'stopped' | 'expired'

/**
 * A waiting recipient that must not be sent to any more; its credits are refunded. The platform may already have its
 * RCS, although no answer came. Then the recipient counts as sent first, the RCS is revoked, and the recipient ends
 * when the platform confirms that.
 */
export interface DroppedMove extends BaseMove {
  kind: 'dropped'
  ending: Ending
}

/** An RCS of a cancelled message that the platform may have: from waiting to sent, so that it is revoked. */
export interface WithdrawnMove extends BaseMove {
  kind: 'withdrawn'
}

/**
 * The RCS does not arrive: the recipient waits to leave as SMS, which is charged. The caller has locked the recipient.
 */
export interface FellBackMove extends BaseMove {
  kind: 'fell-back'
  from: RecipientState
  /** The credits of the RCS, which are refunded. */
  rcsCredits: number
  country: string
  sms: { segments: number; credits: number }
}

/** The RCS arrived while its SMS was queued, and is charged again. The caller has locked the recipient. */
export interface ArrivedMove extends BaseMove {
  kind: 'arrived'
  to: RecipientState
  deliveredAt: Date
  readAt: Date
  receipt: string
  carrier: string
  carrierMessageId: string
  /** The credits of the RCS. */
  rcsCredits: number
  /** The SMS that does not leave, and whose credits are refunded. */
  sms: { segments: number; credits: number }
}

export type Move =
  | SentMove
  | InDoubtMove
  | ReportedMove
  | RcsReportedMove
  | DecidedMove
  | DroppedMove
  | WithdrawnMove
  | FellBackMove
  | ArrivedMove

export type MoveOf<K extends Move['kind']> = Extract<Move, { kind: K }>

/** A recipient that has moved. */
export interface Moved extends RecipientKey {
  from: number
  to: number
}

/** The final state of an ending. */
export function endingMove(ending: Ending): Pick<DecidedMove, 'to' | 'errorCode'> {
  return ending === 'stopped'
    ? { to: RECIPIENT_STATES.stopped, errorCode: null }
    : { to: RECIPIENT_STATES.expired, errorCode: 'expired' }
}

export function keyOf({ accountId, messageId, position }: RecipientKey): RecipientKey {
  return { accountId, messageId, position }
}

/** The order in which every transaction takes recipients, so that two of them do not deadlock. */
export function compareKeys(a: RecipientKey, b: RecipientKey): number {
  return a.accountId - b.accountId || a.messageId - b.messageId || a.position - b.position
}
