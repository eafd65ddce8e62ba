import type { Log } from '../../http/log.ts'
import type { CarrierLimits } from '../carrier.ts'

/** Asked for at a time: a tenth of a second's worth, so that processes share fairly and the database is not asked for each. */
const CHUNKS_PER_SECOND = 10
/** Grants that lie around longer than this are dropped: used later, they would come on top of later ones. */
const GRANT_MS_MAX = 1_000
const WAIT_MS_MAX = 1_000

interface ThroughputOptions {
  carrier: string
  perSecond: number
  limits: CarrierLimits
  /** Some may leave now. */
  onGranted(): void
  log: Log
}

/** This process's share of what the carrier may be sent by the whole cluster. */
export class Throughput {
  readonly #options: ThroughputOptions
  #granted = 0
  #grantedAtMs = 0
  #isAsking = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: ThroughputOptions) {
    this.#options = options
  }

  /** False when it has to be asked for first; `onGranted` follows. `wanted` is how many wait. */
  take(wanted: number, nowMs: number): boolean {
    if (nowMs - this.#grantedAtMs > GRANT_MS_MAX) this.#granted = 0
    if (this.#granted > 0) {
      this.#granted--
      return true
    }
    if (!this.#isAsking) this.#ask(wanted)
    return false
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  async #ask(wanted: number): Promise<void> {
    const { onGranted } = this.#options
    this.#isAsking = true
    const { granted, waitMs } = await this.#askFor(wanted)
    if (granted > 0) {
      this.#granted = granted
      this.#grantedAtMs = performance.now()
      this.#isAsking = false
      onGranted()
      return
    }
    this.#timer = setTimeout(
      () => {
        this.#isAsking = false
        onGranted()
      },
      Math.min(WAIT_MS_MAX, Math.max(1, waitMs))
    )
  }

  async #askFor(wanted: number): Promise<{ granted: number; waitMs: number }> {
    const { carrier, perSecond, limits, log } = this.#options
    const chunk = Math.max(1, Math.floor(perSecond / CHUNKS_PER_SECOND))
    try {
      return await limits.takeThroughput(carrier, perSecond, Math.min(wanted, chunk))
    } catch (error) {
      log.warn({ err: error }, 'the throughput could not be asked for')
      return { granted: 0, waitMs: WAIT_MS_MAX }
    }
  }
}
