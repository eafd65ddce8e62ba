import type { Log } from '../http/log.ts'
import type { CarrierLimits } from './carrier.ts'
import { Fifo } from './fifo.ts'

/** A fifth of a second's worth at a time: processes share fairly, and the database is not asked for each submit. */
const CHUNKS_PER_SECOND = 5
/** The next chunk is asked for while so much of the last is left: no submit waits for the database then. */
const ASK_SHARE = 0.5
/** How far ahead a chunk may be reserved. */
const AHEAD_MS = 400
/** So much of a second is gathered to leave in one go: to wake up for each costs more than to send it. */
const GATHERED_SECONDS = 0.05
/** A grant that is not used within this is dropped: used later, it would come on top of later grants. */
const GRANT_MS_MAX = 1_000
const WAIT_MS_MAX = 1_000

export interface ThroughputOptions {
  carrier: string
  perSecond: number
  limits: Pick<CarrierLimits, 'takeThroughput'>
  /** Some may leave now. */
  onGranted(): void
  log: Log
}

/** Submits that were granted together, and are used evenly over the time of the grant. */
interface Grant {
  left: number
  /** How many of them may leave at `atMs`; below one, the first has to wait. */
  ready: number
  atMs: number
  untilMs: number
}

/** This process's share of the throughput of the whole cluster. */
export class Throughput {
  readonly #options: ThroughputOptions
  readonly #grants = new Fifo<Grant>()
  /** Of all grants. */
  #left = 0
  #isGathering = false
  #isAsking = false
  #askTimer: NodeJS.Timeout | undefined
  #readyTimer: NodeJS.Timeout | undefined

  constructor(options: ThroughputOptions) {
    this.#options = options
  }

  /** False when it is too early; `onGranted` follows. `wanted` is how many wait. */
  take(wanted: number, nowMs: number): boolean {
    this.#dropOld(nowMs)
    const isAllowed = this.#takeReady(nowMs)
    const isLow = this.#left < this.#chunk * ASK_SHARE
    if (isLow && wanted > this.#left && !this.#isAsking) void this.#ask(wanted - this.#left)
    return isAllowed
  }

  stop(): void {
    clearTimeout(this.#askTimer)
    clearTimeout(this.#readyTimer)
  }

  get #chunk(): number {
    return Math.max(1, Math.floor(this.#options.perSecond / CHUNKS_PER_SECOND))
  }

  #dropOld(nowMs: number): void {
    for (let first = this.#grants.first; first; first = this.#grants.first) {
      if (nowMs <= first.untilMs && first.left > 0) return
      this.#left -= first.left
      this.#grants.shift()
    }
  }

  #takeReady(nowMs: number): boolean {
    const first = this.#grants.first
    if (!first) return false
    const { perSecond } = this.#options
    const ready = first.ready + ((nowMs - first.atMs) * perSecond) / 1000
    const gathered = Math.max(1, Math.min(first.left, perSecond * GATHERED_SECONDS))
    this.#isGathering = ready < (this.#isGathering ? gathered : 1)
    if (this.#isGathering) {
      this.#wakeIn(((gathered - ready) * 1000) / perSecond)
      return false
    }
    first.ready--
    first.left--
    this.#left--
    return true
  }

  #wakeIn(waitMs: number): void {
    this.#readyTimer ??= setTimeout(() => {
      this.#readyTimer = undefined
      this.#options.onGranted()
    }, Math.ceil(waitMs))
  }

  async #ask(wanted: number): Promise<void> {
    const { onGranted, perSecond } = this.#options
    this.#isAsking = true
    const { granted, ready = granted, waitMs } = await this.#askFor(wanted)
    if (granted > 0) {
      const atMs = performance.now()
      const allReadyMs = (Math.max(0, granted - ready) * 1000) / perSecond
      this.#grants.push({ left: granted, ready, atMs, untilMs: atMs + allReadyMs + GRANT_MS_MAX })
      this.#left += granted
      this.#isAsking = false
      onGranted()
      return
    }
    this.#askTimer = setTimeout(
      () => {
        this.#isAsking = false
        onGranted()
      },
      Math.min(WAIT_MS_MAX, Math.max(1, waitMs))
    )
  }

  async #askFor(wanted: number): Promise<{ granted: number; ready?: number; waitMs: number }> {
    const { carrier, perSecond, limits, log } = this.#options
    // Far enough ahead for one submit, if the carrier takes less than one a second.
    const aheadMs = Math.max(AHEAD_MS, 1000 / perSecond)
    try {
      return await limits.takeThroughput(carrier, perSecond, Math.min(wanted, this.#chunk), aheadMs)
    } catch (error) {
      log.warn({ err: error }, 'the throughput could not be asked for')
      return { granted: 0, waitMs: WAIT_MS_MAX }
    }
  }
}
