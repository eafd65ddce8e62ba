import { type Answer, refusal } from './answers.ts'
import type { RbmFaults } from './fault-state.ts'
import { E164, UUID } from './forms.ts'
import type { RbmMessages } from './messages.ts'
import { isEuropean } from './regions.ts'
import type { RbmStats } from './stats.ts'

const BATCH_MIN = 500
const BATCH_MAX = 10_000
/** The share of a batch that the platform samples for the whole market. */
const SAMPLE_SHARE = 0.75

const FEATURES = [
  'RICHCARD_STANDALONE',
  'RICHCARD_CAROUSEL',
  'ACTION_CREATE_CALENDAR_EVENT',
  'ACTION_DIAL',
  'ACTION_OPEN_URL',
  'ACTION_SHARE_LOCATION',
  'ACTION_VIEW_LOCATION',
  'ACTION_OPEN_URL_IN_WEBVIEW',
  'ACTION_COMPOSE'
]

/** Answers capability checks. */
export class RbmChecks {
  readonly #faults: RbmFaults
  readonly #stats: RbmStats
  readonly #messages: RbmMessages

  constructor({ faults, stats, messages }: { faults: RbmFaults; stats: RbmStats; messages: RbmMessages }) {
    this.#faults = faults
    this.#stats = stats
    this.#messages = messages
  }

  /** The features of one phone. */
  checkOne(phone: string, query: URLSearchParams): Answer {
    this.#stats.capabilityChecks++
    if (this.#faults.picks('refusedChecks')) return this.#refuse(this.#faults.conduct.refusedChecks.http)
    if (!UUID.test(query.get('requestId') ?? ''))
      return refusal(400, 'requestId must be a UUID, as defined in RFC 4122.')
    return this.#messages.hasRcs(phone) ? { http: 200, body: { features: FEATURES } } : refusal(404)
  }

  /** Which of many phones have RCS. */
  checkMany(users: unknown): Answer {
    this.#stats.batchChecks++
    if (!this.#faults.batches.take()) return this.#refuse(429)
    if (this.#faults.picks('refusedChecks')) return this.#refuse(this.#faults.conduct.refusedChecks.http)
    if (!Array.isArray(users) || !users.every((user) => typeof user === 'string' && E164.test(user))) {
      return refusal(400, 'users must be phone numbers in E.164.')
    }
    if (users.length < BATCH_MIN || users.length > BATCH_MAX || new Set(users).size < users.length) {
      return refusal(400, `users must be ${BATCH_MIN} to ${BATCH_MAX} unique phone numbers.`)
    }
    if (this.#faults.conduct.isOneRegionOnly && !users.every(isEuropean)) {
      return refusal(400, 'users must be phone numbers of the region of this endpoint.')
    }
    const reachableUsers = users.filter((user) => this.#messages.hasRcs(user))
    const sample = users.slice(0, Math.floor(users.length * SAMPLE_SHARE))
    return {
      http: 200,
      body: {
        reachableUsers,
        totalRandomSampleUserCount: sample.length,
        reachableRandomSampleUserCount: sample.filter((user) => this.#messages.hasRcs(user)).length
      }
    }
  }

  #refuse(http: number): Answer {
    this.#stats.checksRefused++
    return refusal(http)
  }
}
