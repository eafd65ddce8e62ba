/** The phones behind the sandbox carriers. What they are made of is the simulator's business. */
export interface SandboxPhones {
  /** The carrier through which they are reached. */
  carrier: string
  /** Newest first. */
  inboxOf(number: string): PhoneMessage[]
  /** Throws when no carrier is there to take it. */
  reply(reply: { from: string; to: string; content: string }): void
}

export interface PhoneMessage {
  from: string
  content: string
  /** As the carrier answered them, one for each segment. */
  carrierMessageIds: string[]
  receivedAt: Date
}
