import { databaseNow } from '../../database/clock.ts'
import type { Log } from '../../http/log.ts'
import type { RcsContent } from '../../rcs/rcs-content.ts'
import {
  CallsUnderWay,
  isExpired,
  limitedCapacity,
  notNow,
  STOPPING,
  sendInTurn,
  statusWithoutBinds,
  tell,
  WAITED_TOO_LONG
} from '../calls-under-way.ts'
import type {
  CapabilityCache,
  Carrier,
  CarrierEvents,
  CarrierLimits,
  CarrierStatus,
  OutboundMessage,
  RevokeOutcome,
  SubmitOutcome
} from '../carrier.ts'
import { RecentRate } from '../recent-rate.ts'
import { Slots } from '../slots.ts'
import { Turns } from '../turns.ts'
import { AccessToken } from './access-token.ts'
import { Capabilities } from './capabilities.ts'
import { Checks, type Known } from './checks.ts'
import { ListChecks } from './list-checks.ts'
import { toRbmMessageId } from './message-ids.ts'
import { PlatformHealth } from './platform-health.ts'
import { type RbmAnswer, RbmClient } from './rbm-client.ts'
import { RbmCounts, type RbmMetrics } from './rbm-metrics.ts'
import type { RbmSettings, ServiceAccountKey } from './rbm-settings.ts'
import { RBM_TIMINGS, type RbmTimings } from './rbm-timings.ts'
import { saysUnreachable, toRevokeOutcome, toSubmitOutcome } from './send-outcomes.ts'
import { toAgentMessage } from './to-agent-message.ts'

export interface RbmCarrierOptions {
  settings: RbmSettings & { key: ServiceAccountKey }
  /** How long a message may wait for its delivery report, unless the settings say so. */
  fallbackSeconds: number
  /** Marks the ids of messages as ours: the same for as long as any is on its way. */
  messageIdKey: string
  cache: CapabilityCache
  limits: Pick<CarrierLimits, 'takeThroughput'>
  /** Reports and replies come over HTTP, to the processes of the role `api`. */
  events: Pick<CarrierEvents, 'onChange'>
  metrics?: RbmMetrics | undefined
  log: Log
  timings?: Partial<RbmTimings> | undefined
}

/** Sends at once. A platform that answers within 200 ms gets 500 a second so. */
const SENDS_MAX = 100
/** Messages that may wait here for their send: as many as leave within this time, so that work is done in large groups. */
const WAITING_SECONDS = 0.3
const WAITING_MAX = 900
const REVOCATIONS_MAX = 25
/**
 * The longest that the platform takes. It advises against less than 10, after which a report and an expiry may both
 * come.
 */
const TTL_SECONDS_MAX = 1_296_000

/** With a Retry-After they are about the platform, and not about one message. */
const PAUSING = new Set([429, 503])

/** Asks for a token at once, and keeps at it until it is stopped. */
export function startRbmCarrier(options: RbmCarrierOptions): Required<Carrier> {
  return new RbmCarrier(options)
}

class RbmCarrier implements Required<Carrier> {
  readonly name: string
  readonly #options: RbmCarrierOptions
  readonly #timings: RbmTimings
  readonly #log: Log
  readonly #token: AccessToken
  readonly #client: RbmClient
  readonly #counts: RbmCounts
  readonly #turns: Turns
  readonly #health: PlatformHealth
  readonly #capabilities: Capabilities
  readonly #listChecks: ListChecks
  readonly #rate = new RecentRate()
  readonly #sends = new Slots(SENDS_MAX)
  readonly #revocations = new Slots(REVOCATIONS_MAX)
  /** Messages that the platform took, or that ended otherwise, in this second and in the one before. */
  #taken: [number, number] = [0, 0]
  readonly #seconds: NodeJS.Timeout
  readonly #calls = new CallsUnderWay()
  /** Of the calls, the sends that wait for the platform. */
  #sending = 0
  #stopping: Promise<void> | undefined

  constructor(options: RbmCarrierOptions) {
    const { settings, cache, limits, metrics } = options
    const timings = { ...RBM_TIMINGS, ...options.timings }
    const onChange = () => tell(() => options.events.onChange(), this.#log)
    this.name = settings.name
    this.#options = options
    this.#timings = timings
    this.#log = options.log.child({ carrier: settings.name })
    this.#counts = new RbmCounts(settings.name, metrics)
    this.#token = new AccessToken(settings.key, timings)
    const { baseUrl, agentId } = settings
    this.#client = new RbmClient({ baseUrl, agentId, token: this.#token, timings, counts: this.#counts })
    this.#turns = new Turns({ waitMs: timings.turnWaitMs, onChange })
    const parts = { client: this.#client, timings, log: this.#log }
    this.#health = new PlatformHealth({ ...parts, token: this.#token, onChange })
    const { name: carrier } = settings
    const checks = new Checks({ ...parts, carrier, limits, onAnswer: (answer) => this.#health.onOther(answer) })
    this.#capabilities = new Capabilities({ carrier, checks, cache, waitMs: timings.checkMs, log: this.#log })
    this.#listChecks = new ListChecks({ carrier, checks, cache, waitMs: timings.listWaitMs })
    this.#seconds = setInterval(() => this.#tick(), 1_000)
  }

  get capacity(): number {
    const limited = limitedCapacity({
      isStopping: this.#stopping !== undefined,
      health: this.#health,
      turns: this.#turns,
      sending: this.#sending,
      sendsMax: SENDS_MAX
    })
    return limited ?? SENDS_MAX + Math.min(WAITING_MAX, Math.floor(Math.max(...this.#taken) * WAITING_SECONDS))
  }

  get pacePerSecond(): number | null {
    return this.#turns.perSecond
  }

  async submit(message: OutboundMessage): Promise<SubmitOutcome> {
    if (isExpired(message)) return { kind: 'expired' }
    const refusal = this.#refusal()
    if (refusal) return { ...notNow(refusal), isUntried: true }
    return this.#calls.run(() => this.#submit(message))
  }

  /**
   * A 200 means that the message is revoked, as Google documents it now; earlier it said that a 200 proves nothing. The
   * fallback therefore waits a while for a report.
   */
  async revoke({ reference, to }: Pick<OutboundMessage, 'reference' | 'to'>): Promise<RevokeOutcome> {
    const refusal = this.#refusal()
    if (refusal) return notNow(refusal)
    const untilMs = performance.now() + this.#timings.revokeMs
    return this.#calls.run(() =>
      this.#revocations.run(async () => {
        if (performance.now() > untilMs) return notNow(WAITED_TOO_LONG)
        const answer = await this.#client.revoke(to, this.#messageId(reference))
        this.#health.onOther(answer)
        return toRevokeOutcome(answer)
      })
    )
  }

  foresee(phones: readonly string[]): void {
    if (!this.#refusal()) this.#capabilities.foresee(phones)
  }

  findCapable(phones: readonly string[]): Promise<Set<string>> {
    if (this.#stopping) return Promise.reject(new Error(STOPPING))
    return this.#listChecks.findCapable(phones)
  }

  status(): CarrierStatus {
    return statusWithoutBinds({
      isStopping: this.#stopping !== undefined,
      calls: this.#calls,
      capacity: this.capacity,
      rate: this.#rate,
      turns: this.#turns,
      health: this.#health
    })
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  #refusal(): string | undefined {
    if (this.#stopping) return STOPPING
    if (this.#health.state === 'down') return 'The RCS platform can’t be sent to.'
    return undefined
  }

  async #submit(message: OutboundMessage): Promise<SubmitOutcome> {
    const { to, rcs } = message
    if (!rcs) return { kind: 'rejected', reason: 'It has no RCS content.', carrierMessageIds: [] }
    const known = await this.#capabilities.isCapable(to)
    if (known === false) {
      this.#taken[0]++
      return { kind: 'unreachable', reason: 'This phone can’t do RCS.' }
    }
    const queue = {
      slots: this.#sends,
      turns: this.#turns,
      waitMs: this.#timings.turnWaitMs,
      refusal: () => this.#refusal()
    }
    return sendInTurn(queue, () => this.#sendNow(message, rcs, known))
  }

  async #sendNow(message: OutboundMessage, rcs: RcsContent, known: Known): Promise<SubmitOutcome> {
    const { to, reference, isMarketing } = message
    // It may have waited long, here and with the caller.
    const ttlSeconds = this.#ttlSeconds(message)
    if (ttlSeconds < 1) return { kind: 'expired' }
    const messageId = this.#messageId(reference)
    const answer = await this.#send(to, messageId, toAgentMessage(rcs, { ttlSeconds, isMarketing }))
    const outcome = toSubmitOutcome(answer, messageId)
    if (outcome.kind === 'accepted' && known === undefined) this.#capabilities.learn(to, true)
    if (saysUnreachable(answer)) this.#capabilities.learn(to, false)
    return outcome
  }

  async #send(to: string, messageId: string, message: ReturnType<typeof toAgentMessage>): Promise<RbmAnswer> {
    const sentAtMs = performance.now()
    this.#sending++
    this.#rate.count()
    const answer = await this.#client.send(to, messageId, message)
    this.#sending--
    if (answer.kind === 'answered') {
      // A failing platform is slowed down like a throttling one: the same pace would not help it.
      if (answer.status === 429 || answer.status >= 500) this.#turns.onThrottled(sentAtMs)
      else {
        this.#turns.onTaken(sentAtMs)
        this.#taken[0]++
      }
    }
    this.#pauseIfAsked(answer)
    this.#health.onSend(answer, to)
    if (this.#health.state === 'down') this.#turns.forgetPace()
    return answer
  }

  #pauseIfAsked(answer: RbmAnswer): void {
    if (answer.kind !== 'answered' || !PAUSING.has(answer.status) || !answer.retryAfterSeconds) return
    this.#turns.pause(answer.retryAfterSeconds)
  }

  /** The time after which SMS takes over, but not longer than the message is worth anything. */
  #ttlSeconds({ expiresAt }: OutboundMessage): number {
    const { settings, fallbackSeconds } = this.#options
    const leftSeconds = Math.floor((expiresAt.getTime() - databaseNow().getTime()) / 1000)
    return Math.min(settings.fallbackDelay ?? fallbackSeconds, TTL_SECONDS_MAX, leftSeconds)
  }

  #messageId(reference: number): string {
    return toRbmMessageId(reference, this.#options.messageIdKey)
  }

  async #stop(): Promise<void> {
    this.#turns.stop(STOPPING)
    const recovering = this.#health.stop()
    await this.#calls.drain(this.#timings.stopMs)
    await Promise.all([this.#client.close(), this.#token.close()])
    await recovering
    await this.#capabilities.settle()
    clearInterval(this.#seconds)
    this.#counts.tell()
  }

  #tick(): void {
    this.#rate.tick()
    this.#taken = [0, this.#taken[0]]
    this.#turns.tick()
    this.#counts.tell()
  }
}
