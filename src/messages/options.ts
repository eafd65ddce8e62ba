/*
 * What a message can carry besides its text. A message without any of it has no options at all (null in `messages`), so that
 * it costs nothing.
 */

/** `normal` is no option: it is what every message has. */
export type Priority = 'low' | 'high'

export interface MessageOptions {
  /** For how many seconds after its due time the message may leave. */
  validity?: number
  /** When the validity ends, in ISO 8601. */
  expiresAt?: string
  priority?: Priority
  /** By when it should have left, in ISO 8601. It decides nothing: a forecast is compared with it. */
  deadline?: string
  /** So many recipients leave an hour. */
  spread?: { perHour: number }
  /** Whether the phone shows it at once and keeps it nowhere. */
  flash?: true
  binary?: BinaryContent
  /**
   * Whether each recipient is written to under the own sender of its carrier: the message names no sender, and its routes lead to
   * carriers with different ones.
   */
  hasCarrierSenders?: true
}

/** Octets instead of a text, both in hexadecimal. */
export interface BinaryContent {
  /** The user data header, with its length in the first octet; empty without one. */
  udh: string
  data: string
}

/** The end of the validity; undefined when the message names none. */
export function expiryIn(options: MessageOptions | null | undefined): Date | undefined {
  return options?.expiresAt === undefined ? undefined : new Date(options.expiresAt)
}

/** The options that go to a carrier with each recipient. */
export interface CarriedOptions {
  priority?: Priority
  flash?: true
  binary?: { udh: Buffer; data: Buffer }
}

export function toCarried({ priority, flash, binary }: MessageOptions): CarriedOptions {
  return {
    ...(priority && { priority }),
    ...(flash && { flash }),
    ...(binary && { binary: { udh: Buffer.from(binary.udh, 'hex'), data: Buffer.from(binary.data, 'hex') } })
  }
}
