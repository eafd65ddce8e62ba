import { setTimeout as sleep } from 'node:timers/promises'
import type { SubmitOutcome } from '../carriers/carrier.ts'
import { isDatabaseUnavailable, type Pool } from '../database/database.ts'
import { gather } from '../database/group-calls.ts'
import type { RcsFailure } from '../fallback/fall-back.ts'
import type { Log } from '../http/log.ts'
import type { RecipientKey } from '../recipients/move.ts'
import { toRecipientId } from '../recipients/recipient.ts'
import { listDoubted } from '../recipients/timeline.store.ts'
import type { HeldBatch } from './held-batch.ts'
import type { HeldBatches } from './held-batches.ts'
import type { PendingIds } from './pending-ids.ts'
import { type Settlement, settleOutcomes, type TryNext } from './settle-outcomes.ts'
import type { WindowRoom } from './window-room.ts'

const LIMITS = { sizeMax: 1_000, runningMax: 2, spacingMs: 24 }
/** A fallback locks its message for longer: fewer and larger groups wait less for each other. */
const RCS_LIMITS = { sizeMax: 1_000, runningMax: 1, spacingMs: 100 }
const RETRY_MS = 500
/** After this many errors of a database that is available, a group is settled one by one, and one that fails is given up. */
const REFUSALS_MAX = 5
/** A stop tries this often to store outcomes, and then no longer waits for the database. */
const STOPPING_TRIES_MAX = 10

export type Unreachable = Extract<SubmitOutcome, { kind: 'unreachable' }>

/** The outcome of a recipient that a dispatcher holds. An unreachable one falls back. */
export type UnsettledOutcome = Settleable | (RecipientKey & { held: HeldBatch; outcome: Unreachable })

/** With the ids that are pending until its commit. */
interface Settleable extends Settlement {
  held: HeldBatch
  canonicalIds: readonly string[]
}

export interface SettleOptions {
  pool: Pool
  pendingIds: PendingIds
  /** Only for RCS. */
  rcs?: {
    /** Sends SMS in place of RCS that can't arrive. */
    fallBack(failures: readonly RcsFailure[]): Promise<void>
  }
  /** The way through the next carrier after this one refused an SMS; undefined when there is none to try. */
  nextWay?(route: string, status: string): string | undefined
  /** Recipients were queued on the way of a next carrier. */
  onNext?(route: string): void
  log: Log
}

/** What else outcomes change, of their dispatcher. */
interface Holder {
  name: string | null
  held: HeldBatches
  room: WindowRoom
  isStopping(): boolean
  /** These positions of a batch are no longer under way. */
  onLeft(held: HeldBatch, positions: readonly number[]): void
  /** A group of outcomes is stored. */
  onSettled(): void
}

/** The outcomes of one dispatcher that are not stored. They are stored in groups, and keep their places in the window till then. */
export class UnsettledOutcomes {
  readonly #options: SettleOptions
  readonly #holder: Holder
  readonly #addLarge: (outcome: UnsettledOutcome) => void
  readonly #addSmall: (outcome: UnsettledOutcome) => void

  constructor(options: SettleOptions, holder: Holder) {
    this.#options = options
    this.#holder = holder
    const { room } = holder
    const settle = async (group: UnsettledOutcome[]) => {
      await this.#settle(group)
      for (const outcome of group) {
        if (isSettleable(outcome)) options.pendingIds.end(outcome.carrier, outcome.canonicalIds)
      }
    }
    const limits = options.rcs ? RCS_LIMITS : LIMITS
    // In a small window, other messages would wait for these places.
    const enough = () => (options.rcs ? limits.sizeMax : room.toGather)
    this.#addLarge = gather(settle, { ...limits, spacingMs: () => room.settleSpacingMs(limits.spacingMs), enough })
    this.#addSmall = gather(settle, { ...LIMITS, enough })
  }

  add(outcome: UnsettledOutcome): void {
    if (outcome.held.isSmall) this.#addSmall(outcome)
    else this.#addLarge(outcome)
  }

  /** However long the database is away: no other place has the outcomes. */
  async #settle(given: readonly UnsettledOutcome[]): Promise<void> {
    const { pool, rcs, onNext, log } = this.#options
    const { name, held: batches, isStopping, onLeft, onSettled } = this.#holder
    let outcomes = given
    let touched = Map.groupBy(outcomes, ({ held }) => held)
    for (let tries = 1; ; tries++) {
      try {
        if (outcomes === given) outcomes = await this.#withNext(given)
        if (outcomes !== given) touched = Map.groupBy(outcomes, ({ held }) => held)
        const finished = [...touched].filter(([held, ofHeld]) => isFinishedBy(held, ofHeld))
        // In a transaction of its own, since it locks more, and first: if the process dies in between, a recipient that fell
        // back is no longer part of the batch.
        await rcs?.fallBack(outcomes.flatMap(toRcsFailures))
        await pool.begin((database) =>
          settleOutcomes(database, outcomes.filter(isSettleable), { finished: finished.map(([held]) => held.batch) })
        )
        for (const [held] of finished) batches.delete(held)
        break
      } catch (error) {
        log.error({ carrier: name, err: error }, 'outcomes could not be stored; retrying')
        const isRefused = !isDatabaseUnavailable(error) && tries >= REFUSALS_MAX
        if (isRefused && outcomes.length > 1) {
          for (const outcome of given) await this.#settle([outcome])
          return
        }
        // Lets go of the unfinished batches: the next holder finds these recipients marked, and puts them in doubt.
        if (isRefused || (isStopping() && tries >= STOPPING_TRIES_MAX)) {
          for (const held of touched.keys()) batches.delete(held)
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
      const positions = ofHeld.map(({ position }) => position)
      onLeft(held, positions)
    }
    for (const { outcome } of outcomes) if (outcome.kind === 'next') onNext?.(outcome.route)
    onSettled()
  }

  /**
   * Refusals after which the route tries the next carrier become `next`. Not for a recipient that was ever in doubt, or of
   * whose segments the carrier took some: the phone may have it.
   */
  async #withNext(outcomes: readonly UnsettledOutcome[]): Promise<readonly UnsettledOutcome[]> {
    const { pool, nextWay } = this.#options
    const ways = new Map<UnsettledOutcome, TryNext>()
    if (nextWay) {
      for (const unsettled of outcomes) {
        const reason = refusalOf(unsettled)
        const route = reason === undefined ? undefined : nextWay(unsettled.held.batch.route, reason)
        if (reason !== undefined && route !== undefined) ways.set(unsettled, { kind: 'next', reason, route })
      }
    }
    if (ways.size === 0) return outcomes
    const doubted = new Set((await listDoubted(pool, [...ways.keys()])).map(toRecipientId))
    return outcomes.map((unsettled): UnsettledOutcome => {
      const outcome = ways.get(unsettled)
      return outcome && isSettleable(unsettled) && !doubted.has(toRecipientId(unsettled))
        ? { ...unsettled, outcome }
        : unsettled
    })
  }
}

function isSettleable(unsettled: UnsettledOutcome): unsettled is Settleable {
  return unsettled.outcome.kind !== 'unreachable'
}

/** The status of an answer by which the carrier took nothing. */
function refusalOf({ outcome }: UnsettledOutcome): string | undefined {
  if (outcome.kind === 'rejected') return outcome.carrierMessageIds.length === 0 ? outcome.reason : undefined
  return outcome.kind === 'retry' && !outcome.isUntried && !outcome.mayBeThere ? outcome.reason : undefined
}

function toRcsFailures({ accountId, messageId, position, outcome }: UnsettledOutcome): RcsFailure[] {
  if (outcome.kind !== 'unreachable') return []
  const errorCode = outcome.isAgentMissing ? 'rcs_no_agent' : 'rcs_unreachable'
  return [{ accountId, messageId, position, reason: outcome.reason, errorCode }]
}

/** Whether these outcomes end the batch. */
function isFinishedBy(held: HeldBatch, outcomes: readonly UnsettledOutcome[]): boolean {
  return (
    !held.hasWaiting &&
    held.returned.length === 0 &&
    held.underWay.size === outcomes.length &&
    outcomes.every(({ outcome }) => outcome.kind !== 'retry')
  )
}
