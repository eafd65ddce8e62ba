import type { Carrier } from '../carriers/carrier.ts'

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

/** The window of a carrier. A recipient has a place in it from before it is prepared until its outcome is stored. */
export class WindowRoom {
  readonly #carrier: Pick<Carrier, 'capacity' | 'pacePerSecond'>
  #taken = 0
  #onUnused: () => void = () => undefined

  constructor(carrier: Pick<Carrier, 'capacity' | 'pacePerSecond'>) {
    this.#carrier = carrier
  }

  /** Less than none when the carrier's window has become smaller. */
  get free(): number {
    return this.#carrier.capacity - this.#taken
  }

  take(count: number): void {
    this.#taken += count
  }

  giveBack(count: number): void {
    this.#taken -= count
    if (this.#taken === 0) this.#onUnused()
  }

  async untilUnused(): Promise<void> {
    while (this.#taken > 0) {
      await new Promise<void>((resolve) => {
        this.#onUnused = resolve
      })
    }
  }

  /** What marketing leaves free. */
  get forTransactional(): number {
    return Math.floor(this.#carrier.capacity * TRANSACTIONAL_SHARE)
  }

  /** What campaigns leave free. */
  get forSmall(): number {
    const { capacity } = this.#carrier
    return capacity >= LARGE_WINDOW ? Math.floor(capacity * SMALL_SHARE) : 0
  }

  /**
   * How much room must be free, so that one transaction prepares many recipients. Under a pace, the window grows with the
   * unanswered submits, and its free room does not. A slow carrier might never have a share of its window free.
   */
  get toGather(): number {
    const { capacity } = this.#carrier
    const pacePerSecond = this.#limitingPace
    return pacePerSecond === undefined ? capacity * ROOM_SHARE : Math.min(capacity, pacePerSecond) * PACED_ROOM_SHARE
  }

  /** Outcomes gather for this long, so that one transaction settles many. */
  settleSpacingMs(usualMs: number): number {
    const pacePerSecond = this.#limitingPace
    if (pacePerSecond === undefined) return usualMs
    return 1000 * Math.min(PACED_SETTLE_SECONDS, (this.#carrier.capacity * PACED_SETTLE_SHARE) / pacePerSecond)
  }

  /** The pace if it is the limit, and not the window. Then gathering work delays no message. */
  get #limitingPace(): number | undefined {
    const { capacity, pacePerSecond } = this.#carrier
    return pacePerSecond !== null && capacity >= pacePerSecond * PACED_WINDOW_SECONDS ? pacePerSecond : undefined
  }
}
