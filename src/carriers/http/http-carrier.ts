import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Log } from '../../http/log.ts'
import {
  CallsUnderWay,
  isExpired,
  limitedCapacity,
  notNow,
  STOPPING,
  sendInTurn,
  statusWithoutBinds,
  tell
} from '../calls-under-way.ts'
import type {
  Carrier,
  CarrierEvents,
  CarrierLimits,
  CarrierStatus,
  OutboundMessage,
  SubmitOutcome
} from '../carrier.ts'
import { CarrierCounts } from '../carrier-counts.ts'
import type { CarrierMetrics } from '../carrier-metrics.ts'
import { type Answer, exchange } from '../exchange.ts'
import { PeerHealth } from '../peer-health.ts'
import { RecentRate } from '../recent-rate.ts'
import { Slots } from '../slots.ts'
import { Turns } from '../turns.ts'
import { type FilledRequest, hasPlace, RequestTemplate } from './http-request.ts'
import { HTTP_TIMINGS, type HttpTimings } from './http-timings.ts'
import { createMessagePlaces, type MessagePlaces } from './message-places.ts'
import type { HttpCarrierSettings } from './read-http.ts'
import { AnswerReader, type ReadAnswer } from './submit-outcomes.ts'

/*
 * A request for each message. A message without an answer is in doubt, since most providers send it again when they are
 * asked again. With `idempotent`, the request is first repeated under its key.
 */

export interface HttpCarrierOptions {
  settings: HttpCarrierSettings
  /** From which idempotency keys are made. */
  idKey: string
  events: Pick<CarrierEvents, 'onChange'>
  limits: Pick<CarrierLimits, 'takeThroughput'>
  metrics: CarrierMetrics
  /** Receipts and replies that are asked for. */
  startPolls?: ((onFailure: (reason: string) => void) => { stop(): Promise<void> } | undefined) | undefined
  log: Log
  timings?: Partial<HttpTimings> | undefined
}

/** More of an answer is not read: ids and codes take less. */
const ANSWER_BYTES_MAX = 256 * 1024
/** Requests of one message, the first included. */
const TRIES_MAX = 3

/** The request of the carriers file has no place for the bytes. */
const NO_BINARY: SubmitOutcome = { kind: 'rejected', reason: 'binary_unsupported', carrierMessageIds: [] }

export function startHttpCarrier(options: HttpCarrierOptions): Carrier {
  return new HttpCarrier(options)
}

class HttpCarrier implements Carrier {
  readonly name: string
  readonly #options: HttpCarrierOptions
  readonly #timings: HttpTimings
  readonly #request: RequestTemplate
  readonly #takesBinary: boolean
  readonly #placesOf: MessagePlaces
  readonly #answers: AnswerReader
  readonly #pool: Pool
  readonly #counts: CarrierCounts<number>
  readonly #turns: Turns
  readonly #health: PeerHealth
  readonly #slots: Slots
  readonly #polls: { stop(): Promise<void> } | undefined
  readonly #calls = new CallsUnderWay()
  readonly #rate = new RecentRate()
  readonly #seconds: NodeJS.Timeout
  readonly #ended = new AbortController()
  /** Of the calls, the requests that wait for their answer. */
  #sending = 0
  #stopping: Promise<void> | undefined

  constructor(options: HttpCarrierOptions) {
    const { settings, limits, metrics } = options
    const timings = { ...HTTP_TIMINGS, ...options.timings }
    const log = options.log.child({ carrier: settings.name })
    const onChange = () => tell(() => options.events.onChange(), log)
    const { name, throughput: perSecond, connections } = settings
    this.name = name
    this.#options = options
    this.#timings = timings
    this.#request = new RequestTemplate(settings.request)
    this.#takesBinary = hasPlace(settings.request, 'data')
    this.#placesOf = createMessagePlaces(settings, options.idKey)
    this.#answers = new AnswerReader(settings.answer)
    this.#pool = new Pool(this.#request.origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: timings.idleMs,
      connectTimeout: timings.connectMs
    })
    this.#counts = new CarrierCounts(name, metrics, String)
    this.#slots = new Slots(connections)
    const throughput = perSecond === 0 ? undefined : { carrier: name, perSecond, limits, log }
    this.#turns = new Turns({ waitMs: timings.turnWaitMs, onChange, throughput })
    // No request to a provider is harmless, so a message shows whether the provider is there.
    const isThere = async () => true
    this.#health = new PeerHealth({ peer: 'the HTTP provider', isThere, backoff: timings.backoff, onChange, log })
    this.#polls = options.startPolls?.((reason) => this.#health.note(reason))
    this.#seconds = setInterval(() => this.#tick(), 1_000)
  }

  get capacity(): number {
    const { connections: sendsMax } = this.#options.settings
    const limited = limitedCapacity({
      isStopping: this.#stopping !== undefined,
      health: this.#health,
      turns: this.#turns,
      sending: this.#sending,
      sendsMax
    })
    return limited ?? sendsMax
  }

  get pacePerSecond(): number | null {
    return this.#turns.perSecond
  }

  async submit(message: OutboundMessage): Promise<SubmitOutcome> {
    if (isExpired(message)) return { kind: 'expired' }
    if (message.binary && !this.#takesBinary) return NO_BINARY
    const refusal = this.#refusal()
    if (refusal !== undefined) return { ...notNow(refusal), isUntried: true }
    const queue = {
      slots: this.#slots,
      turns: this.#turns,
      waitMs: this.#timings.turnWaitMs,
      refusal: () => this.#refusal()
    }
    return this.#calls.run(() => sendInTurn(queue, () => this.#send(message)))
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
    return this.#health.state === 'down' ? 'The HTTP provider can’t be sent to.' : undefined
  }

  async #send(message: OutboundMessage): Promise<SubmitOutcome> {
    // It may have waited long, here and with the caller.
    if (isExpired(message)) return { kind: 'expired' }
    const request = this.#request.fill(this.#placesOf(message))
    const { idempotent } = this.#options.settings
    let doubt: SubmitOutcome | undefined
    for (let tries = 1; ; tries++) {
      const { outcome } = await this.#ask(request, message)
      if (outcome.kind === 'in-doubt') doubt = outcome
      else if (outcome.kind !== 'retry' || !doubt) return outcome
      // "Later" is about this repeat: the provider may have taken the request before it.
      else if (!outcome.isUntried) return doubt
      if (!idempotent || tries === TRIES_MAX || this.#ended.signal.aborted) return doubt
      await sleep(this.#timings.repeatMs * tries, undefined, { signal: this.#ended.signal }).catch(() => undefined)
    }
  }

  async #ask(request: FilledRequest, message: OutboundMessage): Promise<ReadAnswer> {
    const sentAtMs = performance.now()
    this.#sending++
    this.#rate.count()
    this.#counts.count('submits')
    const answer = await exchange(this.#pool, {
      method: this.#request.method,
      ...request,
      timeoutMs: this.#options.settings.answerTimeout * 1000,
      answerBytesMax: ANSWER_BYTES_MAX
    })
    this.#sending--
    const read = this.#answers.read(answer, String(message.reference))
    this.#learn(answer, read, sentAtMs)
    return read
  }

  /** Pace, pauses, health and figures follow from every answer. */
  #learn(answer: Answer, { outcome, isWorking, isThrottled }: ReadAnswer, sentAtMs: number): void {
    if (answer.kind === 'answered') {
      this.#counts.countAnswer(answer.status)
      if (isThrottled || answer.status >= 500) this.#turns.onThrottled(sentAtMs)
      else this.#turns.onTaken(sentAtMs)
      if (answer.retryAfterSeconds && (isThrottled || answer.status === 503)) {
        this.#turns.pause(answer.retryAfterSeconds)
      }
    } else this.#counts.count('silences')
    if (isWorking) this.#health.onWorking()
    else this.#health.onFailure('reason' in outcome ? outcome.reason : 'The provider does not work.')
    if (this.#health.state === 'down') this.#turns.forgetPace()
  }

  async #stop(): Promise<void> {
    this.#turns.stop(STOPPING)
    const recovering = this.#health.stop()
    await this.#polls?.stop()
    await this.#calls.drain(this.#timings.stopMs)
    this.#ended.abort()
    await this.#pool.destroy()
    await recovering
    clearInterval(this.#seconds)
    this.#counts.tell()
  }

  #tick(): void {
    this.#rate.tick()
    this.#turns.tick()
    this.#counts.tell()
  }
}
