import type { Static } from 'typebox'
import type { Message, SmsRecipientView } from '../messages/message.ts'

/*
 * Where a recipient is. The numbers are those of `deliver` in the API; `submitting` is ours alone, and shown as
 * waiting: it is on its way to a carrier, and no longer to be cancelled.
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
  /** Of an SMS message its own text, null if it is the message's; of an RCS message the values of its variables (rcs-recipient.ts). */
  content: string | null
  errorCode: string | null
  /** Null is the message's own; `sms` once an RCS fell back. */
  channel: 'sms' | null
  sentAt: Date | null
  deliveredAt: Date | null
  readAt: Date | null
}

/** A message has fewer recipients than this, so that its id and a position make one number. */
export const POSITIONS = 2 ** 20

/** A recipient's id: unique in the whole service, and in the order they were given. */
export function toRecipientId({ messageId, position }: { messageId: number; position: number }): number {
  return messageId * POSITIONS + position
}

export function fromRecipientId(id: number): { messageId: number; position: number } {
  return { messageId: Math.floor(id / POSITIONS), position: id % POSITIONS }
}

/** What `deliver` shows of a state. */
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

/** What SMS and RCS recipients have in common; `content` is the text this one got. */
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
