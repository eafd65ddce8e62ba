import type { Category } from '../messages/message.ts'

/** Recipients of one message that may leave at the same time over the same route. */
export interface Batch {
  /** The name of the route that all in it take. */
  route: string
  dueAt: Date
  /** From then on it must not leave any more. */
  expiresAt: Date
  positions: number[]
}

/** A batch is the unit that is queued: as many as a worker takes at a time. */
export const BATCH_SIZE_MAX = 500

/**
 * How long after its time a message may still leave: a code that comes a day late helps nobody. Marketing may be held over
 * a Sunday and a holiday.
 */
const VALIDITY_HOURS: Record<Category, number> = { transactional: 24, marketing: 72 }

/** From then on what is due at this moment must not leave any more. */
export function expiryOf(dueAt: Date, category: Category): Date {
  return new Date(dueAt.getTime() + VALIDITY_HOURS[category] * 3_600_000)
}
