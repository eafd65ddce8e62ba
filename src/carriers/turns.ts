import { Fifo } from './fifo.ts'
import { Pace } from './pace.ts'
import { Throughput, type ThroughputOptions } from './throughput.ts'

/*
 * When the next message may leave over HTTP. A platform limits messages a second without saying the limit: the pace
 * learns it from throttled sends, as for SMS carriers. When the platform says how long to wait, all messages go back to
 * the caller.
 */

export type Turn =
  | { kind: 'now' }
  /** Not now: the caller keeps the message for so long. */
  | { kind: 'later'; reason: string; delaySeconds: number }

interface TurnsOptions {
  /** The longest wait of a message. */
  waitMs: number
  /** A pause began or ended. */
  onChange(): void
  /** The limit that the operator set for the whole cluster, if there is one. */
  throughput?: Omit<ThroughputOptions, 'onGranted'> | undefined
}

interface Waiting {
  sinceMs: number
  resolve(turn: Turn): void
}

/** The caller keeps to the capacity; this only bounds the memory if it does not. */
const WAITING_MAX = 2_000
const WAITED_SECONDS = 1
const NOW: Turn = { kind: 'now' }

export class Turns {
  readonly #options: TurnsOptions
  readonly #pace = new Pace()
  readonly #throughput: Throughput | undefined
  readonly #waiting = new Fifo<Waiting>()
  #pausedUntilMs = 0
  #pauseTimer: NodeJS.Timeout | undefined
  #paceTimer: NodeJS.Timeout | undefined
  #stopped: Turn | undefined

  constructor(options: TurnsOptions) {
    this.#options = options
    const { throughput } = options
    this.#throughput = throughput && new Throughput({ ...throughput, onGranted: () => this.#pump() })
  }

  /** Null is no limit. */
  get perSecond(): number | null {
    const { perSecond: learned } = this.#pace
    const set = this.#options.throughput?.perSecond ?? null
    return learned === null || set === null ? (learned ?? set) : Math.min(learned, set)
  }

  get isPaused(): boolean {
    return this.pausedMs > 0
  }

  /** How much longer the platform asked us to wait. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntilMs - performance.now())
  }

  /** Settles within its time. */
  take(): Turn | Promise<Turn> {
    if (this.#stopped) return this.#stopped
    const nowMs = performance.now()
    if (nowMs < this.#pausedUntilMs) return this.#pausedTurn(nowMs)
    if (this.#waiting.size === 0 && this.#pace.waitMs(nowMs) === 0 && this.#isGranted(1, nowMs)) {
      this.#pace.take()
      return NOW
    }
    if (this.#waiting.size >= WAITING_MAX) return later('Too many messages wait for this carrier.', WAITED_SECONDS)
    const { promise, resolve } = Promise.withResolvers<Turn>()
    this.#waiting.push({ sinceMs: nowMs, resolve })
    this.#pump()
    return promise
  }

  onTaken(sentAtMs: number): void {
    this.#pace.onAccepted(sentAtMs, performance.now())
  }

  onThrottled(sentAtMs: number): void {
    this.#pace.onThrottled(sentAtMs, performance.now())
  }

  /** The platform is down, and is tried out before it gets more. */
  forgetPace(): void {
    this.#pace.forget()
    this.#pump()
  }

  /** The platform said so. */
  pause(seconds: number): void {
    const nowMs = performance.now()
    const untilMs = nowMs + seconds * 1000
    if (untilMs <= this.#pausedUntilMs || this.#stopped) return
    const wasPaused = nowMs < this.#pausedUntilMs
    this.#pausedUntilMs = untilMs
    clearTimeout(this.#pauseTimer)
    // A timer may come a little early.
    this.#pauseTimer = setTimeout(() => this.#options.onChange(), seconds * 1000 + 2)
    for (const { resolve } of this.#waiting.drain()) resolve(this.#pausedTurn(nowMs))
    if (!wasPaused) this.#options.onChange()
  }

  /** Once a second. */
  tick(): void {
    const nowMs = performance.now()
    this.#pace.tick(nowMs)
    for (let first = this.#waiting.first; first; first = this.#waiting.first) {
      if (nowMs - first.sinceMs < this.#options.waitMs) break
      this.#waiting.shift()
      first.resolve(later('It waited too long for its turn.', WAITED_SECONDS))
    }
    this.#pump()
  }

  /** Waiting messages go back to the caller, and so do all that come later. */
  stop(reason: string): void {
    const stopped = later(reason, WAITED_SECONDS)
    this.#stopped = stopped
    clearTimeout(this.#pauseTimer)
    clearTimeout(this.#paceTimer)
    this.#throughput?.stop()
    for (const { resolve } of this.#waiting.drain()) resolve(stopped)
  }

  /** When it is not, the throughput calls back. */
  #isGranted(wanted: number, nowMs: number): boolean {
    return this.#throughput?.take(wanted, nowMs) ?? true
  }

  #pausedTurn(nowMs: number): Turn {
    const delaySeconds = Math.max(1, Math.ceil((this.#pausedUntilMs - nowMs) / 1000))
    return later('The platform asked us to wait.', delaySeconds)
  }

  #pump(): void {
    for (let first = this.#waiting.first; first; first = this.#waiting.first) {
      const nowMs = performance.now()
      const waitMs = this.#pace.waitMs(nowMs)
      if (waitMs > 0) {
        this.#paceTimer ??= setTimeout(() => {
          this.#paceTimer = undefined
          this.#pump()
        }, waitMs)
        return
      }
      if (!this.#isGranted(this.#waiting.size, nowMs)) return
      this.#pace.take()
      this.#waiting.shift()
      first.resolve(NOW)
    }
  }
}

function later(reason: string, delaySeconds: number): Turn {
  return { kind: 'later', reason, delaySeconds }
}
