import { strict as assert } from 'node:assert'
import type { Category } from '../messages/message.ts'
import type { MessageOptions, Priority } from '../messages/options.ts'
import type { Seat } from './seat.ts'

/** Recipients of one message that may leave at the same time over the same route. */
export interface Batch {
  /** The route that every recipient of the batch takes. */
  route: string
  dueAt: Date
  /** The batch must not leave from this moment on. */
  expiresAt: Date
  positions: number[]
}

/** A batch is the unit of the queue. It holds as many recipients as a worker takes at a time. */
const BATCH_SIZE_MAX = 500

/** Up to so many recipients, a batch is small: one-time codes and the like. */
export const SMALL_MAX = 10

/**
 * How much earlier a message counts as due among the messages of its account. An hour: a message of a high priority passes
 * whatever its account queued within the last hour, and one of a low priority lets pass what comes within the next hour. So
 * nobody waits for ever.
 */
const PRIORITY_SECONDS: Record<Priority, number> = { high: 3_600, low: -3_600 }

/** The same for a small message. A day: a code does not wait for the campaigns of its account, however long they last. */
export const SMALL_SECONDS = 86_400

/** Undefined: as due as it is. A message that is spread is in no hurry, and its distances count from its due times. */
export function headStartOf(
  options: Pick<MessageOptions, 'priority' | 'spread'> | null | undefined,
  { recipientsCount }: { recipientsCount: number }
): number | undefined {
  const ofPriority = options?.priority ? PRIORITY_SECONDS[options.priority] : 0
  const ofSize = recipientsCount <= SMALL_MAX && !options?.spread ? SMALL_SECONDS : 0
  return ofPriority + ofSize || undefined
}

/**
 * How long after its due time a message may still leave. A code that arrives a day late is useless. Marketing may be
 * held over a Sunday and a holiday.
 */
const VALIDITY_HOURS: Record<Category, number> = { transactional: 24, marketing: 72 }

/** When recipients that are due at this moment expire: from then on they must not leave. */
export function expiryOf(dueAt: Date, category: Category): Date {
  return new Date(dueAt.getTime() + VALIDITY_HOURS[category] * 3_600_000)
}

/** When recipients leave, and until when they may. */
export type Departure = Pick<Batch, 'dueAt' | 'expiresAt'>

/**
 * Gathers positions of one message into batches. A batch has one due time and one route, and at most BATCH_SIZE_MAX
 * positions.
 */
export function gatherBatches() {
  const open = new Map<string, Batch>()
  const full: Batch[] = []
  return {
    add(position: number, route: string, { dueAt, expiresAt }: Departure): void {
      const name = `${dueAt.getTime()} ${route}`
      let batch = open.get(name)
      if (!batch || batch.positions.length >= BATCH_SIZE_MAX) {
        if (batch) full.push(batch)
        batch = { route, dueAt, expiresAt, positions: [] }
        open.set(name, batch)
      }
      if (expiresAt < batch.expiresAt) batch.expiresAt = expiresAt
      batch.positions.push(position)
    },
    batches: (): Batch[] => [...full, ...open.values()]
  }
}

export interface NewBatch extends Omit<Batch, 'dueAt'> {
  accountId: number
  messageId: number
  lane: number
  /** Null: due at once, by the database's clock. */
  dueAt: Date | null
  /** The batch begins as one that is being submitted. */
  seat?: Pick<Seat, 'lease'> | undefined
  /** How much earlier it counts as due among the batches of its account; undefined: not at all. */
  headStartSeconds?: number | undefined
}

/** A recipient that is queued again and leaves at once. */
export interface Requeued {
  accountId: number
  messageId: number
  position: number
  route: string
  lane: number
  expiresAt: Date
  headStartSeconds?: number | undefined
}

export function toBatches(recipients: readonly Requeued[]): NewBatch[] {
  const groups = [...Map.groupBy(recipients, ({ messageId }) => messageId).values()]
  return groups.flatMap((ofMessage) => {
    const [first] = ofMessage
    assert(first)
    const { accountId, messageId, lane, headStartSeconds } = first
    const gathered = gatherBatches()
    for (const { position, route, expiresAt } of ofMessage) gathered.add(position, route, { dueAt: AT_ONCE, expiresAt })
    return gathered.batches().map((batch) => ({ ...batch, accountId, messageId, lane, dueAt: null, headStartSeconds }))
  })
}

const AT_ONCE = new Date(0)
