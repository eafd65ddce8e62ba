import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { NONE_SUSPENDED, type SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import type { Carrier, SubmitOutcome } from '../carriers/carrier.ts'
import { canonicalId } from '../carriers/message-ids.ts'
import { OPEN_REGISTER } from '../compliance/sender-register.ts'
import { databaseNow } from '../database/clock.ts'
import { isDatabaseUnavailable, type Pool } from '../database/database.ts'
import { gather } from '../database/group-calls.ts'
import type { RcsFailure } from '../fallback/fall-back.ts'
import type { Patience } from '../fallback/follow-waits.ts'
import type { ConsentMode } from '../http/consent-mode.ts'
import type { Log } from '../http/log.ts'
import { type Channel, LANES } from '../messages/message.ts'
import {
  type BatchKey,
  type ClaimedBatch,
  claimBatches,
  deleteClaimed,
  extendLeases,
  giveBack,
  isWholeClaim,
  queueUnsubmitted
} from '../queue/claims.store.ts'
import type { Seat, SeatedBatch, SeatedRecipient } from '../queue/seat.ts'
import { lockToSubmit } from '../queue/submit-locks.store.ts'
import type { RecipientKey } from '../recipients/move.ts'
import { toRecipientId } from '../recipients/recipient.ts'
import { listDoubted } from '../recipients/timeline.store.ts'
import { isTracing } from '../traces/tracer.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { HeldBatch, type Slice } from './held-batch.ts'
import { HeldBatches } from './held-batches.ts'
import type { PendingIds } from './pending-ids.ts'
import {
  type Dropped,
  dropRecipients,
  type Prepared,
  type PreparedSubmit,
  prepareSlices,
  type Senders
} from './prepare-slices.ts'
import { toReturn } from './retry-delays.ts'
import { type Settlement, settleOutcomes, type TryNext, withoutFallback } from './settle-outcomes.ts'
import { takeOver, takeOverRepeatable } from './take-over.ts'
import { traceSubmits } from './trace-submits.ts'

/*
 * Keeps one carrier busy. It claims due batches of the carrier's routes, with a lease. As the carrier's window gets room, one
 * transaction prepares and marks some recipients of each account. They are handed over, and their outcomes are settled in
 * groups. At most a full window is handed over and not settled: a crash can leave no more than that in doubt. The rest of a
 * batch goes back into the queue.
 */

/** Another process takes over the batches of a dead process after this time. Its binds are free by then too. */
const LEASE_SECONDS = 10
const POLL_MS = 500
/** Concurrent transactions that prepare campaigns: the next one is prepared while the last is handed over. */
const PREPARES_MAX = 3
/** Batches per transaction: it locks all their messages, and the server has room for some thousand locks. */
const BATCHES_PER_PREPARE = 100
/** Concurrent transactions that prepare small batches. */
const SMALL_PREPARES_MAX = 2
/** Share of the window that marketing leaves free for transactional messages. */
const TRANSACTIONAL_SHARE = 0.1
/** Share of the window that campaigns leave free for small sends, if the window is so large that they don't miss it. */
const SMALL_SHARE = 0.1
const LARGE_WINDOW = 100
/** Share of the window that must be free before more recipients are prepared. */
const ROOM_SHARE = 0.125
/** The same under a pace, as a share of the messages of one second. */
const PACED_ROOM_SHARE = 0.4
/** Under a pace, unsettled outcomes may take this share of the window, for at most this time. */
const PACED_SETTLE_SHARE = 0.25
const PACED_SETTLE_SECONDS = 0.25
/** The pace is the limit only if the window holds the messages of this time. Otherwise the window is the limit. */
const PACED_WINDOW_SECONDS = 0.5
/** A lane without due batches is queried again after this time, or at the next wake-up. */
const EMPTY_MS = 250
const SETTLE_LIMITS = { sizeMax: 1_000, runningMax: 2, spacingMs: 24 }
/** A fallback locks its message for longer: fewer and larger groups wait less for each other. */
const RCS_SETTLE_LIMITS = { sizeMax: 1_000, runningMax: 1, spacingMs: 100 }
const RETRY_MS = 500
/** After this many errors of a database that is available, the dispatcher gives up on a settlement. */
const REFUSALS_MAX = 5
/** Twice as long as a lease lasts. */
const UNSEATED_MS = 2 * LEASE_SECONDS * 1000
/** A stop tries this often to store outcomes, and then no longer waits for the database. */
const STOPPING_TRIES_MAX = 10
const LANE_NUMBERS = Object.values(LANES).sort()

export interface DispatchOptions {
  pool: Pool
  carrier: Carrier | NoCarrier
  /** The routes that this carrier serves now. */
  routes(): readonly string[]
  pendingIds: PendingIds
  /** Accounts from which nothing may leave now; none unless given. */
  suspended?: SuspendedAccounts
  /** Senders that no message may leave under now; none unless given. */
  senders?: Senders
  /** The sender of a fallback SMS that names none. */
  defaultSender?: string
  /** The least strict mode of consent of the installation; `off` unless given. */
  consent?: ConsentMode
  /** Only for RCS. */
  rcs?: {
    patience: Patience
    /** Whether a message that is submitted twice arrives once. */
    isRepeatable: boolean
    /** Sends SMS in place of RCS that can't arrive. */
    fallBack(failures: readonly RcsFailure[]): Promise<void>
    /** Whether the account may use the carrier's agent now. */
    mayUse(accountId: number): boolean
    /** Recipients of these batches are submitted next. */
    foresee?(batches: readonly ClaimedBatch[]): Promise<void>
  }
  /** The way through the next carrier after this one refused an SMS; undefined when there is none to try. */
  nextWay?(route: string, status: string): string | undefined
  /** Recipients were queued on the way of a next carrier. */
  onNext?(route: string): void
  log: Log
  /** With the country and the time of its submit, if the carrier was asked. */
  onOutcome?(outcome: SubmitOutcome, country?: string, submittedAt?: Date): void
}

type Unreachable = Extract<SubmitOutcome, { kind: 'unreachable' }>

/** Stands where no RCS carrier serves the number: every recipient falls back at once. */
export interface NoCarrier {
  name: null
  capacity: number
  pacePerSecond: null
  submit(): Promise<Unreachable>
}

export class Dispatcher {
  readonly #options: DispatchOptions
  readonly #suspended: SuspendedAccounts
  readonly #senders: Senders
  readonly #held = new HeldBatches()
  readonly #worker: RunningWorker
  readonly #leases: RunningWorker
  readonly #settle: (settlement: HeldSettlement) => void
  readonly #settleSmall: (settlement: HeldSettlement) => void
  readonly #turns = new Map<string, number>()
  /** By lane: until when no batch is expected to be due. */
  readonly #emptyUntilMs = new Map<number, number>()
  /**
   * Lanes with queued batches that no claim has seen. New recipients take no seats there: they would overtake small batches
   * of other accounts. A claim takes some of each account, so that only more of a campaign is left behind.
   */
  readonly #mayBeQueued = new Set<number>(LANE_NUMBERS)
  #underWay = 0
  readonly #preparing = { small: new Set<Promise<void>>(), large: new Set<Promise<void>>() }
  #isWoken = true
  #isStopping = false
  #progress = 0
  #settled: () => void = () => undefined

  constructor(options: DispatchOptions) {
    this.#options = options
    this.#suspended = options.suspended ?? NONE_SUSPENDED
    this.#senders = options.senders ?? OPEN_REGISTER
    const { carrier, log } = options
    const settleTogether = async (settlements: HeldSettlement[]) => {
      await this.#settleGroup(settlements)
      for (const settlement of settlements) {
        if (isSettled(settlement)) options.pendingIds.end(settlement.carrier, settlement.canonicalIds)
      }
    }
    const limits = options.rcs ? RCS_SETTLE_LIMITS : SETTLE_LIMITS
    // Outcomes that are not stored hold their places in the window: in a small one, other messages would wait for them.
    const enough = () => (options.rcs ? limits.sizeMax : this.#roomToGather())
    const spacingMs = () => this.#settleSpacingMs(limits.spacingMs)
    this.#settle = gather(settleTogether, { ...limits, spacingMs, enough })
    this.#settleSmall = gather(settleTogether, { ...SETTLE_LIMITS, enough })
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

  get #channel(): Channel {
    return this.#options.rcs ? 'rcs' : 'sms'
  }

  /** Grows whenever batches are claimed, or recipients are begun or settled. */
  get progress(): number {
    return this.#progress
  }

  /** A batch may be due, or the carrier may accept more. */
  wake(): void {
    this.#isWoken = true
    this.#emptyUntilMs.clear()
    for (const lane of LANE_NUMBERS) this.#mayBeQueued.add(lane)
    this.#worker.wake()
  }

  /**
   * Keeps room in the window for recipients that leave when they are committed. Undefined while there is none, or while
   * other small batches may wait in this lane or in a more urgent one. A campaign that waits gives way.
   */
  takeSeat({ lane, count, leasedBy }: { lane: number; count: number; leasedBy: string }): Seat | undefined {
    const { carrier, rcs } = this.#options
    if (rcs || carrier.name === null || this.#isStopping) return undefined
    const left = lane > 0 ? this.#transactionalRoom : 0
    if (carrier.capacity - this.#underWay - left < count) return undefined
    const isWaiting = (other: number) => this.#mayBeQueued.has(other) || this.#held.isSmallWaiting(other)
    if (LANE_NUMBERS.some((other) => other <= lane && isWaiting(other))) return undefined
    this.#underWay += count
    const lease = { leasedBy, leaseSeconds: LEASE_SECONDS, carrier: carrier.name }
    const giveUp: Seat['giveUp'] = (batch, { mayBeStored }) => {
      this.#underWay -= count
      this.#settled()
      if (mayBeStored) void this.#queueUnsubmitted({ ...batch, leasedBy })
    }
    return {
      lease,
      leave: (batch, recipients) => {
        // The account may have been suspended, or its sender disabled, while its message was stored.
        const isStopped =
          this.#suspended.has(batch.accountId) ||
          recipients.some(({ from }) => this.#senders.isDisabled(batch.accountId, from))
        if (isStopped) giveUp(batch, { mayBeStored: true })
        else this.#leaveSeat({ ...batch, leasedBy }, recipients)
      },
      giveUp
    }
  }

  #leaveSeat(batch: SeatedBatch & { leasedBy: string }, recipients: readonly SeatedRecipient[]): void {
    const { accountId, messageId, expiresAt, isPaid, carried, trace } = batch
    const positions = recipients.map(({ position }) => position)
    const submittedAt = databaseNow()
    const unmarked = { attempts: 0, submitting: [], carrier: null, submittedAt: null }
    const held = HeldBatch.seated({ ...batch, ...unmarked, dueAt: submittedAt, positions }, { isPaid })
    this.#held.add(held)
    this.#progress++
    const submits = recipients.map(({ position, from, to, country, text }): PreparedSubmit => {
      const reference = toRecipientId({ messageId, position })
      const outbound = carried
        ? { reference, from, to, text, expiresAt, ...carried }
        : { reference, from, to, text, expiresAt }
      // A message with a seat may have more recipients, in other batches. They are few all the same.
      return { held, outbound, country, mayBeAt: null, accountId, messageId, position, trace, isOfFew: true }
    })
    this.#submitAll(submits, submittedAt)
  }

  /**
   * Until it succeeds, or another process has taken the batch over. A server whose client has gone may still be at the commit:
   * a batch that is not there yet is looked for again, less and less often.
   */
  async #queueUnsubmitted(batch: Omit<BatchKey, 'id'>): Promise<void> {
    const endsAtMs = performance.now() + UNSEATED_MS
    let absentCount = 0
    while (performance.now() < endsAtMs) {
      try {
        if (await queueUnsubmitted(this.#options.pool, batch)) {
          this.wake()
          return
        }
        absentCount++
      } catch {
        absentCount = 0
      }
      await sleep(RETRY_MS * 2 ** Math.max(0, absentCount - 1), undefined, { ref: false })
    }
  }

  /** Claims nothing more, waits for submits under way, and returns the remaining recipients to the queue. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#worker.stop()
    await Promise.all([...this.#preparing.small, ...this.#preparing.large])
    for (const held of this.#held) held.releaseWaiting()
    while (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#settled = resolve
      })
    }
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
    const { carrier } = this.#options
    this.#letGo()
    const room = carrier.capacity - this.#underWay
    const isBusy = {
      small: this.#preparing.small.size >= SMALL_PREPARES_MAX,
      large: this.#preparing.large.size >= PREPARES_MAX
    }
    // Large batches wait until there is more room, so that one transaction prepares many. Small batches never wait for that.
    const largeRoom = room - this.#smallRoom
    const hasLargeRoom = largeRoom >= Math.max(1, Math.floor(this.#roomToGather())) && !isBusy.large
    if (room < 1 || (isBusy.small && !hasLargeRoom)) return { isMoreDue: false }
    const isWoken = this.#isWoken
    this.#isWoken = false
    const chosen = new Map<HeldBatch, number[]>()
    let free = room
    try {
      for (const lane of LANE_NUMBERS) {
        if (lane > 0) free = Math.min(free, room - this.#transactionalRoom)
        // A more urgent lane that waits for room goes before all later lanes, also before their small batches.
        if (free <= 0 || LANE_NUMBERS.some((other) => other < lane && this.#held.waitingCount(other) > 0)) break
        if (isWoken || (this.#held.waitingCount(lane) < free && !this.#isEmpty(lane))) await this.#claim(lane)
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

  get #transactionalRoom(): number {
    return Math.floor(this.#options.carrier.capacity * TRANSACTIONAL_SHARE)
  }

  get #smallRoom(): number {
    const { capacity } = this.#options.carrier
    return capacity >= LARGE_WINDOW ? Math.floor(capacity * SMALL_SHARE) : 0
  }

  /** Whether the pace is the limit, and not the window. Then gathering work delays no message. */
  get #isPaced(): boolean {
    const { capacity, pacePerSecond } = this.#options.carrier
    return pacePerSecond !== null && capacity >= pacePerSecond * PACED_WINDOW_SECONDS
  }

  /**
   * How much room must be free, so that one transaction prepares many recipients. Under a pace, the window grows with the
   * unanswered submits, and its free room does not. A slow carrier might never have a share of its window free.
   */
  #roomToGather(): number {
    const { capacity, pacePerSecond } = this.#options.carrier
    if (!this.#isPaced || pacePerSecond === null) return capacity * ROOM_SHARE
    return Math.min(capacity, pacePerSecond) * PACED_ROOM_SHARE
  }

  /** Outcomes gather for this long, so that one transaction settles many. */
  #settleSpacingMs(usualMs: number): number {
    const { capacity, pacePerSecond } = this.#options.carrier
    if (!this.#isPaced || pacePerSecond === null) return usualMs
    return 1000 * Math.min(PACED_SETTLE_SECONDS, (capacity * PACED_SETTLE_SHARE) / pacePerSecond)
  }

  #isEmpty(lane: number): boolean {
    return performance.now() < (this.#emptyUntilMs.get(lane) ?? 0)
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
    for (const { positions } of slices) this.#underWay += positions.length
    const preparing = this.#sendInTurn(slices).finally(() => {
      this.#preparing[size].delete(preparing)
      this.#worker.wake()
    })
    this.#preparing[size].add(preparing)
  }

  async #claim(lane: number): Promise<void> {
    const { pool, routes } = this.#options
    const supplied = this.#held.wellSupplied(lane)
    const exceptAccountIds = [...this.#held.wellSupplied(lane, { isSmall: true }), ...this.#suspended.ids()]
    // Set before the query: a wake-up meanwhile clears it. Not set while accounts are left out: they may need more in a moment.
    if (supplied.length === 0) this.#emptyUntilMs.set(lane, performance.now() + EMPTY_MS)
    let isDrained = true
    for (const route of routes()) {
      const turn = `${lane} ${route}`
      const accounts = { exceptAccountIds, suppliedAccountIds: supplied }
      const claim = { token: randomUUID(), route, lane, leaseSeconds: LEASE_SECONDS, ...accounts }
      let afterAccountId = this.#turns.get(turn) ?? 0
      let batches = await claimBatches(pool, { ...claim, afterAccountId })
      if (batches.length === 0 && afterAccountId > 0) {
        afterAccountId = 0
        batches = await claimBatches(pool, { ...claim, afterAccountId })
      }
      this.#turns.set(turn, Math.max(0, ...batches.map(({ accountId }) => accountId)))
      this.#progress += batches.length
      if (batches.length > 0) this.#emptyUntilMs.delete(lane)
      await this.#options.rcs?.foresee?.(batches)
      if (afterAccountId > 0 || !isWholeClaim(batches)) isDrained = false
      for (const batch of batches) await this.#hold(batch)
    }
    // A batch that was queued meanwhile is claimed next: recipients with a seat overtake it by a moment at most.
    if (isDrained) this.#mayBeQueued.delete(lane)
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
    this.#submitAll(prepared.submits, submittedAt)
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
      this.#finishSoon(held)
    }
  }

  /** An account may have been suspended since its recipients were chosen: they go back to waiting, and then to the queue. */
  #withoutSuspended(slices: readonly Slice[]): readonly Slice[] {
    if (!slices.some(({ held }) => this.#suspended.has(held.batch.accountId))) return slices
    return slices.filter(({ held, positions }) => {
      if (!this.#suspended.has(held.batch.accountId)) return true
      this.#underWay -= positions.length
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
        this.#underWay -= positions.length
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

  #submitAll(submits: readonly PreparedSubmit[], submittedAt: Date): void {
    if (isTracing()) traceSubmits(submits, { carrier: this.#options.carrier.name, channel: this.#channel })
    for (const submit of submits) this.#submit(submit, submittedAt)
  }

  /** Not an async function: a campaign has many submits, and each promise costs. */
  #submit(submit: PreparedSubmit, submittedAt: Date): void {
    const { carrier, rcs } = this.#options
    const { outbound, mayBeAt, accountId } = submit
    // Another carrier may have it already, and a second submit would be a second message. So it counts as sent, and waits for
    // the report of that carrier.
    if (mayBeAt !== null && mayBeAt !== carrier.name) {
      this.#onAnswer(submit, submittedAt, { at: mayBeAt, answer: ACCEPTED_ELSEWHERE })
      return
    }
    // What the carrier may have already has left: only a repeat tells what became of it.
    if (rcs && mayBeAt === null && !rcs.mayUse(accountId)) {
      this.#onAnswer(submit, submittedAt, { at: carrier.name, answer: AGENT_MISSING })
      return
    }
    let answered: Promise<SubmitOutcome>
    try {
      answered = carrier.submit(outbound)
    } catch (error) {
      answered = Promise.reject(error)
    }
    answered.then(
      (answer) => this.#onAnswer(submit, submittedAt, { at: carrier.name, answer }),
      (error) => this.#onAnswer(submit, submittedAt, { at: carrier.name, answer: this.#onBug(error) })
    )
  }

  #onBug(error: unknown): SubmitOutcome {
    const { carrier, rcs, log } = this.#options
    log.error({ carrier: carrier.name, err: error }, 'bug: carrier threw from submit()')
    const reason = 'The submission failed inside Chappe.'
    return rcs?.isRepeatable
      ? { kind: 'retry', reason, delaySeconds: 60, mayBeThere: true }
      : { kind: 'in-doubt', reason }
  }

  #onAnswer(
    { held, outbound, country, mayBeAt, accountId, messageId, position, span }: PreparedSubmit,
    submittedAt: Date,
    { at, answer }: { at: string | null; answer: SubmitOutcome }
  ): void {
    const { pendingIds, rcs } = this.#options
    // An RCS that the platform may have is revoked when its batch is claimed next. To end it here would leave it there.
    const isExpiredThere = answer.kind === 'expired' && mayBeAt !== null
    const outcome = isExpiredThere ? EXPIRED_THERE : rcs ? answer : withoutFallback(answer)
    span?.onAnswer(outcome)
    const isAsked = answer !== ACCEPTED_ELSEWHERE && answer !== AGENT_MISSING
    if (isAsked) this.#options.onOutcome?.(outcome, country, submittedAt)
    else this.#options.onOutcome?.(outcome)
    const settle = held.isSmall ? this.#settleSmall : this.#settle
    if (outcome.kind === 'unreachable') {
      settle({ accountId, messageId, position, held, outcome })
      return
    }
    assert(at !== null) // Without a carrier, every outcome is `unreachable`.
    const canonicalIds = outcome.kind === 'accepted' ? outcome.carrierMessageIds.map(canonicalId) : NO_IDS
    const isSingle = canonicalIds.length === 1 && !rcs
    const submittedAtMs = submittedAt.getTime()
    pendingIds.begin(
      at,
      canonicalIds,
      isSingle ? { accountId, messageId, position, phone: outbound.to, country, submittedAtMs } : undefined
    )
    settle({
      accountId,
      messageId,
      position,
      held,
      carrier: at,
      outcome,
      canonicalIds,
      batch: held.batch,
      lease: held.batch,
      submittedAt,
      channel: this.#channel,
      isPaid: held.isPaid,
      patience: rcs?.patience
    })
  }

  /** Stores outcomes, however long the database is away: no other place has them. */
  async #settleGroup(given: readonly HeldSettlement[]): Promise<void> {
    const { pool, carrier, log } = this.#options
    let settlements = given
    let touched = Map.groupBy(settlements, ({ held }) => held)
    for (let tries = 1; ; tries++) {
      try {
        if (settlements === given) settlements = await this.#withNext(given)
        if (settlements !== given) touched = Map.groupBy(settlements, ({ held }) => held)
        const finished = [...touched].filter(([held, ofHeld]) => isFinishedBy(held, ofHeld))
        // In a transaction of its own, since it locks more, and first: if the process dies in between, a recipient that fell
        // back is no longer part of the batch.
        await this.#options.rcs?.fallBack(settlements.flatMap(toRcsFailures))
        await pool.begin((database) =>
          settleOutcomes(database, settlements.filter(isSettled), { finished: finished.map(([held]) => held.batch) })
        )
        for (const [held] of finished) this.#held.delete(held)
        break
      } catch (error) {
        log.error({ carrier: carrier.name, err: error }, 'outcomes could not be stored; retrying')
        const isRefused = !isDatabaseUnavailable(error) && tries >= REFUSALS_MAX
        if (isRefused && settlements.length > 1) {
          for (const settlement of given) await this.#settleGroup([settlement])
          return
        }
        // Lets go of the unfinished batches: the next holder finds these recipients marked, and puts them in doubt.
        if (isRefused || (this.#isStopping && tries >= STOPPING_TRIES_MAX)) {
          for (const held of touched.keys()) this.#held.delete(held)
          break
        }
        await sleep(RETRY_MS)
      }
    }
    for (const [held, ofHeld] of touched) {
      for (const { position, outcome } of ofHeld) {
        if (outcome.kind !== 'retry') continue
        held.returned.push({ position, delaySeconds: outcome.delaySeconds, isTried: !outcome.isUntried })
      }
      this.#leave(
        held,
        ofHeld.map(({ position }) => position)
      )
      this.#finishSoon(held)
    }
    for (const { outcome } of settlements) if (outcome.kind === 'next') this.#options.onNext?.(outcome.route)
    this.#progress++
    this.#worker.wake()
    this.#settled()
  }

  /**
   * Refusals after which the route tries the next carrier become `next`. Not for a recipient that was ever in doubt, or of
   * whose segments the carrier took some: the phone may have it.
   */
  async #withNext(settlements: readonly HeldSettlement[]): Promise<readonly HeldSettlement[]> {
    const { pool, nextWay } = this.#options
    const ways = new Map<HeldSettlement, TryNext>()
    if (nextWay) {
      for (const settlement of settlements) {
        const reason = refusalOf(settlement)
        const route = reason === undefined ? undefined : nextWay(settlement.held.batch.route, reason)
        if (reason !== undefined && route !== undefined) ways.set(settlement, { kind: 'next', reason, route })
      }
    }
    if (ways.size === 0) return settlements
    const doubted = new Set((await listDoubted(pool, [...ways.keys()])).map(toRecipientId))
    return settlements.map((settlement): HeldSettlement => {
      const outcome = ways.get(settlement)
      return outcome && isSettled(settlement) && !doubted.has(toRecipientId(settlement))
        ? { ...settlement, outcome }
        : settlement
    })
  }

  #leave(held: HeldBatch, positions: readonly number[]): void {
    for (const position of positions) held.underWay.delete(position)
    this.#underWay -= positions.length
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

const AGENT_MISSING: SubmitOutcome = {
  kind: 'unreachable',
  reason: 'This account may no longer use the agent.',
  isAgentMissing: true
}
const ACCEPTED_ELSEWHERE: SubmitOutcome = { kind: 'accepted', carrierMessageIds: [] }
const EXPIRED_THERE: SubmitOutcome = {
  kind: 'retry',
  reason: 'Its time was over, and the platform may have it.',
  delaySeconds: 1,
  mayBeThere: true,
  isUntried: true
}

const NO_IDS: readonly string[] = []

/** A settlement of this dispatcher, with the ids that are pending until its commit. */
interface SettledHere extends Settlement {
  held: HeldBatch
  canonicalIds: readonly string[]
}

type HeldSettlement = SettledHere | (RecipientKey & { held: HeldBatch; outcome: Unreachable })

function isSettled(settlement: HeldSettlement): settlement is SettledHere {
  return settlement.outcome.kind !== 'unreachable'
}

/** The status of an answer by which the carrier took nothing. */
function refusalOf({ outcome }: HeldSettlement): string | undefined {
  if (outcome.kind === 'rejected') return outcome.carrierMessageIds.length === 0 ? outcome.reason : undefined
  return outcome.kind === 'retry' && !outcome.isUntried && !outcome.mayBeThere ? outcome.reason : undefined
}

function toRcsFailures({ accountId, messageId, position, outcome }: HeldSettlement): RcsFailure[] {
  if (outcome.kind !== 'unreachable') return []
  const errorCode = outcome.isAgentMissing ? 'rcs_no_agent' : 'rcs_unreachable'
  return [{ accountId, messageId, position, reason: outcome.reason, errorCode }]
}

/** Whether these settlements end the batch. */
function isFinishedBy(held: HeldBatch, settlements: readonly HeldSettlement[]): boolean {
  return (
    !held.hasWaiting &&
    held.returned.length === 0 &&
    held.underWay.size === settlements.length &&
    settlements.every(({ outcome }) => outcome.kind !== 'retry')
  )
}
