import type { RcsCard, RcsCarousel, RcsChoice } from '../rcs/rcs-content.ts'

/** The phones behind the sandbox carriers. What they are made of is the simulator's business. */
export interface SandboxPhones {
  /** The carrier through which they are reached by SMS. */
  carrier: string
  /** With which ids of RCS messages are made. */
  rcsCarrier: { name: string; webhookToken: string } | undefined
  /** Newest first. */
  inboxOf(number: string): PhoneMessage[]
  /** Throws when no carrier is there to take it. */
  reply(reply: { from: string; to: string; content: string }): void
}

export interface PhoneMessage {
  channel: 'sms' | 'rcs'
  from: string
  content: string
  card?: RcsCard
  carousel?: RcsCarousel
  choices?: RcsChoice[]
  /** As the carrier answered them, one for each segment; of an RCS the one that we gave it. */
  carrierMessageIds: string[]
  receivedAt: Date
}
