/*
 * What a peer posts to us over HTTP, after its kind has read it. Such peers post again what they were not answered for: the
 * event is kept as it came before it is answered, and applied later, once.
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
    /** Its time to live is over: it was revoked, or nobody knows whether it could be. */
    | { kind: 'expired' | 'expired-not-revoked'; messageId: string }
    | { kind: 'unsubscribe' }
    | { kind: 'subscribe' }
    | { kind: 'reply'; text: string }
    | { kind: 'other' }
  )

/** What became of an RCS message. */
export type RcsReport = Extract<PostedEvent, { messageId: string }>

/** An event as it came, to be kept. */
export interface KeptEvent {
  id: string
  body: string
}
