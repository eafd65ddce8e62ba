import { strict as assert } from 'node:assert'
import { isDatabaseUnavailable } from '../database/database.ts'
import type { NewMessage } from '../messages/new-messages.store.ts'
import { toCarried } from '../messages/options.ts'
import { referenceOf } from '../messages/reservation.ts'
import { type NewBatch, SMALL_MAX } from '../queue/batch.ts'
import type { Seat, SeatedRecipient, Seats } from '../queue/seat.ts'
import { toBatches, toMessage } from './message-rows.ts'
import type { Plan, PlannedRecipient } from './plan.ts'
import type { Send } from './send.ts'

/** A planned message that is about to be stored. */
interface Arranged {
  small: { send: Send; plan: Plan }
  id: number
  recipients: readonly PlannedRecipient[]
}

/** A batch, and the recipients that leave with it. */
interface Arrangement {
  batch: NewBatch & { seat: Seat | undefined }
  message: NewMessage
  recipients: readonly PlannedRecipient[]
  id: number | undefined
  /** Whether all recipients of the message have seats. Its credits are then spent at once. */
  isPaid: boolean
}

/**
 * Recipients leave by the checks of their transaction. If it waited longer than this for the rows of its account, a STOP
 * may have come since: the recipients queue, and are checked again.
 */
const CHECKED_MS = 1_000

/** Seats the batches of one transaction with carriers that have room, and lets them leave after its commit. */
export class Seating {
  readonly #sinceMs = performance.now()
  readonly #seats: Seats | undefined
  readonly #arrangements: Arrangement[] = []
  /** The references of messages whose recipients all have seats. */
  readonly #leavingWhole = new Set<string>()

  constructor({ seats }: { seats: Seats | undefined }) {
    this.#seats = seats
  }

  /** Takes seats for new messages, and returns the messages. */
  arrange(arranged: readonly Arranged[]): NewMessage[] {
    return arranged.map(({ small: { send, plan }, id, recipients }) => {
      const message = toMessage(send, plan, id)
      const batches = toBatches(send, plan, id).map((batch) => ({
        ...batch,
        seat: this.#takeSeat(batch, { send, plan })
      }))
      const isPaid = batches.every(({ seat }) => seat)
      for (const batch of batches) this.#arrangements.push({ batch, message, recipients, id: undefined, isPaid })
      if (isPaid) this.#leavingWhole.add(referenceOf(id))
      return message
    })
  }

  /** Whether all recipients of a message have seats. */
  leavesWhole(reference: string): boolean {
    return this.#leavingWhole.has(reference)
  }

  get batches(): NewBatch[] {
    return this.#arrangements.map(({ batch }) => batch)
  }

  setIds(ids: readonly number[]): void {
    for (const [index, arrangement] of this.#arrangements.entries()) arrangement.id = ids[index]
  }

  /** Whether some batches have no seat, so that they wait in the queue. */
  get isAnyQueued(): boolean {
    return this.#arrangements.some(({ batch }) => !batch.seat)
  }

  leave(): void {
    if (performance.now() - this.#sinceMs > CHECKED_MS) this.#giveUp({ mayBeStored: true })
    else this.#leaveNow()
  }

  #leaveNow(): void {
    for (const { batch, message, recipients, id, isPaid } of this.#arrangements) {
      if (!batch.seat) continue
      assert(id !== undefined)
      const { accountId, messageId, lane, route, expiresAt, headStartSeconds = null, positions } = batch
      const carried = message.options ? toCarried(message.options) : undefined
      batch.seat.leave(
        { accountId, messageId, id, lane, route, expiresAt, headStartSeconds, isPaid, carried, trace: message.trace },
        // A batch with a seat is small.
        recipients
          .filter(({ position }) => positions.includes(position))
          .map((recipient) => toSeated(message, recipient))
      )
    }
  }

  /** Without an answer of the database, the commit may have been done. */
  giveUp(error: unknown): void {
    this.#giveUp({ mayBeStored: isDatabaseUnavailable(error) })
  }

  #giveUp(options: { mayBeStored: boolean }): void {
    for (const { batch } of this.#arrangements) batch.seat?.giveUp(batch, options)
  }

  /**
   * An RCS needs more than its text to leave, and its carrier asks first whether the phone can do RCS. The senders of carriers are
   * known to their dispatchers alone.
   */
  #takeSeat({ route, lane, positions, dueAt }: NewBatch, { send, plan }: Arranged['small']): Seat | undefined {
    if (send.channel !== 'sms' || plan.hasCarrierSenders) return undefined
    if (dueAt !== null || positions.length > SMALL_MAX) return undefined
    return this.#seats?.take({ route, lane, count: positions.length })
  }
}

function toSeated({ sender, content }: NewMessage, recipient: PlannedRecipient): SeatedRecipient {
  const { position, phone, country } = recipient
  return { position, from: sender, to: phone, country, text: recipient.content ?? content }
}
