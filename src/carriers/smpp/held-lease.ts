import type { Log } from '../../http/log.ts'
import type { BindLease, BindLeases, BindStatus } from '../carrier.ts'

/** Of its length: two renewals may fail before it is lost. */
const RENEWALS_PER_LEASE = 3

interface LeaseOptions {
  carrier: string
  leases: BindLeases
  lease: BindLease
  /** By the monotonic clock, from before the claim: our lease ends before other processes see its end. */
  askedAtMs: number
  status(): BindStatus
  /** Another process, which holds fewer, should have it. */
  onAskedFor(): void
  onLost(reason: string): void
  log: Log
}

/** A lease that is renewed until it is lost or released. */
export class HeldLease {
  readonly slot: number
  readonly #options: LeaseOptions
  readonly #renewals: NodeJS.Timeout
  #untilMs: number
  #end: NodeJS.Timeout
  #renewing: Promise<boolean> | undefined

  constructor(options: LeaseOptions) {
    const { slot, leaseMs } = options.lease
    this.slot = slot
    this.#options = options
    this.#untilMs = options.askedAtMs + leaseMs
    this.#end = this.#endLater()
    this.#renewals = setInterval(() => this.tell(), leaseMs / RENEWALS_PER_LEASE)
  }

  /** By the clock, not by the answers of the database: a paused process gets none. */
  get isHeld(): boolean {
    return performance.now() < this.#untilMs
  }

  /** Gives it back, if it is still ours. */
  async release(): Promise<void> {
    const wasHeld = this.isHeld
    this.#stop()
    if (!wasHeld) return
    const { carrier, leases, lease, log } = this.#options
    await leases.release(carrier, lease).catch((error) => {
      log.warn({ carrier, slot: lease.slot, err: error }, 'a bind was not given back; it is free when its lease ends')
    })
  }

  /** Publishes the status of the bind at once, besides from time to time. */
  tell(): void {
    this.#renewing ??= this.#renew()
  }

  /** The same, and waits until it is stored. False when it is not, or not any more ours. */
  async confirm(): Promise<boolean> {
    // A renewal that is under way carries an older status, which must not be stored after this one.
    while (this.#renewing) await this.#renewing
    if (!this.isHeld) return false
    this.#renewing = this.#renew()
    return this.#renewing
  }

  async #renew(): Promise<boolean> {
    const { carrier, leases, lease, status, onAskedFor, log } = this.#options
    const askedAtMs = performance.now()
    try {
      const renewed = await leases.renew(carrier, lease, status())
      // The lease may have run out during the renewal: the session was closed then, and stays so.
      if (!this.isHeld) return false
      if (!renewed) {
        this.#lose('Another process took the bind over.')
        return false
      }
      this.#untilMs = askedAtMs + lease.leaseMs
      clearTimeout(this.#end)
      this.#end = this.#endLater()
      if (renewed.isAskedFor) onAskedFor()
      return true
    } catch (error) {
      log.warn({ carrier, slot: lease.slot, err: error }, 'a bind was not renewed; it is tried again until it is lost')
      return false
    } finally {
      this.#renewing = undefined
    }
  }

  #endLater(): NodeJS.Timeout {
    return setTimeout(() => this.#lose('The bind was not renewed in time.'), this.#untilMs - performance.now())
  }

  #lose(reason: string): void {
    this.#stop()
    this.#options.onLost(reason)
  }

  #stop(): void {
    clearInterval(this.#renewals)
    clearTimeout(this.#end)
    this.#untilMs = Number.NEGATIVE_INFINITY
  }
}
