import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Carrier, OutboundMessage, SubmitOutcome } from '../carriers/carrier.ts'
import { canonicalId } from '../carriers/message-ids.ts'
import { databaseNow } from '../database/clock.ts'
import { isDatabaseUnavailable, type Pool } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import type { Falling } from '../fallback/fall-back.ts'
import type { Patience } from '../fallback/follow-waits.ts'
import type { Log } from '../http/log.ts'
import { type Channel, LANES } from '../messages/message.ts'
import { claimBatches, deleteClaimed, extendLeases, giveBack } from '../queue/claims.store.ts'
import type { RecipientKey } from '../recipients/move.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import type { HeldBatch, Slice } from './held-batch.ts'
import { HeldBatches } from './held-batches.ts'
import { type Dropped, dropRecipients, type Prepared, prepareSlices, type Submission } from './prepare-slices.ts'
import { toReturn } from './retry-delays.ts'
import { type Settlement, settleOutcomes, withoutFallback } from './settle-outcomes.ts'
import type { Settling } from './settling.ts'
import { takeOver, takeOverRepeatable } from './take-over.ts'

/*
 * Keeps one carrier busy. Due batches of its routes are claimed with a lease; as room gets free in the carrier's window,
 * some recipients of each account are prepared and marked by one transaction, handed over, and settled in groups with what
 * the carrier said. Never are more handed over and not settled than the carrier's windows hold: that is all that a crash
 * can leave in doubt. What is left of a batch goes back into the queue.
 */

/** As long as it takes until somebody takes over from a process that died; the binds are free as soon. */
const LEASE_SECONDS = 10
const POLL_MS = 500
/** Transactions that mark recipients of campaigns at once: the next is prepared while the last is handed over. */
const PREPARES_MAX = 3
/** Each of them marks recipients of so many batches at most: it locks all their messages, and the server has room for thousands. */
const BATCHES_PER_PREPARE = 100
/** And of small batches besides. */
const SMALL_PREPARES_MAX = 2
/** Of the window, so much is kept free for transactional messages while there is marketing. */
const TRANSACTIONAL_SHARE = 0.1
/** Of the room in the window, so much is let grow before more is prepared. */
const ROOM_SHARE = 0.125
/** The same while there is a pace, of what leaves in a second; and so much of the window may be taken by what waits to be settled, for so long. */
const PACED_ROOM_SHARE = 0.4
const PACED_SETTLE_SHARE = 0.25
const PACED_SETTLE_SECONDS = 0.25
/** Only if the window holds what leaves in so much of a second. Else it is the window that holds back, and not the pace. */
const PACED_WINDOW_SECONDS = 0.5
/** A lane without anything due is looked at again after this, or when somebody says that there is something. */
const EMPTY_MS = 250
const SETTLE_LIMITS = { sizeMax: 1_000, runningMax: 2, spacingMs: 5 }
/** What falls back holds its message for longer: fewer and larger groups wait less for each other. */
const RCS_SETTLE_LIMITS = { sizeMax: 1_000, runningMax: 1, spacingMs: 25 }
const RETRY_MS = 500
/** A settlement that the database refuses so often, although it is there, is refused for good. */
const REFUSALS_MAX = 5
/** So often, and then a stop does not wait for the database any longer. */
const STOPPING_TRIES_MAX = 10
const LANE_NUMBERS = Object.values(LANES).sort()

export interface DispatchOptions {
  pool: Pool
  carrier: Carrier | NoCarrier
  /** The prefixes of the routes on which this carrier is the one to send now. */
  routes(): readonly string[]
  settling: Settling
  /** Who an SMS is from that took the place of an RCS and names nobody. */
  defaultSender?: string
  /** Only for RCS. */
  rcs?: {
    patience: Patience
    /** What is submitted twice arrives once. */
    isRepeatable: boolean
    /** Sends SMS in the place of what can't arrive. */
    fallBack(falling: readonly Falling[]): Promise<void>
  }
  log: Log
  onOutcome?(outcome: SubmitOutcome): void
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
  readonly #held = new HeldBatches()
  readonly #worker: RunningWorker
  readonly #leases: RunningWorker
  readonly #settle: (settlement: HeldSettlement) => Promise<undefined>
  readonly #settleSmall: (settlement: HeldSettlement) => Promise<undefined>
  readonly #turns = new Map<string, number>()
  /** By lane, until when nothing is expected to be due. */
  readonly #emptyUntilMs = new Map<number, number>()
  #underWay = 0
  readonly #preparing = { small: new Set<Promise<void>>(), large: new Set<Promise<void>>() }
  #isWoken = true
  #isStopping = false
  #progress = 0
  #settled: () => void = () => undefined

  constructor(options: DispatchOptions) {
    this.#options = options
    const { carrier, log } = options
    const settleTogether = async (settlements: HeldSettlement[]) => {
      await this.#settleGroup(settlements)
      return NO_ANSWERS
    }
    const limits = options.rcs ? RCS_SETTLE_LIMITS : SETTLE_LIMITS
    this.#settle = groupCalls(settleTogether, { ...limits, spacingMs: () => this.#settleSpacingMs(limits.spacingMs) })
    this.#settleSmall = groupCalls(settleTogether, SETTLE_LIMITS)
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

  /** Grows whenever something was claimed, begun or settled. */
  get progress(): number {
    return this.#progress
  }

  /** Something may be due, or the carrier may take more. */
  wake(): void {
    this.#isWoken = true
    this.#emptyUntilMs.clear()
    this.#worker.wake()
  }

  /** Claims nothing more, waits for what is on its way, and gives back the rest. */
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
   * Claims nothing more, and waits for nothing: whatever it waits for may never come. What is on its way still settles when
   * it is answered; what is held is somebody else's when its lease is over.
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
    // A little room is let grow, so that one transaction prepares many; the first of them is always kept for small ones.
    const hasLargeRoom = room >= Math.max(1, Math.floor(this.#roomToGather())) && !isBusy.large
    if (room < 1 || (isBusy.small && !hasLargeRoom)) return { isMoreDue: false }
    const isWoken = this.#isWoken
    this.#isWoken = false
    const chosen = new Map<HeldBatch, number[]>()
    const isWanted = ({ isSmall }: HeldBatch) => (isSmall ? !isBusy.small : hasLargeRoom)
    let free = room
    try {
      for (const lane of LANE_NUMBERS) {
        if (lane > 0) free = Math.min(free, room - Math.floor(carrier.capacity * TRANSACTIONAL_SHARE))
        // What is more urgent and waits for room goes before everything that follows, also before what is small.
        if (free <= 0 || LANE_NUMBERS.some((other) => other < lane && this.#held.waitingCount(other) > 0)) break
        if (isWoken || (this.#held.waitingCount(lane) < free && !this.#isEmpty(lane))) await this.#claim(lane)
        free -= this.#held.choose(lane, free, { chosen, isWanted })
      }
    } finally {
      // Also when a claim fails: who is chosen already would be held for ever.
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

  /** Whether it is the pace that holds messages back. Then work can be gathered without holding them back more. */
  get #isPaced(): boolean {
    const { capacity, pacePerSecond } = this.#options.carrier
    return pacePerSecond !== null && capacity >= pacePerSecond * PACED_WINDOW_SECONDS
  }

  /**
   * How much room is let grow, so that one transaction prepares many. With a pace, the window grows with what is unanswered and
   * the room in it does not: of a carrier that answers slowly, a share of the window might never be free.
   */
  #roomToGather(): number {
    const { capacity, pacePerSecond } = this.#options.carrier
    if (!this.#isPaced || pacePerSecond === null) return capacity * ROOM_SHARE
    return Math.min(capacity, pacePerSecond) * PACED_ROOM_SHARE
  }

  /** How long outcomes are gathered, so that one transaction settles many. */
  #settleSpacingMs(usualMs: number): number {
    const { capacity, pacePerSecond } = this.#options.carrier
    if (!this.#isPaced || pacePerSecond === null) return usualMs
    return 1000 * Math.min(PACED_SETTLE_SECONDS, (capacity * PACED_SETTLE_SHARE) / pacePerSecond)
  }

  #isEmpty(lane: number): boolean {
    return performance.now() < (this.#emptyUntilMs.get(lane) ?? 0)
  }

  /** What this carrier can't send now is for another to take, here or in another process. */
  #letGo(): void {
    const { carrier, routes } = this.#options
    const served = new Set(carrier.capacity > 0 ? routes() : [])
    for (const held of this.#held) {
      if (!held.hasWaiting || served.has(held.batch.route)) continue
      held.releaseWaiting()
      this.#finishSoon(held)
    }
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
    const { pool, routes, rcs, onOutcome } = this.#options
    const exceptAccountIds = this.#held.wellSupplied(lane)
    // Set before: a wake-up meanwhile takes it back. Accounts that are left out may need more in a moment.
    if (exceptAccountIds.length === 0) this.#emptyUntilMs.set(lane, performance.now() + EMPTY_MS)
    for (const route of routes()) {
      const turn = `${lane} ${route}`
      const claim = {
        token: randomUUID(),
        route,
        lane,
        leaseSeconds: LEASE_SECONDS,
        exceptAccountIds
      }
      const afterAccountId = this.#turns.get(turn) ?? 0
      let batches = await claimBatches(pool, { ...claim, afterAccountId })
      if (batches.length === 0 && afterAccountId > 0) {
        batches = await claimBatches(pool, { ...claim, afterAccountId: 0 })
      }
      this.#turns.set(turn, Math.max(0, ...batches.map(({ accountId }) => accountId)))
      this.#progress += batches.length
      if (batches.length > 0) this.#emptyUntilMs.delete(lane)
      for (const batch of batches) {
        const held = rcs?.isRepeatable
          ? await takeOverRepeatable(pool, batch, rcs.patience)
          : await takeOver(pool, batch, (reason) => onOutcome?.({ kind: 'in-doubt', reason }))
        // All of it may be in doubt, and nothing left to do.
        this.#finishSoon(this.#held.add(held))
      }
    }
  }

  async #sendInTurn(slices: readonly Slice[]): Promise<void> {
    for (let start = 0; start < slices.length; start += BATCHES_PER_PREPARE) {
      await this.#send(slices.slice(start, start + BATCHES_PER_PREPARE))
    }
  }

  async #send(slices: readonly Slice[]): Promise<void> {
    const prepared = await this.#prepare(slices)
    if (!prepared) return
    for (const submission of prepared.submissions) void this.#submit(submission)
    await this.#drop(prepared.dropped)
    for (const [held, left] of prepared.left) held.left.push(...left)
    for (const held of prepared.lost) this.#held.delete(held)
    const byBatch = Map.groupBy(prepared.submissions, ({ held }) => held)
    for (const { held, positions } of slices) {
      const submitted = new Set(byBatch.get(held)?.map(({ position }) => position))
      this.#leave(
        held,
        positions.filter((position) => !submitted.has(position))
      )
      this.#finishSoon(held)
    }
  }

  /** Undefined when the database can't do it now: nothing of it was handed over, and all of it is tried again. */
  async #prepare(slices: readonly Slice[]): Promise<Prepared | undefined> {
    const { pool, carrier, defaultSender = '', log } = this.#options
    try {
      return await pool.begin((database) =>
        prepareSlices(database, slices, { carrier: carrier.name, defaultSender, leaseSeconds: LEASE_SECONDS })
      )
    } catch (error) {
      log.error({ carrier: carrier.name, err: error }, 'recipients could not be prepared; they are tried again')
      await sleep(RETRY_MS)
      for (const { held, positions } of slices) {
        this.#underWay -= positions.length
        held.putBack(positions)
      }
      return undefined
    }
  }

  /** Those that can't be dropped now are looked at again. */
  async #drop(dropped: readonly Dropped[]): Promise<void> {
    const { pool, log } = this.#options
    if (dropped.length === 0) return
    try {
      await pool.begin((database) => dropRecipients(database, dropped))
    } catch (error) {
      log.error({ err: error }, 'recipients could not be dropped; they are looked at again')
      for (const { held, position } of dropped) held.left.push({ position, delaySeconds: 1, isTried: false })
    }
  }

  async #submit({ held, outbound, mayBeAt, accountId, messageId, position }: Submission): Promise<void> {
    const { carrier, settling, rcs } = this.#options
    const submittedAt = databaseNow()
    // To another carrier, what may be there is a second message: it is taken as sent, and follows that way.
    const isElsewhere = mayBeAt !== null && mayBeAt !== carrier.name
    const answer = isElsewhere ? TAKEN_ELSEWHERE : await this.#handOver(outbound)
    // What may be there is revoked when its batch is looked at next: to end it here would only forget it.
    const outcome = answer.kind === 'expired' && mayBeAt !== null ? EXPIRED_THERE : answer
    this.#options.onOutcome?.(outcome)
    const settle = held.isSmall ? this.#settleSmall : this.#settle
    const key = { accountId, messageId, position, held }
    if (outcome.kind === 'unreachable') {
      await settle({ ...key, outcome })
      return
    }
    const at = isElsewhere ? mayBeAt : carrier.name
    assert(at !== null) // Without a carrier, everybody is unreachable.
    const of = { channel: this.#channel, ...(rcs && { patience: rcs.patience }) }
    const ids = outcome.kind === 'accepted' ? outcome.carrierMessageIds.map(canonicalId) : []
    settling.begin(at, ids)
    await settle({ ...key, carrier: at, outcome, batch: held.batch, lease: held.batch, submittedAt, ...of })
    settling.end(at, ids)
  }

  async #handOver(outbound: OutboundMessage): Promise<SubmitOutcome> {
    const { carrier, rcs, log } = this.#options
    try {
      const outcome = await carrier.submit(outbound)
      return rcs ? outcome : withoutFallback(outcome)
    } catch (error) {
      log.error({ carrier: carrier.name, err: error }, 'a bug: a carrier threw instead of answering')
      const reason = 'The submission failed inside Chappe.'
      return rcs?.isRepeatable
        ? { kind: 'retry', reason, delaySeconds: 60, mayBeThere: true }
        : { kind: 'in-doubt', reason }
    }
  }

  /** Stores outcomes, however long the database is away: they are known nowhere else. */
  async #settleGroup(settlements: readonly HeldSettlement[]): Promise<void> {
    const { pool, carrier, log } = this.#options
    const touched = Map.groupBy(settlements, ({ held }) => held)
    for (let tries = 1; ; tries++) {
      try {
        const finished = [...touched].filter(([held, ofHeld]) => isFinishedBy(held, ofHeld))
        // By a transaction of its own, before: it locks more, and who fell back is no longer for us if we die in between.
        await this.#options.rcs?.fallBack(settlements.flatMap(toFalling))
        await pool.begin((database) =>
          settleOutcomes(database, settlements.filter(isSettled), { finished: finished.map(([held]) => held.batch) })
        )
        for (const [held] of finished) this.#held.delete(held)
        break
      } catch (error) {
        log.error({ carrier: carrier.name, err: error }, 'outcomes could not be stored; they are tried again')
        const isRefused = !isDatabaseUnavailable(error) && tries >= REFUSALS_MAX
        if (isRefused && settlements.length > 1) {
          for (const settlement of settlements) await this.#settleGroup([settlement])
          return
        }
        // Their batch is let go of, unfinished: whoever takes it over finds them marked, and in doubt.
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
        held.left.push({ position, delaySeconds: outcome.delaySeconds, isTried: !outcome.isUntried })
      }
      this.#leave(
        held,
        ofHeld.map(({ position }) => position)
      )
      this.#finishSoon(held)
    }
    this.#progress++
    this.#worker.wake()
    this.#settled()
  }

  #leave(held: HeldBatch, positions: readonly number[]): void {
    for (const position of positions) held.underWay.delete(position)
    this.#underWay -= positions.length
  }

  /** Those who wait for their turn need not wait for this. */
  #finishSoon(held: HeldBatch): void {
    const { log } = this.#options
    this.#finish(held).catch((error) => log.warn({ err: error }, 'a batch could not be given back; its lease runs out'))
  }

  /** Of a batch with nothing on its way: gives back what is left, or ends it. */
  async #finish(held: HeldBatch): Promise<void> {
    const { pool } = this.#options
    if (!held.isDone || !this.#held.delete(held)) return
    const { batch, left } = held
    if (left.length === 0) {
      await deleteClaimed(pool, [batch])
      return
    }
    const positions = left.map(({ position }) => position)
    await giveBack(pool, { batch, positions, ...toReturn(left, batch.attempts) })
  }

  async #extend(): Promise<{ isMoreDue: boolean }> {
    const { pool, log } = this.#options
    const held = [...this.#held]
    if (held.length === 0) return { isMoreDue: false }
    const batches = held.map(({ batch }) => batch)
    const ours = new Set((await extendLeases(pool, { batches, leaseSeconds: LEASE_SECONDS })).map(({ id }) => id))
    // Only those that were there before: a batch may have ended meanwhile.
    for (const lost of held.filter((batch) => this.#held.has(batch) && !ours.has(batch.batch.id))) {
      log.warn({ batch: lost.batch.id }, 'the lease of a batch was lost')
      this.#held.delete(lost)
    }
    return { isMoreDue: false }
  }
}

const TAKEN_ELSEWHERE: SubmitOutcome = { kind: 'accepted', carrierMessageIds: [] }
const EXPIRED_THERE: SubmitOutcome = {
  kind: 'retry',
  reason: 'Its time was over, and the platform may have it.',
  delaySeconds: 1,
  mayBeThere: true,
  isUntried: true
}

/** A settlement answers nothing but that it is done. */
const NO_ANSWERS: readonly undefined[] = []

type HeldSettlement = { held: HeldBatch } & (Settlement | (RecipientKey & { outcome: Unreachable }))

function isSettled(settlement: HeldSettlement): settlement is Settlement & { held: HeldBatch } {
  return settlement.outcome.kind !== 'unreachable'
}

function toFalling({ accountId, messageId, position, outcome }: HeldSettlement): Falling[] {
  if (outcome.kind !== 'unreachable') return []
  return [{ accountId, messageId, position, reason: outcome.reason, errorCode: 'rcs_unreachable' }]
}

/** Whether nothing of a batch is left to do once these are settled. */
function isFinishedBy(held: HeldBatch, settlements: readonly HeldSettlement[]): boolean {
  return (
    !held.hasWaiting &&
    held.left.length === 0 &&
    held.underWay.size === settlements.length &&
    settlements.every(({ outcome }) => outcome.kind !== 'retry')
  )
}
