import type { Static } from 'typebox'
import type { Channel, Message } from '../messages/message.ts'
import type { SmsRecipientView } from './recipient-view.ts'

/*
 * The states of a recipient. The numbers are those of `deliver` in the API. `submitting` is internal, and shown as
 * waiting: the message is on its way to a carrier, and can no longer be cancelled.
 *
 *   waiting ⇄ submitting → sent → delivered → read
 *
 * From `waiting` and `submitting` a recipient can end as rejected, expired, failed, stopped or cancelled. From `sent`
 * it can end likewise, by a delivery report or by a revocation of its RCS. A fallback moves a recipient from any of the
 * three to `waiting`: it waits to leave as SMS. An RCS that arrives while that SMS waits moves it from `waiting` to
 * delivered or read.
 */
export const RECIPIENT_STATES = {
  waiting: 0,
  delivered: 1,
  sent: 2,
  failed: 3,
  expired: 4,
  rejected: 5,
  cancelled: 6,
  stopped: 7,
  read: 8,
  submitting: 9
} as const

export type RecipientState = (typeof RECIPIENT_STATES)[keyof typeof RECIPIENT_STATES]

const S = RECIPIENT_STATES
const NEXT_STATES: Readonly<Record<number, readonly number[]>> = {
  [S.waiting]: [
    S.waiting,
    S.submitting,
    S.sent,
    S.delivered,
    S.read,
    S.failed,
    S.expired,
    S.rejected,
    S.cancelled,
    S.stopped
  ],
  [S.submitting]: [S.submitting, S.waiting, S.sent, S.failed, S.expired, S.rejected, S.cancelled, S.stopped],
  [S.sent]: [S.waiting, S.delivered, S.read, S.failed, S.expired, S.rejected, S.cancelled, S.stopped],
  [S.delivered]: [S.read]
}

/** Whether a recipient may go from one state to another; all other states are final. */
export function canMove(from: number, to: number): boolean {
  return NEXT_STATES[from]?.includes(to) === true
}

export const LABELS: Record<string, string> = Object.fromEntries(
  Object.entries(RECIPIENT_STATES).map(([label, state]) => [state, label])
)

/** A row of `recipients`. */
export interface Recipient {
  messageId: number
  position: number
  state: number
  segments: number
  credits: number
  country: string
  phone: string
  /**
   * Of an SMS message the recipient's own text; null if it is the message's text. Of an RCS message the values of its
   * variables (rcs-recipient.ts).
   */
  content: string | null
  errorCode: string | null
  /** Null: the channel of the message. `sms` after a fallback. */
  channel: 'sms' | null
  sentAt: Date | null
  deliveredAt: Date | null
  readAt: Date | null
}

/** Whether a fallback SMS replaced its RCS. */
export function fellBack({ channel }: Pick<Recipient, 'channel'>): boolean {
  return channel !== null
}

/** The channel by which a recipient is reached now. */
export function channelOf(recipient: Pick<Recipient, 'channel'>, message: Pick<Message, 'channel'>): Channel {
  return recipient.channel ?? message.channel
}

/** A message has fewer recipients than this, so its id and a position make one number. */
export const POSITIONS = 2 ** 20

/** A recipient's id: unique in the whole installation, and in the order of the request. */
export function toRecipientId({ messageId, position }: { messageId: number; position: number }): number {
  return messageId * POSITIONS + position
}

export function fromRecipientId(id: number): { messageId: number; position: number } {
  return { messageId: Math.floor(id / POSITIONS), position: id % POSITIONS }
}

/** The `deliver` that shows a state. */
export function toDeliver(state: number, message: Pick<Message, 'state'>): number {
  const shown = state === RECIPIENT_STATES.submitting ? RECIPIENT_STATES.waiting : state
  return state === RECIPIENT_STATES.waiting && message.state === 'cancelled' ? RECIPIENT_STATES.cancelled : shown
}

/** The states that show as this `deliver`. */
export function statesShownAs(deliver: number, message: Pick<Message, 'state'>): number[] {
  return Object.values(RECIPIENT_STATES).filter((state) => toDeliver(state, message) === deliver)
}

export function toSmsRecipientView(
  recipient: Recipient,
  message: Pick<Message, 'state' | 'content'>
): Static<typeof SmsRecipientView> {
  return toRecipientFields(recipient, message, recipient.content ?? message.content)
}

/** The fields that SMS and RCS recipients share; `content` is the text that this recipient got. */
export function toRecipientFields(
  recipient: Recipient,
  message: Pick<Message, 'state'>,
  content: string
): Static<typeof SmsRecipientView> {
  const deliver = toDeliver(recipient.state, message)
  return {
    id: toRecipientId(recipient),
    recipient: recipient.phone,
    credits_required: recipient.credits,
    country_code: recipient.country,
    deliver,
    deliver_label: LABELS[deliver] ?? '',
    errorcode: recipient.errorCode ?? '',
    content,
    sent_at: recipient.sentAt?.toISOString() ?? null,
    delivered_at: recipient.deliveredAt?.toISOString() ?? null
  }
}
