/*
 * An event that a peer posted over HTTP, as its kind has read it. The peer posts an event again until it is answered:
 * Chappe keeps the event as it came, answers, and applies it later, once.
 */

interface Happening {
  /** The same every time that the event is posted. */
  eventId: string
  /** E.164 with `+`; empty when the event names none. */
  phone: string
  agentId: string
  at: Date
}

export type PostedEvent = Happening &
  (
    | { kind: 'delivered' | 'read'; messageId: string }
    /** Its time to live is over. It was revoked, or it is unknown whether it could be. */
    | { kind: 'expired' | 'expired-not-revoked'; messageId: string }
    | { kind: 'unsubscribe' }
    | { kind: 'subscribe' }
    /** `isTap`: the person tapped a choice that carries this text. */
    | { kind: 'reply'; text: string; isTap?: true }
    | { kind: 'other' }
  )

/** What became of an RCS message. */
export type RcsReport = Extract<PostedEvent, { messageId: string }>

/** An event as it came, to be kept. */
export interface KeptEvent {
  id: string
  body: string
}
