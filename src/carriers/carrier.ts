import type { CarriedOptions } from '../messages/options.ts'
import type { RcsContent } from '../rcs/rcs-content.ts'
import type { RedactedPdu } from '../smpp/redact-pdu.ts'
import type { KeptEvent, PostedEvent, RcsReport } from './posted-event.ts'

/*
 * What a carrier is to the rest of the service. It takes a message and answers with an outcome; later it reports
 * receipts and replies. It knows nothing of accounts, credits and tables: it hands everything that must be stored to
 * CarrierInbound.
 */

/** One message to one phone. */
export interface OutboundMessage extends CarriedOptions {
  /** Ours: the same for every attempt at the same recipient. */
  reference: number
  from: string
  /** E.164, with `+`. */
  to: string
  /** Empty when it goes by RCS, or is binary. */
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
   * The peer did not take it, for a reason that passes. `mayBeThere`: the peer may have taken it after all, but a
   * repeat arrives once. `isUntried`: it was not sent at all, since it was not its turn.
   */
  | { kind: 'retry'; reason: string; delaySeconds: number; mayBeThere?: boolean; isUntried?: boolean }
  /** Refused for good. The peer may have taken some segments before it refused one; the rest were not sent. */
  | { kind: 'rejected'; reason: string; carrierMessageIds: string[] }
  /**
   * This phone can't be reached this way, or can't show this content: an RCS falls back to SMS. `isAgentMissing`: the
   * account may not use the agent.
   */
  | { kind: 'unreachable'; reason: string; isAgentMissing?: boolean }
  /** It expired before it could be sent. */
  | { kind: 'expired' }
  /** The peer may have it: never send again blindly. */
  | { kind: 'in-doubt'; reason: string }

export interface Carrier {
  readonly name: string
  /** How many messages may be unanswered at once over the links that are up; 0 while there are none. */
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
   * Which of these phones can do RCS, by the cache or else by the platform, asked in bulk where it allows that. Its
   * answers go into the cache. Rejects when the platform can't be asked.
   */
  findCapable?(phones: readonly string[]): Promise<Set<string>>
  /** Messages to these phones come soon: what is to be known of them can be asked for together. */
  foresee?(phones: readonly string[]): void
}

/** A carrier with binds, of which the last PDUs can be seen. */
export interface BoundCarrier extends Carrier {
  /**
   * Each bind keeps its last PDUs for so long, without texts, passwords and whole numbers. It ends by itself, also when
   * nobody calls again. 0 ends it, and forgets the PDUs.
   */
  capturePdus(forMs: number): void
  /** What the binds of this process keep; none while nothing is captured. */
  listCaptured(): CapturedBind[]
}

export function isBoundCarrier(carrier: Carrier): carrier is BoundCarrier {
  return 'capturePdus' in carrier
}

export interface CapturedBind {
  slot: number
  /** Oldest first. */
  pdus: RedactedPdu[]
  /** How many there were since it began; the oldest of them are forgotten. */
  seen: number
}

export type RevokeOutcome =
  | { kind: 'revoked' }
  /** The platform does not have it to revoke: it is delivered, as far as it knows. */
  | { kind: 'too-late' }
  | { kind: 'retry'; reason: string; delaySeconds: number }

/** The platform's answers about phones, shared by all processes. */
export interface CapabilityCache {
  /** Only answers that are recent enough. */
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
  /**
   * What the carrier lets us send now, per second: lower than it was asked to be while it throttles; null is no limit.
   */
  pacePerSecond: number | null
  boundAt: Date | null
  /** Since when its window has been full without an answer; null while answers come. */
  stalledSince: Date | null
  lastError: { at: Date; message: string } | null
  /** It could not bind and waits before it tries again: another process may have better luck, and may take the slot. */
  isOffered: boolean
}

/**
 * Where everything enters that a peer tells us unasked, whatever it speaks. Each function settles once the news is
 * stored; only then the peer is answered. A receipt is applied before that. A posted event is only kept before that,
 * since its peer posts it again for days, and is applied later, once.
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
  /** The answer to a submit that was given up as in doubt came after all. A later submit may be in doubt by now. */
  onLateOutcome(reference: number, outcome: SubmitOutcome, submittedAt: Date): void
  /** It went up or down, or its capacity changed. */
  onChange(): void
}

export type ReceiptState = 'delivered' | 'failed' | 'expired' | 'rejected' | 'unknown'

/** A delivery report on a segment that the carrier took. */
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
  /** The carrier's own id of it, where it has one: a message that comes again under its id is left out. */
  id?: string
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
   * Asks for `wanted` submits within the carrier's throughput; when none is free, says how long to wait. Submits of the
   * next `aheadMs` can be reserved: `ready` says how many of the granted may leave at once, and the others follow at
   * `perSecond`. `ready` is below zero when the first has to wait.
   */
  takeThroughput(
    carrier: string,
    perSecond: number,
    wanted: number,
    aheadMs?: number
  ): Promise<{ granted: number; ready?: number; waitMs: number }>
  leases: BindLeases
}

/** Which process holds which bind. A lease that is not renewed in time goes to another process. */
export interface BindLeases {
  /**
   * A free slot of 1 to `slots`, if there is one, with its lease. With `isOfferedWanted`, also a slot that another
   * process holds and offers. With `isShareWanted`, a process that holds too many is asked for one if none is free.
   */
  claim(
    carrier: string,
    slots: number,
    options: { isOfferedWanted: boolean; isShareWanted: boolean }
  ): Promise<BindLease | undefined>
  /** Undefined when it is lost. Stores how the bind is doing for everybody to see. */
  renew(carrier: string, lease: BindLease, status: BindStatus): Promise<{ isAskedFor: boolean } | undefined>
  release(carrier: string, lease: BindLease): Promise<void>
}

export interface BindLease {
  slot: number
  /** Grows with every claim of the slot: the token of an earlier holder no longer counts. */
  token: number
  leaseMs: number
}
