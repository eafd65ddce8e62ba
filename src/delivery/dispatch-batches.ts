import { setTimeout as sleep } from 'node:timers/promises'
import { NONE_SUSPENDED, type SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import { OPEN_REGISTER } from '../compliance/sender-register.ts'
import { databaseNow } from '../database/clock.ts'
import type { ConsentMode } from '../http/consent-mode.ts'
import type { ClaimedBatch } from '../queue/claims.store.ts'
import { watchExpiries } from '../queue/expiries.store.ts'
import { deleteClaimed, extendLeases, giveBack } from '../queue/leases.store.ts'
import type { Seat } from '../queue/seat.ts'
import { lockToSubmit } from '../queue/submit-locks.store.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { DispatcherSeats } from './dispatcher-seats.ts'
import { HandOver, type HandOverOptions } from './hand-over.ts'
import { HeldBatch, LEASE_SECONDS, type Slice } from './held-batch.ts'
import { HeldBatches } from './held-batches.ts'
import { LANE_NUMBERS, LaneClaims } from './lane-claims.ts'
import { type Dropped, dropRecipients, type Prepared, prepareSlices, type Senders } from './prepare-slices.ts'
import { toReturn } from './retry-delays.ts'
import { takeOver, takeOverRepeatable } from './take-over.ts'
import { type SettleOptions, UnsettledOutcomes } from './unsettled-outcomes.ts'
import { WindowRoom } from './window-room.ts'

/*
 * Keeps one carrier busy. It claims due batches of the carrier's routes, with a lease. As the carrier's window gets room, one
 * transaction prepares and marks some recipients of each account. They are handed over, and their outcomes are settled in
 * groups. At most a full window is handed over and not settled: a crash can leave no more than that in doubt. The rest of a
 * batch goes back into the queue.
 */

const POLL_MS = 500
/** Concurrent transactions that prepare campaigns: the next one is prepared while the last is handed over. */
const PREPARES_MAX = 3
/** Batches per transaction: it locks all their messages, and the server has room for some thousand locks. */
const BATCHES_PER_PREPARE = 100
/** Concurrent transactions that prepare small batches. */
const SMALL_PREPARES_MAX = 2
const RETRY_MS = 500

export interface DispatchOptions extends HandOverOptions, SettleOptions {
  /** The routes that this carrier serves now. */
  routes(): readonly string[]
  /** Accounts from which nothing may leave now; none unless given. */
  suspended?: SuspendedAccounts
  /** Senders that no message may leave under now; none unless given. */
  senders?: Senders
  /** The sender of a fallback SMS that names none. */
  defaultSender?: string
  /** The least strict mode of consent of the installation; `off` unless given. */
  consent?: ConsentMode
  /** Only for RCS. */
  rcs?: NonNullable<HandOverOptions['rcs']> &
    NonNullable<SettleOptions['rcs']> & {
      /** Recipients of these batches are submitted next. */
      foresee?(batches: readonly ClaimedBatch[]): Promise<void>
    }
}

export class Dispatcher {
  readonly #options: DispatchOptions
  readonly #suspended: SuspendedAccounts
  readonly #senders: Senders
  readonly #held = new HeldBatches()
  readonly #room: WindowRoom
  readonly #claims: LaneClaims
  readonly #handOver: HandOver
  /** Only of a carrier of SMS. */
  readonly #seats: DispatcherSeats | undefined
  readonly #worker: RunningWorker
  readonly #leases: RunningWorker
  readonly #preparing = { small: new Set<Promise<void>>(), large: new Set<Promise<void>>() }
  #isWoken = true
  #isStopping = false
  #progress = 0

  constructor(options: DispatchOptions) {
    this.#options = options
    this.#suspended = options.suspended ?? NONE_SUSPENDED
    this.#senders = options.senders ?? OPEN_REGISTER
    const { pool, carrier, routes, rcs, log } = options
    this.#room = new WindowRoom(carrier)
    this.#claims = new LaneClaims({ pool, routes, onClaimed: (batches) => this.#holdAll(batches) })
    const unsettled = new UnsettledOutcomes(options, {
      name: carrier.name,
      held: this.#held,
      room: this.#room,
      isStopping: () => this.#isStopping,
      onLeft: (held, positions) => this.#leave(held, positions),
      onSettled: () => {
        this.#progress++
        this.#worker.wake()
      }
    })
    this.#handOver = new HandOver(options, (outcome) => unsettled.add(outcome))
    this.#seats = rcs || carrier.name === null ? undefined : this.#createSeats(carrier.name)
    this.#worker = startWorker({
      name: `sending through ${carrier.name ?? 'no carrier'}`,
      work: () => this.#fill(),
      pauseMs: POLL_MS,
      log
    })
    this.#leases = startWorker({
      name: `leases of ${carrier.name ?? 'no carrier'}`,
      work: () => this.#extend(),
      pauseMs: (LEASE_SECONDS * 1000) / 4,
      log
    })
  }

  #createSeats(carrier: string): DispatcherSeats {
    return new DispatcherSeats({
      pool: this.#options.pool,
      carrier,
      room: this.#room,
      suspended: this.#suspended,
      senders: this.#senders,
      onLeave: (held, submits, submittedAt) => {
        this.#held.add(held)
        this.#progress++
        this.#handOver.submit(submits, submittedAt)
      },
      onQueued: () => this.wake()
    })
  }

  /** Grows whenever batches are claimed, or recipients are begun or settled. */
  get progress(): number {
    return this.#progress
  }

  /** A batch may be due, or the carrier may accept more. */
  wake(): void {
    this.#isWoken = true
    this.#claims.wake()
    this.#worker.wake()
  }

  /**
   * Keeps room in the window for recipients that leave when they are committed. Undefined while there is none, or while
   * other small batches may wait in this lane or in a more urgent one. A campaign that waits gives way.
   */
  takeSeat({ lane, count, leasedBy }: { lane: number; count: number; leasedBy: string }): Seat | undefined {
    if (!this.#seats || this.#isStopping) return undefined
    const left = lane > 0 ? this.#room.forTransactional : 0
    if (this.#room.free - left < count) return undefined
    const isWaiting = (other: number) => this.#claims.mayBeQueued(other) || this.#held.isSmallWaiting(other)
    if (LANE_NUMBERS.some((other) => other <= lane && isWaiting(other))) return undefined
    return this.#seats.take({ count, leasedBy })
  }

  /** Claims nothing more, waits for submits under way, and returns the remaining recipients to the queue. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#worker.stop()
    await Promise.all([...this.#preparing.small, ...this.#preparing.large])
    for (const held of this.#held) held.releaseWaiting()
    await this.#room.untilUnused()
    await this.#leases.stop()
    for (const held of [...this.#held]) await this.#finish(held)
  }

  /**
   * Claims nothing more and waits for nothing: a stuck dispatcher may wait for ever. Submits under way still settle when their
   * answers come. Another dispatcher takes the held batches when their leases end.
   */
  abandon(): void {
    void this.#worker.stop()
    void this.#leases.stop()
    for (const held of this.#held) {
      held.releaseWaiting()
      this.#finishSoon(held)
    }
  }

  async #fill(): Promise<{ isMoreDue: boolean }> {
    this.#letGo()
    const room = this.#room.free
    const isBusy = {
      small: this.#preparing.small.size >= SMALL_PREPARES_MAX,
      large: this.#preparing.large.size >= PREPARES_MAX
    }
    // Large batches wait until there is more room, so that one transaction prepares many. Small batches never wait for that.
    const largeRoom = room - this.#room.forSmall
    const hasLargeRoom = largeRoom >= Math.max(1, Math.floor(this.#room.toGather)) && !isBusy.large
    if (room < 1 || (isBusy.small && !hasLargeRoom)) return { isMoreDue: false }
    const isWoken = this.#isWoken
    this.#isWoken = false
    const chosen = new Map<HeldBatch, number[]>()
    let free = room
    try {
      for (const lane of LANE_NUMBERS) {
        if (lane > 0) free = Math.min(free, room - this.#room.forTransactional)
        // A more urgent lane that waits for room goes before all later lanes, also before their small batches.
        if (free <= 0 || LANE_NUMBERS.some((other) => other < lane && this.#held.waitingCount(other) > 0)) break
        if (isWoken || (this.#held.waitingCount(lane) < free && !this.#claims.isEmpty(lane))) await this.#claim(lane)
        free -= this.#held.choose(lane, free, { chosen, hasRoomFor: ({ isSmall }) => isSmall && !isBusy.small })
        // What is left over is for small sends of the next moment.
        const forLarge = Math.min(free, largeRoom)
        free -= this.#held.choose(lane, forLarge, { chosen, hasRoomFor: ({ isSmall }) => !isSmall && hasLargeRoom })
      }
    } finally {
      // Also when a claim fails: the recipients chosen before it would be held for ever.
      const slices = [...chosen].map(([held, positions]) => ({ held, positions }))
      this.#begin(
        'small',
        slices.filter(({ held }) => held.isSmall)
      )
      this.#begin(
        'large',
        slices.filter(({ held }) => !held.isSmall)
      )
    }
    return { isMoreDue: chosen.size > 0 }
  }

  /**
   * Returns recipients that this carrier can't send to now: another carrier may serve them, here or in another process. Those
   * of suspended accounts wait in the queue. Recipients that have expired need no room in the window to be dropped.
   */
  #letGo(): void {
    const { carrier, routes } = this.#options
    const served = new Set(carrier.capacity > 0 ? routes() : [])
    const nowMs = databaseNow().getTime()
    const expired: Slice[] = []
    for (const held of this.#held) {
      const { route, accountId, expiresAt } = held.batch
      if (!held.hasWaiting) continue
      if (expiresAt.getTime() <= nowMs) expired.push({ held, positions: held.take(held.waitingCount) })
      else if (!served.has(route) || this.#suspended.has(accountId)) {
        held.releaseWaiting()
        this.#finishSoon(held)
      }
    }
    this.#begin('small', expired)
  }

  #begin(size: 'small' | 'large', slices: readonly Slice[]): void {
    if (slices.length === 0) return
    this.#progress++
    for (const { positions } of slices) this.#room.take(positions.length)
    const preparing = this.#sendInTurn(slices).finally(() => {
      this.#preparing[size].delete(preparing)
      this.#worker.wake()
    })
    this.#preparing[size].add(preparing)
  }

  async #claim(lane: number): Promise<void> {
    const suppliedAccountIds = this.#held.wellSupplied(lane)
    const exceptAccountIds = [...this.#held.wellSupplied(lane, { isSmall: true }), ...this.#suspended.ids()]
    await this.#claims.claim(lane, { suppliedAccountIds, exceptAccountIds })
  }

  async #holdAll(batches: readonly ClaimedBatch[]): Promise<void> {
    this.#progress += batches.length
    await this.#options.rcs?.foresee?.(batches)
    for (const batch of batches) await this.#hold(batch)
  }

  async #hold(batch: ClaimedBatch): Promise<void> {
    const { pool, rcs, onOutcome } = this.#options
    const held = new HeldBatch(
      rcs?.isRepeatable
        ? await takeOverRepeatable(pool, batch, rcs.patience)
        : await takeOver(pool, batch, (reason) => onOutcome?.({ kind: 'in-doubt', reason }))
    )
    this.#held.add(held)
    // All recipients of the batch may be in doubt: then the batch ends at once.
    this.#finishSoon(held)
  }

  async #sendInTurn(slices: readonly Slice[]): Promise<void> {
    for (let start = 0; start < slices.length; start += BATCHES_PER_PREPARE) {
      await this.#send(slices.slice(start, start + BATCHES_PER_PREPARE))
    }
  }

  async #send(chosen: readonly Slice[]): Promise<void> {
    const slices = this.#withoutSuspended(chosen)
    if (slices.length === 0) return
    const prepared = await this.#prepare(slices)
    if (!prepared) return
    const submittedAt = databaseNow()
    this.#handOver.submit(prepared.submits, submittedAt)
    await this.#drop(prepared.dropped)
    for (const [held, returned] of prepared.returned) held.returned.push(...returned)
    for (const held of prepared.lost) this.#held.delete(held)
    const byBatch = Map.groupBy(prepared.submits, ({ held }) => held)
    for (const { held, positions } of slices) {
      const submitted = new Set(byBatch.get(held)?.map(({ position }) => position))
      this.#leave(
        held,
        positions.filter((position) => !submitted.has(position))
      )
    }
  }

  /** An account may have been suspended since its recipients were chosen: they go back to waiting, and then to the queue. */
  #withoutSuspended(slices: readonly Slice[]): readonly Slice[] {
    if (!slices.some(({ held }) => this.#suspended.has(held.batch.accountId))) return slices
    return slices.filter(({ held, positions }) => {
      if (!this.#suspended.has(held.batch.accountId)) return true
      this.#room.giveBack(positions.length)
      this.#held.putBack(held, positions)
      return false
    })
  }

  /** Undefined when the database failed: no recipient was handed over, and all of them are tried again. */
  async #prepare(slices: readonly Slice[]): Promise<Prepared | undefined> {
    const { pool, carrier, defaultSender = '', consent = 'off', log } = this.#options
    try {
      return await pool.begin((database) =>
        prepareSlices(database, slices, {
          carrier: carrier.name,
          defaultSender,
          senders: this.#senders,
          leaseSeconds: LEASE_SECONDS,
          consent
        })
      )
    } catch (error) {
      log.error({ carrier: carrier.name, err: error }, 'recipients could not be prepared; retrying')
      await sleep(RETRY_MS)
      for (const { held, positions } of slices) {
        this.#room.giveBack(positions.length)
        this.#held.putBack(held, positions)
      }
      return undefined
    }
  }

  /** Recipients that can't be dropped now go back into the queue. */
  async #drop(dropped: readonly Dropped[]): Promise<void> {
    const { pool, log } = this.#options
    if (dropped.length === 0) return
    try {
      await pool.begin((database) => dropRecipients(database, dropped))
    } catch (error) {
      log.error({ err: error }, 'recipients could not be dropped; they go back into the queue')
      for (const { held, position } of dropped) held.returned.push({ position, delaySeconds: 1, isTried: false })
    }
  }

  #leave(held: HeldBatch, positions: readonly number[]): void {
    for (const position of positions) held.underWay.delete(position)
    this.#room.giveBack(positions.length)
    this.#finishSoon(held)
  }

  /** In the background: other recipients need not wait for this. */
  #finishSoon(held: HeldBatch): void {
    const { log } = this.#options
    this.#finish(held).catch((error) => log.warn({ err: error }, 'batch could not be returned; its lease runs out'))
  }

  /** Ends a batch with nothing under way, or returns its remaining recipients to the queue. */
  async #finish(held: HeldBatch): Promise<void> {
    const { pool } = this.#options
    if (!held.isDone || !this.#held.delete(held)) return
    const { batch, returned } = held
    if (returned.length === 0) {
      await deleteClaimed(pool, [batch])
      return
    }
    const positions = returned.map(({ position }) => position)
    const rest = { batch, positions, ...toReturn(returned, batch.attempts) }
    if (!returned.some(({ isPaused }) => isPaused)) return giveBack(pool, rest)
    await pool.begin(async (database) => {
      // A resume meanwhile comes before this, or finds the batch paused.
      await lockToSubmit(database, [batch.messageId])
      await giveBack(database, { ...rest, mayBePaused: true })
      // The pause may be long ago, and what it had watched may have ended since: this batch came later.
      await watchExpiries(database, { accountId: batch.accountId, id: batch.messageId })
    })
  }

  async #extend(): Promise<{ isMoreDue: boolean }> {
    const { pool, log } = this.#options
    const held = [...this.#held]
    if (held.length === 0) return { isMoreDue: false }
    const batches = held.map(({ batch }) => batch)
    const ours = new Set((await extendLeases(pool, { batches, leaseSeconds: LEASE_SECONDS })).map(({ id }) => id))
    // Only batches that are still held: a batch may have ended meanwhile.
    for (const lost of held.filter((batch) => this.#held.has(batch) && !ours.has(batch.batch.id))) {
      log.warn({ batch: lost.batch.id }, 'lease of a batch lost')
      this.#held.delete(lost)
    }
    return { isMoreDue: false }
  }
}
