import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../http/log.ts'
import { type BackoffBounds, backoffMs } from './backoff.ts'

/*
 * Whether a peer without binds accepts messages. Only sends decide that: other calls fail in ways of their own.
 *
 *   down ──► up        it was never up, and it is there: so it begins
 *   down ──► trial     it was up before, and it is there: one message at a time
 *   trial ──► up       one was answered
 *   trial ──► down     it failed again
 *   up ──► down        it can't be asked at all, or the last sends all failed
 *
 * While it is down, it is tried again and again, ever more rarely.
 */

export type HealthState = 'down' | 'trial' | 'up'

/** In a row. One that fails may have itself to blame. */
const FAILURES_MAX = 10

export interface PeerHealthOptions {
  /** How the log calls the peer. */
  peer: string
  /** Whether it may be sent to again. Never rejects. */
  isThere(): Promise<boolean>
  /** The least wait before it is looked at again. */
  waitMs?(): number
  backoff: BackoffBounds
  onChange(): void
  log: Log
}

export class PeerHealth {
  readonly #options: PeerHealthOptions
  readonly #stopping = new AbortController()
  #state: HealthState = 'down'
  #wasUp = false
  /** Sends in a row that failed. */
  #failures = 0
  /** Times in a row that it was tried in vain. */
  #setbacks = 0
  #lastError: { at: Date; message: string } | null = null
  #recovering: Promise<void> | undefined

  constructor(options: PeerHealthOptions) {
    this.#options = options
    this.#recovering = this.#recover()
  }

  get state(): HealthState {
    return this.#state
  }

  get lastError(): { at: Date; message: string } | null {
    return this.#lastError
  }

  /** A send was answered by a peer that works. */
  onWorking(): void {
    this.#failures = 0
    if (this.#state === 'trial') this.#become('up')
  }

  /** A send failed. */
  onFailure(message: string): void {
    this.note(message)
    this.#failures++
    if (this.#state === 'trial' || this.#failures >= FAILURES_MAX) this.goDown()
  }

  /** Something failed that says nothing about sends. */
  note(message: string): void {
    this.#lastError = { at: new Date(), message }
  }

  goDown(): void {
    if (this.#state === 'down' || this.#stopping.signal.aborted) return
    const { peer, log } = this.#options
    log.warn({ reason: this.#lastError?.message }, `${peer} is down; nothing is sent to it`)
    this.#become('down')
    this.#recovering = this.#recover()
  }

  /** Settles once nothing is tried any more: the calls that are still on their way have deadlines. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#recovering
  }

  #become(state: HealthState): void {
    this.#state = state
    if (state === 'up') {
      this.#wasUp = true
      this.#setbacks = 0
    }
    this.#options.onChange()
  }

  async #recover(): Promise<void> {
    const { signal } = this.#stopping
    const { isThere, peer, log } = this.#options
    while (!signal.aborted) {
      // The first time at once.
      if (this.#setbacks > 0 || this.#wasUp) await this.#pause(signal)
      this.#setbacks++
      if (signal.aborted || !(await isThere()) || signal.aborted) continue
      log.info(`${peer} is up`)
      this.#become(this.#wasUp ? 'trial' : 'up')
      return
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { waitMs, backoff } = this.#options
    const pauseMs = Math.max(waitMs?.() ?? 0, backoffMs(Math.max(1, this.#setbacks), backoff))
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined) // A stop ends it.
  }
}
