import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../http/log.ts'
import { backoffMs } from '../backoff.ts'
import { type AccessToken, TokenFailure } from './access-token.ts'
import type { RbmAnswer, RbmClient } from './rbm-client.ts'
import type { RbmTimings } from './rbm-timings.ts'
import { isWorking, reasonOf } from './send-outcomes.ts'

/*
 * Whether the platform accepts messages. Only sends decide that: capability checks fail in ways of their own.
 *
 *   down ──► up        there is a token: so it begins
 *   down ──► trial     it was up before, and there is a token, and the platform is there: one message at a time
 *   trial ──► up       one was answered
 *   trial ──► down     it failed again
 *   up ──► down        there is no token, or the last sends all failed
 *
 * While it is down, it is tried again and again, ever more rarely.
 */

export type HealthState = 'down' | 'trial' | 'up'

/** In a row. One that fails may have itself to blame. */
const FAILURES_MAX = 10

interface HealthOptions {
  token: AccessToken
  client: RbmClient
  timings: RbmTimings
  onChange(): void
  log: Log
}

export class PlatformHealth {
  readonly #options: HealthOptions
  readonly #stopping = new AbortController()
  #state: HealthState = 'down'
  #wasUp = false
  /** Sends in a row that failed. */
  #failures = 0
  /** Times in a row that it was tried in vain. */
  #setbacks = 0
  /** The last phone that a send failed for: whether it can do RCS is a harmless question. */
  #phone: string | undefined
  #lastError: { at: Date; message: string } | null = null
  #recovering: Promise<void> | undefined

  constructor(options: HealthOptions) {
    this.#options = options
    this.#recovering = this.#recover()
  }

  get state(): HealthState {
    return this.#state
  }

  get lastError(): { at: Date; message: string } | null {
    return this.#lastError
  }

  onSend(answer: RbmAnswer, phone: string): void {
    if (isWorking(answer)) {
      this.#failures = 0
      this.#phone = undefined
      if (this.#state === 'trial') this.#become('up')
      return
    }
    this.onOther(answer)
    if (isTokenMissing(answer)) return
    this.#failures++
    this.#phone = phone
    if (this.#state === 'trial' || this.#failures >= FAILURES_MAX) this.#goDown()
  }

  /** The answer to any call that is not a send. */
  onOther(answer: RbmAnswer): void {
    if (isWorking(answer)) return
    this.#lastError = { at: new Date(), message: reasonOf(answer) }
    if (isTokenMissing(answer)) this.#goDown()
  }

  /** Settles once nothing is tried any more: the calls that are still on their way have deadlines. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#recovering
  }

  #goDown(): void {
    if (this.#state === 'down' || this.#stopping.signal.aborted) return
    this.#options.log.warn({ reason: this.#lastError?.message }, 'the RCS platform is down; nothing is sent to it')
    this.#become('down')
    this.#recovering = this.#recover()
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
    while (!signal.aborted) {
      // The first time at once.
      if (this.#setbacks > 0 || this.#wasUp) await this.#pause(signal)
      this.#setbacks++
      if (signal.aborted || !(await this.#isThere()) || signal.aborted) continue
      this.#options.log.info('the RCS platform is up')
      this.#become(this.#wasUp ? 'trial' : 'up')
      return
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { token, timings } = this.#options
    const waitMs = Math.max(token.waitMs, backoffMs(Math.max(1, this.#setbacks), timings.backoff))
    await sleep(waitMs, undefined, { signal }).catch(() => undefined) // A stop ends it.
  }

  async #isThere(): Promise<boolean> {
    const { token, client } = this.#options
    try {
      await token.get()
    } catch (error) {
      const message = error instanceof TokenFailure ? error.message : String(error)
      this.#options.log.warn({ reason: message }, 'there is no token for the RCS platform')
      this.#lastError = { at: new Date(), message }
      return false
    }
    if (this.#phone === undefined) return true
    const answer = await client.check(this.#phone)
    if (!isWorking(answer)) this.#lastError = { at: new Date(), message: reasonOf(answer) }
    // Whatever it says: it may be the checks alone that fail, and then a message shows it.
    return answer.kind === 'answered'
  }
}

function isTokenMissing(answer: RbmAnswer): boolean {
  return answer.kind === 'failed' && answer.isTokenMissing
}
