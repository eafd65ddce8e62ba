import { randomUUID } from 'node:crypto'
import type { Pool } from '../database/database.ts'
import { LANES } from '../messages/message.ts'
import { type ClaimedBatch, claimBatches, isWholeClaim } from '../queue/claims.store.ts'
import { LEASE_SECONDS } from './held-batch.ts'

/** The most urgent first. */
export const LANE_NUMBERS: readonly number[] = Object.values(LANES).sort()
/** A lane without due batches is queried again after this time, or at the next wake-up. */
const EMPTY_MS = 250

interface LaneClaimsOptions {
  pool: Pool
  routes(): readonly string[]
  /** Takes the batches of a claim. */
  onClaimed(batches: readonly ClaimedBatch[]): Promise<void>
}

/** The claims of one dispatcher: accounts in turn, and no query of a lane that was empty a moment ago. */
export class LaneClaims {
  readonly #options: LaneClaimsOptions
  /** By lane and route: the account of the last claim. */
  readonly #turns = new Map<string, number>()
  /** By lane: until when no batch is expected to be due. */
  readonly #emptyUntilMs = new Map<number, number>()
  readonly #mayBeQueued = new Set<number>(LANE_NUMBERS)

  constructor(options: LaneClaimsOptions) {
    this.#options = options
  }

  /** A batch may be due in any lane. */
  wake(): void {
    this.#emptyUntilMs.clear()
    for (const lane of LANE_NUMBERS) this.#mayBeQueued.add(lane)
  }

  isEmpty(lane: number): boolean {
    return performance.now() < (this.#emptyUntilMs.get(lane) ?? 0)
  }

  /**
   * Whether a lane may have queued batches that no claim has seen. New recipients take no seats there: they would overtake
   * small batches of other accounts. A claim takes some of each account, so that only more of a campaign is left behind.
   */
  mayBeQueued(lane: number): boolean {
    return this.#mayBeQueued.has(lane)
  }

  /** Of `suppliedAccountIds`, only small batches are claimed. */
  async claim(
    lane: number,
    accounts: { suppliedAccountIds: readonly number[]; exceptAccountIds: readonly number[] }
  ): Promise<void> {
    // Set before the query: a wake-up meanwhile clears it. Not set while accounts are left out: they may need more in a moment.
    if (accounts.suppliedAccountIds.length === 0) this.#emptyUntilMs.set(lane, performance.now() + EMPTY_MS)
    let isDrained = true
    for (const route of this.#options.routes()) {
      const { batches, isAll } = await this.#claimOf(route, lane, accounts)
      if (batches.length > 0) this.#emptyUntilMs.delete(lane)
      if (!isAll) isDrained = false
      await this.#options.onClaimed(batches)
    }
    // A batch that was queued meanwhile is claimed next: recipients with a seat overtake it by a moment at most.
    if (isDrained) this.#mayBeQueued.delete(lane)
  }

  async #claimOf(
    route: string,
    lane: number,
    accounts: { suppliedAccountIds: readonly number[]; exceptAccountIds: readonly number[] }
  ): Promise<{ batches: readonly ClaimedBatch[]; isAll: boolean }> {
    const { pool } = this.#options
    const turn = `${lane} ${route}`
    const claim = { token: randomUUID(), route, lane, leaseSeconds: LEASE_SECONDS, ...accounts }
    let afterAccountId = this.#turns.get(turn) ?? 0
    let batches = await claimBatches(pool, { ...claim, afterAccountId })
    if (batches.length === 0 && afterAccountId > 0) {
      afterAccountId = 0
      batches = await claimBatches(pool, { ...claim, afterAccountId })
    }
    this.#turns.set(turn, Math.max(0, ...batches.map(({ accountId }) => accountId)))
    return { batches, isAll: afterAccountId === 0 && isWholeClaim(batches) }
  }
}
