import type { ConfiguredCarrier } from '../carriers/kind.ts'
import type { RcsCard, RcsCarousel, RcsChoice } from '../rcs/rcs-content.ts'

/** The phones behind the sandbox carriers, which the simulator runs. */
export interface SandboxPhones {
  /** The carriers through which they are reached, one for each channel. */
  carriers: readonly ConfiguredCarrier[]
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
  /** As the carrier answered them, one for each segment; for an RCS, the id that we gave it. */
  carrierMessageIds: string[]
  receivedAt: Date
}
