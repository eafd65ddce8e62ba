import { setTimeout as sleep } from 'node:timers/promises'
import type { SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import { databaseNow } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { type BatchKey, queueUnsubmitted } from '../queue/leases.store.ts'
import type { Seat, SeatedBatch, SeatedRecipient } from '../queue/seat.ts'
import { toRecipientId } from '../recipients/recipient.ts'
import { HeldBatch, LEASE_SECONDS } from './held-batch.ts'
import type { PreparedSubmit, Senders } from './prepare-slices.ts'
import type { WindowRoom } from './window-room.ts'

const RETRY_MS = 500
/** Twice as long as a lease lasts. */
const UNSEATED_MS = 2 * LEASE_SECONDS * 1000

interface SeatOptions {
  pool: Pool
  carrier: string
  room: WindowRoom
  suspended: SuspendedAccounts
  senders: Senders
  /** These recipients of a batch leave now. */
  onLeave(held: HeldBatch, submits: readonly PreparedSubmit[], submittedAt: Date): void
  /** A batch that was to leave from here is queued. */
  onQueued(): void
}

/** The seats that one dispatcher gives (queue/seat.ts). */
export class DispatcherSeats {
  readonly #options: SeatOptions

  constructor(options: SeatOptions) {
    this.#options = options
  }

  /** Takes room in the window, which must be there, for recipients that leave when they are committed. */
  take({ count, leasedBy }: { count: number; leasedBy: string }): Seat {
    const { carrier, room, suspended, senders } = this.#options
    room.take(count)
    const giveUp: Seat['giveUp'] = (batch, { mayBeStored }) => {
      room.giveBack(count)
      if (mayBeStored) void this.#queue({ ...batch, leasedBy })
    }
    return {
      lease: { leasedBy, leaseSeconds: LEASE_SECONDS, carrier },
      leave: (batch, recipients) => {
        // The account may have been suspended, or its sender disabled, while its message was stored.
        const isStopped =
          suspended.has(batch.accountId) || recipients.some(({ from }) => senders.isDisabled(batch.accountId, from))
        if (isStopped) giveUp(batch, { mayBeStored: true })
        else this.#leave(batch, leasedBy, recipients)
      },
      giveUp
    }
  }

  #leave(batch: SeatedBatch, leasedBy: string, recipients: readonly SeatedRecipient[]): void {
    const { accountId, messageId, id, lane, route, expiresAt, headStartSeconds, isPaid, carried, trace } = batch
    const positions = recipients.map(({ position }) => position)
    const submittedAt = databaseNow()
    const unmarked = { attempts: 0, submitting: [], carrier: null, submittedAt: null }
    const claimed = { accountId, messageId, id, leasedBy, lane, route, expiresAt, headStartSeconds, positions }
    const held = HeldBatch.seated({ ...claimed, ...unmarked, dueAt: submittedAt }, { isPaid })
    const submits = recipients.map(({ position, from, to, country, text }): PreparedSubmit => {
      const reference = toRecipientId({ messageId, position })
      const outbound = carried
        ? { reference, from, to, text, expiresAt, ...carried }
        : { reference, from, to, text, expiresAt }
      // A message with a seat may have more recipients, in other batches. They are few all the same.
      return { held, outbound, country, mayBeAt: null, accountId, messageId, position, trace, isOfFew: true }
    })
    this.#options.onLeave(held, submits, submittedAt)
  }

  /**
   * Until it succeeds, or another process has taken the batch over. A server whose client has gone may still be at the commit:
   * a batch that is not there yet is looked for again, less and less often.
   */
  async #queue(batch: Omit<BatchKey, 'id'>): Promise<void> {
    const endsAtMs = performance.now() + UNSEATED_MS
    let absentCount = 0
    while (performance.now() < endsAtMs) {
      try {
        if (await queueUnsubmitted(this.#options.pool, batch)) {
          this.#options.onQueued()
          return
        }
        absentCount++
      } catch {
        absentCount = 0
      }
      await sleep(RETRY_MS * 2 ** Math.max(0, absentCount - 1), undefined, { ref: false })
    }
  }
}
