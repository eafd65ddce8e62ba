import type { Log } from '../../http/log.ts'
import { statusName } from '../../smpp/commands.ts'
import type { DataPdu, MessagePdu } from '../../smpp/pdu.ts'
import type {
  BoundCarrier,
  CapturedBind,
  CarrierEvents,
  CarrierLimits,
  CarrierStatus,
  OutboundMessage,
  SubmitOutcome
} from '../carrier.ts'
import { CarrierCounts } from '../carrier-counts.ts'
import type { CarrierMetrics } from '../carrier-metrics.ts'
import { Bind, type Sharing } from './bind.ts'
import { ConcatenationReferences } from './concatenation.ts'
import type { Peer } from './open-socket.ts'
import { readInbound } from './read-inbound.ts'
import type { SmppSettings } from './smpp-settings.ts'
import { Submission } from './submission.ts'
import { SubmitQueue } from './submit-queue.ts'
import { PARTS_MAX, splitFlash, splitText, type TextParts, toBinaryParts } from './text-parts.ts'
import { SMPP_TIMINGS, type SmppTimings } from './timings.ts'

export interface SmppCarrierOptions {
  settings: SmppSettings
  /** The text of the file settings.tls.ca, which was read with the carriers file. */
  ca?: string | undefined
  events: CarrierEvents
  limits: CarrierLimits
  metrics: CarrierMetrics
  log: Log
  timings?: Partial<SmppTimings> | undefined
  /** The first sequence number of each session. */
  firstSequence?: number | undefined
}

/** For a message that can't be sent now, and that waiting here would not help. */
const NOT_NOW_DELAY_SECONDS = 2

/** Begins to bind at once, and keeps at it until it is stopped. */
export function startSmppCarrier(options: SmppCarrierOptions): BoundCarrier {
  return new SmppCarrier(options)
}

class SmppCarrier implements BoundCarrier {
  readonly name: string
  readonly #options: SmppCarrierOptions
  readonly #log: Log
  readonly #binds: readonly Bind[]
  readonly #queue: SubmitQueue
  readonly #counts: CarrierCounts<number>
  readonly #references = new ConcatenationReferences()
  readonly #sharing: Sharing = { notBeforeMs: Number.NEGATIVE_INFINITY }
  readonly #seconds: NodeJS.Timeout
  #lastText: { text: string; flash: true | undefined; parts: TextParts } | undefined
  #stopping: Promise<void> | undefined

  constructor(options: SmppCarrierOptions) {
    const { settings, events, limits, metrics } = options
    const timings = { ...SMPP_TIMINGS, ...options.timings }
    this.name = settings.name
    this.#options = options
    this.#log = options.log.child({ carrier: settings.name })
    this.#counts = new CarrierCounts(settings.name, metrics, statusName)
    this.#binds = Array.from({ length: settings.sessions }, () => this.#startBind(timings))
    this.#queue = new SubmitQueue({
      settings,
      timings,
      limits,
      binds: this.#binds,
      counts: this.#counts,
      onLateOutcome: (...late) => this.#tell(() => events.onLateOutcome(...late)),
      log: this.#log
    })
    this.#seconds = setInterval(() => this.#tick(), 1_000)
  }

  /**
   * With a pace, only as many wait here as leave within a second: messages that wait with the caller can still be
   * overtaken by more urgent ones.
   */
  get capacity(): number {
    if (this.#stopping) return 0
    const { window } = this.#options.settings
    const windows = this.#binds.filter(({ isBound }) => isBound).length * window
    const { pacePerSecond } = this.#queue
    if (pacePerSecond === null) return windows
    const used = this.#binds.reduce((sum, { windowUsed }) => sum + windowUsed, 0)
    return Math.min(windows, used + Math.ceil(pacePerSecond))
  }

  get pacePerSecond(): number | null {
    return this.#queue.pacePerSecond
  }

  submit(message: OutboundMessage): Promise<SubmitOutcome> {
    const refusal = this.#refusal()
    if (refusal) {
      const delaySeconds = NOT_NOW_DELAY_SECONDS
      return Promise.resolve({ kind: 'retry', reason: refusal, delaySeconds, isUntried: true })
    }
    const parts = message.binary ? toBinaryParts(message.binary) : this.#split(message)
    if (parts.bodies.length > PARTS_MAX) {
      return Promise.resolve({ kind: 'rejected', reason: 'too_long', carrierMessageIds: [] })
    }
    const reference = parts.bodies.length > 1 ? this.#references.next(message.from, message.to) : 0
    return new Promise((resolve) => {
      this.#queue.push(new Submission(this.#queue, { message, parts, reference, resolve }))
    })
  }

  status(): CarrierStatus {
    const binds = this.#binds.flatMap((bind) => bind.status() ?? [])
    return { isUp: this.#binds.some(({ isBound }) => isBound), binds }
  }

  capturePdus(forMs: number): void {
    for (const { capture } of this.#binds) capture.keepFor(forMs)
  }

  listCaptured(): CapturedBind[] {
    return this.#binds.flatMap(({ slot, capture }) =>
      slot === undefined || !capture.isOn ? [] : { slot, pdus: capture.list(), seen: capture.seen }
    )
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  #refusal(): string | undefined {
    if (this.#stopping) return 'The carrier is being stopped.'
    if (!this.#binds.some(({ isBound }) => isBound)) return 'The carrier is not bound.'
    return this.#queue.isFull ? 'Too many messages wait for this carrier.' : undefined
  }

  /** Successive messages of a campaign mostly have the same text. */
  #split({ text, flash }: OutboundMessage): TextParts {
    if (this.#lastText?.text !== text || this.#lastText.flash !== flash) {
      const { settings } = this.#options
      const parts = flash ? splitFlash(text, settings) : splitText(text, settings)
      this.#lastText = { text, flash, parts }
    }
    return this.#lastText.parts
  }

  async #stop(): Promise<void> {
    await this.#queue.stop()
    await Promise.all(this.#binds.map((bind) => bind.stop()))
    clearInterval(this.#seconds)
    this.#counts.tell()
  }

  #tick(): void {
    for (const bind of this.#binds) bind.tick()
    this.#queue.tick()
    this.#counts.tell()
  }

  #startBind(timings: SmppTimings): Bind {
    const { settings, ca, limits, firstSequence } = this.#options
    return new Bind({
      settings,
      peer: toPeer(settings, ca),
      leases: limits.leases,
      timings,
      onInbound: (pdu) => this.#onInbound(pdu),
      onChange: () => this.#onChange(),
      onWritable: () => this.#queue.pump(),
      sharing: this.#sharing,
      pacePerSecond: () => this.#queue.pacePerSecond,
      firstSequence,
      log: this.#log
    })
  }

  #onChange(): void {
    this.#queue.pump()
    this.#tell(() => this.#options.events.onChange())
  }

  /** A bug of the listener must not end the session that calls it. */
  #tell(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.#log.error({ err: error }, 'carrier event listener threw')
    }
  }

  #onInbound(pdu: MessagePdu | DataPdu): Promise<void> {
    const { settings, events } = this.#options
    const inbound = readInbound(pdu, settings)
    switch (inbound.kind) {
      case 'receipt':
        this.#counts.count('receipts')
        return events.onReport(inbound.receipt)
      case 'reply':
        this.#counts.count('replies')
        return events.onReply(inbound.reply)
      case 'nothing':
        this.#log.debug({ command: pdu.command }, 'an inbound message without a text was dropped')
        return Promise.resolve()
      default:
        return inbound satisfies never
    }
  }
}

function toPeer({ host, port, tls }: SmppSettings, ca: string | undefined): Peer {
  if (tls === false) return { host, port }
  const { serverName, verify } = tls === true ? {} : tls
  return { host, port, tls: { ca, serverName, verify } }
}
