import type { Channel } from '../messages/message.ts'
import { RECIPIENT_STATES, type RecipientState } from './recipient.ts'
import type { Step } from './timeline.store.ts'

/*
 * What can happen to a recipient, as a value. `moveRecipients` carries it out with all that follows. A recipient that is no longer
 * where its move begins stays as it is.
 */

export interface RecipientKey {
  accountId: number
  messageId: number
  position: number
}

interface BaseMove extends RecipientKey {
  /** Noted on the timeline if the recipient moves. */
  step?: Step
}

/** A carrier took it: from waiting or submitting to sent. */
export interface SentMove extends BaseMove {
  kind: 'sent'
  /** An RCS does not move after its fallback: from then on only an SMS is sent. */
  channel: Channel
  carrier: string
  carrierMessageIds: readonly string[]
}

/** It is unknown whether the carrier has it: from waiting or submitting to submitting. */
export interface InDoubtMove extends BaseMove {
  kind: 'in-doubt'
}

/** A delivery report of an SMS, or its absence, ends it: from sent. What a carrier rejects after all is refunded. */
export interface ReportedMove extends BaseMove {
  kind: 'reported'
  to: RecipientState
  at: Date
  /** The carrier's own word. */
  receipt: string
  errorCode: string
}

/** A report of the RCS platform: from sent to delivered or read, or from delivered to read. */
export interface RcsReportedMove extends BaseMove {
  kind: 'rcs-reported'
  from: RecipientState
  to: RecipientState
  deliveredAt: Date
  /** Counts only if it is read. */
  readAt: Date
  /** The platform's own word. */
  receipt: string
}

/** Something else than a report decides: it ends, or waits again. */
export interface DecidedMove extends BaseMove {
  kind: 'decided'
  /** `open` is waiting or submitting. */
  from: RecipientState | 'open'
  to: RecipientState
  errorCode: string | null
  refund: Refund
}

/** Which of its credits come back: all, none, or those of the segments that the carrier did not take. */
export type Refund = 'all' | 'none' | { takenSegments: number }

/** How a recipient ends that is not to be sent to any more. */
export type Ending = 'stopped' | 'expired'

/**
 * It waits and is not to be sent to any more; its credits come back. An RCS that the platform may have, although no answer came,
 * counts as sent first: it is revoked, and the recipient ends when the platform has confirmed that.
 */
export interface DroppedMove extends BaseMove {
  kind: 'dropped'
  ending: Ending
}

/** An RCS of a cancelled message that the platform may have: from waiting to sent, to be revoked. */
export interface WithdrawnMove extends BaseMove {
  kind: 'withdrawn'
}

/** Its RCS does not arrive: it waits to leave as SMS, which is paid for. The recipient is locked. */
export interface FellBackMove extends BaseMove {
  kind: 'fell-back'
  from: RecipientState
  /** The credits of its RCS, which come back. */
  rcsCredits: number
  sms: { segments: number; credits: number }
}

/** Its RCS arrived while its SMS was queued, and is paid for again. The recipient is locked. */
export interface ArrivedMove extends BaseMove {
  kind: 'arrived'
  to: RecipientState
  deliveredAt: Date
  readAt: Date
  receipt: string
  carrier: string
  carrierMessageId: string
  /** The credits of its RCS. */
  rcsCredits: number
  /** The SMS that does not leave, and whose credits come back. */
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

/** Where an ending leads. */
export function endingMove(ending: Ending): Pick<DecidedMove, 'to' | 'errorCode'> {
  return ending === 'stopped'
    ? { to: RECIPIENT_STATES.stopped, errorCode: null }
    : { to: RECIPIENT_STATES.expired, errorCode: 'expired' }
}

export function keyOf({ accountId, messageId, position }: RecipientKey): RecipientKey {
  return { accountId, messageId, position }
}
