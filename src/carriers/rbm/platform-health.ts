import type { Log } from '../../http/log.ts'
import { PeerHealth } from '../peer-health.ts'
import { type AccessToken, TokenFailure } from './access-token.ts'
import type { RbmAnswer, RbmClient } from './rbm-client.ts'
import type { RbmTimings } from './rbm-timings.ts'
import { isWorking, reasonOf } from './send-outcomes.ts'

/* The health of the RCS platform: it also needs a token, and is asked about a phone before it is tried again. */

interface HealthOptions {
  token: AccessToken
  client: RbmClient
  timings: RbmTimings
  onChange(): void
  log: Log
}

export class PlatformHealth {
  readonly #options: HealthOptions
  readonly #health: PeerHealth
  /** The last phone that a send failed for: whether it can do RCS is a harmless question. */
  #phone: string | undefined

  constructor(options: HealthOptions) {
    const { token, timings, onChange, log } = options
    this.#options = options
    this.#health = new PeerHealth({
      peer: 'the RCS platform',
      isThere: () => this.#isThere(),
      waitMs: () => token.waitMs,
      backoff: timings.backoff,
      onChange,
      log
    })
  }

  get state(): PeerHealth['state'] {
    return this.#health.state
  }

  get lastError(): PeerHealth['lastError'] {
    return this.#health.lastError
  }

  onSend(answer: RbmAnswer, phone: string): void {
    if (isWorking(answer)) {
      this.#phone = undefined
      this.#health.onWorking()
      return
    }
    if (isTokenMissing(answer)) this.onOther(answer)
    else {
      this.#phone = phone
      this.#health.onFailure(reasonOf(answer))
    }
  }

  /** The answer to any call that is not a send. */
  onOther(answer: RbmAnswer): void {
    if (isWorking(answer)) return
    this.#health.note(reasonOf(answer))
    if (isTokenMissing(answer)) this.#health.goDown()
  }

  stop(): Promise<void> {
    return this.#health.stop()
  }

  async #isThere(): Promise<boolean> {
    const { token, client } = this.#options
    try {
      await token.get()
    } catch (error) {
      const message = error instanceof TokenFailure ? error.message : String(error)
      this.#options.log.warn({ reason: message }, 'there is no token for the RCS platform')
      this.#health.note(message)
      return false
    }
    if (this.#phone === undefined) return true
    const answer = await client.check(this.#phone)
    if (!isWorking(answer)) this.#health.note(reasonOf(answer))
    // Any answer counts: perhaps only checks fail, and then the next message shows whether the platform works.
    return answer.kind === 'answered'
  }
}

function isTokenMissing(answer: RbmAnswer): boolean {
  return answer.kind === 'failed' && answer.isTokenMissing
}
