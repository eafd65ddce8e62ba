import type { ShortUrlMode } from '../short-links/short-url.ts'
import type { MessageOptions } from './options.ts'

/*
 * The states of a message: `scheduled` (due later) → `sending` (due) → `sent`; `scheduled` or `sending` → `cancelled`;
 * `sending` → `failed`. A message is `failed` when no recipient could be handed over. `sent` means that every recipient
 * has left, or can't; delivery reports go on arriving.
 */
export type MessageState = 'scheduled' | 'sending' | 'sent' | 'cancelled' | 'failed'
export const MESSAGE_STATES = ['scheduled', 'sending', 'sent', 'cancelled', 'failed'] as const satisfies MessageState[]
export type Channel = 'sms' | 'rcs'
export type Category = 'transactional' | 'marketing'

/** Transactional messages leave before marketing. */
export const LANES: Record<Category, number> = { transactional: 0, marketing: 1 }

/**
 * Whether a resume would let something leave. A message that ended while it was paused is not paused any more, except an RCS
 * message: what falls back to SMS waits.
 */
export function isPaused(message: Message): message is Message & { pausedAt: Date } {
  const { state, channel, pausedAt } = message
  return pausedAt !== null && (isLive(message) || (channel === 'rcs' && state === 'sent'))
}

/** Whether some of its recipients may still leave. */
export function isLive({ state }: Pick<Message, 'state'>): boolean {
  return state === 'scheduled' || state === 'sending'
}

/** A row of `messages`. */
export interface Message {
  id: number
  channel: Channel
  category: Category
  state: MessageState
  content: string
  sender: string
  externalId: string | null
  shorturlMode: ShortUrlMode | null
  shorturlUrl: string | null
  /** The message whose failed recipients this message was resent to. */
  resendOf: number | null
  /** Null without any. */
  options: MessageOptions | null
  /** What people call it; null without a name. */
  name: string | null
  /** Null without any. */
  tags: readonly string[] | null
  /** The scheduled message whose place it took. */
  replaces: number | null
  /** The message that took its place. */
  replacedBy: number | null
  scheduledAt: Date
  recipientsCount: number
  segmentsCount: number
  creditsRequired: number
  creditsRefunded: number
  waitingCount: number
  sentCount: number
  /** Recipients that a carrier accepted, with any result. */
  takenCount: number
  deliveredCount: number
  readCount: number
  failedCount: number
  stoppedCount: number
  cancelledCount: number
  clickedCount: number
  repliedCount: number
  createdAt: Date
  cancelledAt: Date | null
  /** Since when nothing of it may leave; null unless it is paused. */
  pausedAt: Date | null
  /** Since when it is known to be late for its deadline; null unless it is. */
  lateAt: Date | null
}
