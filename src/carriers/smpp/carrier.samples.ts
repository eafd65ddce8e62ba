import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import pino from 'pino'
import { STATUSES, type StatusName } from '../../smpp/commands.ts'
import { PduReader } from '../../smpp/decode.ts'
import { encodePdu } from '../../smpp/encode.ts'
import { MESSAGE } from '../../smpp/pdu.samples.ts'
import { type BindPdu, type KnownPdu, type MessagePdu, NO_TLVS, type Pdu } from '../../smpp/pdu.ts'
import { ProtocolError } from '../../smpp/protocol-error.ts'
import type {
  BindLease,
  BindLeases,
  BindStatus,
  CarrierEvents,
  CarrierLimits,
  InboundMessage,
  OutboundMessage,
  Receipt,
  SubmitOutcome
} from '../carrier.ts'
import { type SmppCarrierOptions, startSmppCarrier } from './smpp-carrier.ts'
import type { SmppSettings } from './smpp-settings.ts'
import { SMPP_TIMINGS, type SmppTimings } from './timings.ts'

/* A carrier to test, and a peer that misbehaves as told. It has our codec: what is right on the wire is tested elsewhere. */

/** One connection to the peer. */
export class RawLink {
  readonly socket: Socket
  /** All that came, in order. */
  readonly pdus: Pdu[] = []
  bind: BindPdu | undefined
  #sequence = 1_000_000

  constructor(socket: Socket) {
    this.socket = socket
  }

  send(pdu: KnownPdu): void {
    this.socket.write(encodePdu(pdu))
  }

  answer(submit: Pdu, status: StatusName = 'ESME_ROK', messageId = ''): void {
    this.send(submitAnswer(submit.sequence, STATUSES[status], messageId))
  }

  /** Sends a deliver_sm and gives its number. */
  deliver(fields: Partial<MessagePdu>): number {
    const sequence = this.#sequence++
    this.send({ ...MESSAGE, ...fields, command: 'deliver_sm', sequence })
    return sequence
  }

  /** The answers to what was delivered, as number and status. */
  get answers(): [sequence: number, status: number][] {
    return this.pdus
      .filter(({ command }) => command === 'deliver_sm_resp' || command === 'data_sm_resp')
      .map(({ sequence, status }) => [sequence, status])
  }
}

export function submitAnswer(sequence: number, status: number, messageId: string): KnownPdu {
  return { command: 'submit_sm_resp', status, sequence, messageId, tlvs: NO_TLVS }
}

/** Binds everybody, accepts everything with ids m1, m2 …, answers enquire_link; each may be replaced by a test. */
export class RawSmsc {
  readonly links: RawLink[] = []
  readonly submits: MessagePdu[] = []
  onSubmit: (submit: MessagePdu, link: RawLink) => void = (submit, link) => {
    link.answer(submit, 'ESME_ROK', `m${this.submits.length}`)
  }
  onBind: (bind: BindPdu, link: RawLink) => StatusName | undefined = () => 'ESME_ROK'
  /** False is a peer that is connected and does not say a word. */
  isTalking = true
  readonly #server: Server

  constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => this.#onConnection(socket))
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get boundLinks(): RawLink[] {
    return this.links.filter(({ bind, socket }) => bind && !socket.destroyed)
  }

  async stop(): Promise<void> {
    for (const { socket } of this.links) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #onConnection(socket: Socket): void {
    const link = new RawLink(socket)
    const reader = new PduReader({ pduBytesMax: 70_000 })
    this.links.push(link)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      for (const pdu of reader.push(chunk as Buffer)) {
        if (pdu instanceof ProtocolError) {
          socket.destroy()
          return
        }
        link.pdus.push(pdu)
        if (this.isTalking && !socket.destroyed) this.#onPdu(pdu, link)
      }
    })
  }

  #onPdu(pdu: Pdu, link: RawLink): void {
    const { sequence } = pdu
    switch (pdu.command) {
      case 'bind_receiver':
      case 'bind_transmitter':
      case 'bind_transceiver': {
        const status = this.onBind(pdu, link)
        if (status === undefined) return
        if (status === 'ESME_ROK') link.bind = pdu
        const command = `${pdu.command}_resp` as const
        link.send({ command, status: STATUSES[status], sequence, systemId: '', tlvs: NO_TLVS })
        return
      }
      case 'submit_sm':
        this.submits.push(pdu)
        this.onSubmit(pdu, link)
        return
      case 'enquire_link':
        link.send({ command: 'enquire_link_resp', status: 0, sequence })
        return
      case 'unbind':
        link.send({ command: 'unbind_resp', status: 0, sequence })
        link.socket.end()
    }
  }
}

/** Leases in memory, with the rules of those in the database. */
export class MemoryLeases implements BindLeases {
  readonly statuses: BindStatus[] = []
  readonly released: BindLease[] = []
  leaseMs = 10_000
  /** Renewals get no answer while this is set. */
  isSilent = false
  /** Slots that another process has asked for; once given up, they are its own. */
  readonly askedFor = new Set<number>()
  readonly #slots = new Map<string, { token: number; untilMs: number }>()

  async claim(carrier: string, slots: number): Promise<BindLease | undefined> {
    for (let slot = 1; slot <= slots; slot++) {
      const held = this.#slots.get(`${carrier} ${slot}`)
      if (held && held.untilMs > performance.now()) continue
      const token = (held?.token ?? 0) + 1
      this.#slots.set(`${carrier} ${slot}`, { token, untilMs: performance.now() + this.leaseMs })
      return { slot, token, leaseMs: this.leaseMs }
    }
    return undefined
  }

  async renew(
    carrier: string,
    { slot, token, leaseMs }: BindLease,
    status: BindStatus
  ): Promise<{ isAskedFor: boolean } | undefined> {
    if (this.isSilent) await new Promise(() => undefined)
    const held = this.#slots.get(`${carrier} ${slot}`)
    if (held?.token !== token) return undefined
    held.untilMs = performance.now() + leaseMs
    this.statuses.push(status)
    return { isAskedFor: this.askedFor.has(slot) }
  }

  async release(carrier: string, lease: BindLease): Promise<void> {
    this.released.push(lease)
    const held = this.#slots.get(`${carrier} ${lease.slot}`)
    if (held?.token === lease.token) held.untilMs = this.askedFor.has(lease.slot) ? Number.POSITIVE_INFINITY : 0
  }

  /** As another process that found the lease over. */
  takeOver(carrier: string, slot: number): void {
    const held = this.#slots.get(`${carrier} ${slot}`)
    this.#slots.set(`${carrier} ${slot}`, { token: (held?.token ?? 0) + 1, untilMs: performance.now() + 60_000 })
  }
}

class RecordedEvents implements CarrierEvents {
  readonly receipts: Receipt[] = []
  readonly replies: InboundMessage[] = []
  readonly late: [reference: number, outcome: SubmitOutcome][] = []
  changes = 0
  readonly #firstChange = Promise.withResolvers<void>()
  /** Storing, which takes as long as a test wants. */
  store: () => Promise<void> = async () => undefined

  async onReport(receipt: Receipt): Promise<void> {
    this.receipts.push(receipt)
    await this.store()
  }

  async onReply(reply: InboundMessage): Promise<void> {
    this.replies.push(reply)
    await this.store()
  }

  onLateOutcome(reference: number, outcome: SubmitOutcome): void {
    this.late.push([reference, outcome])
  }

  onChange(): void {
    this.changes++
    this.#firstChange.resolve()
  }

  /** The first change is that it went up. */
  get firstChange(): Promise<void> {
    return this.#firstChange.promise
  }
}

/** Counts by name and carrier, and for answers also by status. */
class RecordedMetrics {
  readonly counts: Record<string, number> = {}

  submits(_: string, count: number): void {
    this.#add('submits', count)
  }
  answers(_: string, status: string, count: number): void {
    this.#add(status, count)
  }
  silences(_: string, count: number): void {
    this.#add('silences', count)
  }
  lateAnswers(_: string, count: number): void {
    this.#add('lateAnswers', count)
  }
  receipts(_: string, count: number): void {
    this.#add('receipts', count)
  }
  replies(_: string, count: number): void {
    this.#add('replies', count)
  }

  #add(name: string, count: number): void {
    this.counts[name] = (this.counts[name] ?? 0) + count
  }
}

export const SETTINGS: SmppSettings = {
  name: 'main',
  type: 'smpp',
  host: '127.0.0.1',
  port: 1,
  tls: false,
  systemId: 'user',
  password: 'secret',
  systemType: '',
  bind: 'transceiver',
  sessions: 1,
  window: 10,
  throughput: 0,
  longMessages: 'udh',
  encoding: 'gsm',
  sender: 'CHAPPE',
  numbers: [],
  stopMention: 'STOP 36111',
  messageIdFormat: 'auto',
  answerTimeout: 10,
  enquireLink: 30
}

/** As in the service, with shorter waits. */
export const TIMINGS: SmppTimings = {
  ...SMPP_TIMINGS,
  claimEveryMs: 20,
  backoff: { minMs: 10, maxMs: 40 },
  refusedBackoff: { minMs: 300, maxMs: 600 },
  unbindTimeoutMs: 500,
  partRetryMs: 20
}

export const SILENT_LOG = pino({ level: 'silent' })

export interface TestCarrier {
  carrier: ReturnType<typeof startSmppCarrier>
  events: RecordedEvents
  leases: MemoryLeases
  metrics: RecordedMetrics
}

export function startTestCarrier(
  settings: Partial<SmppSettings>,
  options: Partial<SmppCarrierOptions> & { leases?: MemoryLeases } = {}
): TestCarrier {
  const events = new RecordedEvents()
  const leases = options.leases ?? new MemoryLeases()
  const metrics = new RecordedMetrics()
  const limits: CarrierLimits = { takeThroughput: async (_, __, wanted) => ({ granted: wanted, waitMs: 0 }), leases }
  const carrier = startSmppCarrier({
    events,
    limits,
    metrics,
    log: SILENT_LOG,
    ...options,
    settings: { ...SETTINGS, ...settings },
    timings: { ...TIMINGS, ...options.timings }
  })
  return { carrier, events, leases, metrics }
}

/** A carrier that is bound to a peer. Both are stopped when the test ends, the carrier first. */
export async function startPair(
  t: TestContext,
  settings: Partial<SmppSettings> = {},
  options: Parameters<typeof startTestCarrier>[1] = {}
): Promise<TestCarrier & { smsc: RawSmsc }> {
  const smsc = await new RawSmsc().start()
  const started = startTestCarrier({ port: smsc.port, ...settings }, options)
  t.after(async () => {
    await started.carrier.stop()
    await smsc.stop()
  })
  await started.events.firstChange
  return { ...started, smsc }
}

export function toMessage(fields: Partial<OutboundMessage> = {}): OutboundMessage {
  const expiresAt = new Date(Date.now() + 3_600_000)
  return { reference: 1, from: 'CHAPPE', to: '+33612345678', text: 'Bonjour', expiresAt, ...fields }
}
