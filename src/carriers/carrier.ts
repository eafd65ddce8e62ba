import type { RcsContent } from '../rcs/rcs-content.ts'
import type { KeptEvent, PostedEvent, RcsReport } from './posted-event.ts'

/*
 * What a carrier is to the rest of the service: it takes a message and tells what became of it, and later reports receipts
 * and replies. It knows nothing of accounts, credits and tables; what must be stored, it hands to the functions it is given.
 */

/** One message to one phone. */
export interface OutboundMessage {
  /** Ours: the same for every attempt at the same recipient. */
  reference: number
  from: string
  /** E.164, with `+`. */
  to: string
  /** Empty when it goes by RCS. */
  text: string
  /** What the phone shows, when it goes by RCS. */
  rcs?: RcsContent
  /** Whether it advertises something: platforms of RCS ask. */
  isMarketing?: boolean
  /** From then on it must not leave any more. */
  expiresAt: Date
}

/** `carrierMessageIds` are as the carrier wrote them, one for each segment it took, in their order. */
export type SubmitOutcome =
  | { kind: 'accepted'; carrierMessageIds: string[] }
  /**
   * Nothing of it was taken; it is nobody's fault but the moment's. `mayBeThere`: it may have been taken after all, by a
   * carrier to which a repeat does no harm. `isUntried`: it was not sent at all, since it was not its turn.
   */
  | { kind: 'retry'; reason: string; delaySeconds: number; mayBeThere?: boolean; isUntried?: boolean }
  /** Refused for good. Of several segments, some may have been taken before one was refused; the rest were not sent. */
  | { kind: 'rejected'; reason: string; carrierMessageIds: string[] }
  /** This phone can't be reached this way, or not with this: RCS falls back to SMS. Nothing of it was taken. */
  | { kind: 'unreachable'; reason: string }
  /** Its time was over before it could leave; nothing of it was sent. */
  | { kind: 'expired' }
  /** The peer may have it: never send again blindly. */
  | { kind: 'in-doubt'; reason: string }

export interface Carrier {
  readonly name: string
  /** How many segments may be on their way at once over what is up now; 0 while it can't take any. */
  readonly capacity: number
  /** How many submits a second may leave from here now; null is no limit. */
  readonly pacePerSecond: number | null
  /** Settles within a deadline of its own, whatever the peer does. Never rejects. */
  submit(message: OutboundMessage): Promise<SubmitOutcome>
  status(): CarrierStatus
  /** Takes no more, waits for the answers that are due, unbinds and closes. */
  stop(): Promise<void>
  /** Takes back a message that is not delivered. Settles within a deadline of its own. Never rejects. */
  revoke?(message: Pick<OutboundMessage, 'reference' | 'to'>): Promise<RevokeOutcome>
  /**
   * Which of these phones can do RCS, as it is known or as the platform says now; asked in bulk where it takes that. What it
   * says is kept for later. Rejects when it can't be asked.
   */
  findCapable?(phones: readonly string[]): Promise<Set<string>>
}

export type RevokeOutcome =
  | { kind: 'revoked' }
  /** The platform does not have it to revoke: it is delivered, as far as it knows. */
  | { kind: 'too-late' }
  | { kind: 'retry'; reason: string; delaySeconds: number }

/** What the platform said of phones, kept for all processes. */
export interface CapabilityCache {
  /** Those that are known, and not too long ago. */
  find(carrier: string, phones: readonly string[]): Promise<Map<string, boolean>>
  store(carrier: string, known: ReadonlyMap<string, boolean>): Promise<void>
}

/** How a carrier is doing in this process, for people. */
export interface CarrierStatus {
  isUp: boolean
  binds: BindStatus[]
  /** Of a carrier that has no binds. */
  traffic?: TrafficStatus
}

/** How a carrier without binds is doing in one process. */
export interface TrafficStatus {
  /** Messages that were handed over and have no outcome yet. */
  inFlight: number
  capacity: number
  /** In the last ten seconds, per second. */
  submitsPerSecond: number
  /** What the platform lets us send now, per second; null is no limit. */
  pacePerSecond: number | null
  lastError: { at: Date; message: string } | null
}

export interface BindStatus {
  /** From 1; each is bound by one process of the cluster at a time. */
  slot: number
  state: 'connecting' | 'binding' | 'bound' | 'waiting' | 'unbinding'
  /** For a pair of a transmitter and a receiver, that of the worse of the two. */
  mode: 'transceiver' | 'transmitter+receiver'
  window: number
  windowUsed: number
  /** Submits and answers in the last ten seconds, per second. */
  submitsPerSecond: number
  /** What the carrier lets us send now, per second: lower than it was asked to be while it throttles; null is no limit. */
  pacePerSecond: number | null
  boundAt: Date | null
  /** Since when its window has been full without an answer; null while answers come. */
  stalledSince: Date | null
  lastError: { at: Date; message: string } | null
  /** It could not bind and waits before it tries again: another process may have better luck, and may take the slot. */
  isOffered: boolean
}

/**
 * Where everything enters that a peer tells us unasked, whatever it speaks. Each function settles once the news is stored;
 * only then the peer is answered. A receipt is applied before that. A posted event is only kept before that, since its peer
 * posts it again for days, and is applied later, once.
 */
export interface CarrierInbound {
  /** The peer says what became of a submission. */
  onReport(report: Receipt | PostedReport): Promise<void>
  /** A person wrote, or opted out. */
  onReply(reply: InboundMessage | PostedReply): Promise<void>
  /** The peer posted what nothing follows from. It is kept, if it can be read, so that its repeats are known. */
  onNotice(notice: PostedNotice): Promise<void>
}

export interface CarrierEvents extends Pick<CarrierInbound, 'onReport' | 'onReply'> {
  /** The answer to a submit that was given up as in doubt came after all. */
  onLateOutcome(reference: number, outcome: SubmitOutcome): void
  /** It went up or down, or its capacity changed. */
  onChange(): void
}

export type ReceiptState = 'delivered' | 'failed' | 'expired' | 'rejected' | 'unknown'

/** The carrier's later word on a segment it took. */
export interface Receipt {
  carrier: string
  /** As the carrier wrote it; empty when it named none. */
  carrierMessageId: string
  state: ReceiptState
  /** The carrier's own word for the state, and its error code; empty when there is none. */
  word: string
  errorCode: string
  /** The numbers it names, as the carrier wrote them: one of them is the phone. */
  source: string
  destination: string
  /** When it happened, if the carrier says so, else when it came. */
  at: Date
}

/** A message, or one segment of it, that came in. */
export interface InboundMessage {
  carrier: string
  /** As the carrier wrote them, with or without `+`. */
  from: string
  to: string
  /** May end in half a surrogate pair when it is a segment. */
  text: string
  segment?: { reference: number; position: number; total: number }
  /** By RCS, if it says so; else by SMS. */
  channel?: 'rcs'
}

/** A report on an RCS, with the event that it came in. */
export type PostedReport = RcsReport & { carrier: string; kept: KeptEvent }

/** What a person wrote or did, with the event that it came in. */
export type PostedReply = Extract<PostedEvent, { kind: 'reply' | 'unsubscribe' }> & { carrier: string; kept: KeptEvent }

export type PostedNotice =
  | { carrier: string; kind: 'subscribe' | 'other'; kept: KeptEvent }
  /** It is not what the kind's events are made of. It is left out: it would be no better the next time. */
  | { carrier: string; kind: 'unreadable' }

/** Cluster-wide limits, which carriers do not keep themselves. */
export interface CarrierLimits {
  /**
   * Asks for `wanted` submits within the carrier's throughput; when none is free, says how long to wait. Those of the next
   * `aheadMs` can be reserved: then `ready` says how many of the granted ones may leave at once, and the others follow at
   * `perSecond`. It is below zero when the first has to wait.
   */
  takeThroughput(
    carrier: string,
    perSecond: number,
    wanted: number,
    aheadMs?: number
  ): Promise<{ granted: number; ready?: number; waitMs: number }>
  leases: BindLeases
}

/** Who may hold which bind. A lease that is not renewed in time is somebody else's. */
export interface BindLeases {
  /**
   * A free slot of 1 to `slots`, if there is one, and for how long it is ours; also one that another process offers, unless
   * only those that nobody holds are wanted.
   */
  claim(carrier: string, slots: number, options: { isOfferedWanted: boolean }): Promise<BindLease | undefined>
  /** False when it is lost. Stores how the bind is doing for everybody to see. */
  renew(carrier: string, lease: BindLease, status: BindStatus): Promise<boolean>
  release(carrier: string, lease: BindLease): Promise<void>
}

export interface BindLease {
  slot: number
  /** Grows with every claim of the slot: an older holder is told apart by it. */
  token: number
  leaseMs: number
}
