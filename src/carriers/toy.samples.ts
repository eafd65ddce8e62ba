import { randomUUID } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { databaseNow } from '../database/clock.ts'
import type { Carrier, CarrierEvents, OutboundMessage, SubmitOutcome } from './carrier.ts'
import { CarrierName } from './carrier-name.ts'
import { type Reading, readSettings } from './check-settings.ts'
import type { Behaviour, StartPeer } from './contract.samples.ts'
import type { CarrierKind } from './kind.ts'
import { readSenders, SMS_PROPERTIES } from './sms-settings.ts'

/*
 * A kind of carrier for the tests, as small as one can be: it puts messages on a shelf in memory, and reports each as
 * delivered. docs/carrier-kinds.md points here.
 */

const ToySettings = Type.Object(
  {
    name: CarrierName,
    type: Type.Literal('toy'),
    /** The name of its shelf. */
    shelf: Type.String({ minLength: 1, maxLength: 40 }),
    ...SMS_PROPERTIES
  },
  { additionalProperties: false }
)

export type ToySettings = Static<typeof ToySettings>

/** The other side of a toy carrier. */
class Shelf {
  readonly messages: OutboundMessage[] = []
  /** The ids that it gave, by phone. */
  readonly ids = new Map<string, string>()
  behaviour: Behaviour = 'accept'
  reportsAtOnce = true
  readonly #carriers = new Set<ToyCarrier>()

  join(carrier: ToyCarrier): void {
    this.#carriers.add(carrier)
  }

  leave(carrier: ToyCarrier): void {
    this.#carriers.delete(carrier)
  }

  async take(message: OutboundMessage): Promise<SubmitOutcome> {
    this.messages.push(message)
    const id = randomUUID()
    this.ids.set(message.to, id)
    switch (this.behaviour) {
      case 'throttle':
        return { kind: 'retry', reason: 'the shelf is busy', delaySeconds: 1 }
      case 'refuse':
        return { kind: 'rejected', reason: 'the shelf refuses it', carrierMessageIds: [] }
      case 'stay silent':
      case 'close mid-flight':
        return { kind: 'in-doubt', reason: 'the shelf did not answer' }
      case 'report first':
        await this.report(id, message)
        break
      case 'accept':
        if (this.reportsAtOnce) setImmediate(() => void this.report(id, message))
        break
      default:
        this.behaviour satisfies never
    }
    return { kind: 'accepted', carrierMessageIds: [id] }
  }

  /** False when it could not be stored. */
  async report(carrierMessageId: string, { to = '', from = '' }: Partial<OutboundMessage> = {}): Promise<boolean> {
    const [carrier] = this.#carriers
    try {
      await carrier?.events.onReport({
        carrier: carrier.name,
        carrierMessageId,
        state: 'delivered',
        word: 'ON_THE_SHELF',
        errorCode: '',
        source: to,
        destination: from,
        at: databaseNow()
      })
      return true
    } catch {
      return false
    }
  }
}

const shelves = new Map<string, Shelf>()

export function shelfOf(name: string): Shelf {
  const shelf = shelves.get(name) ?? new Shelf()
  shelves.set(name, shelf)
  return shelf
}

class ToyCarrier implements Carrier {
  readonly name: string
  readonly pacePerSecond = null
  readonly events: CarrierEvents
  readonly #shelf: Shelf
  #isStopped = false

  constructor({ name, shelf }: ToySettings, events: CarrierEvents) {
    this.name = name
    this.events = events
    this.#shelf = shelfOf(shelf)
    this.#shelf.join(this)
  }

  get capacity(): number {
    return this.#isStopped ? 0 : 100
  }

  async submit(message: OutboundMessage): Promise<SubmitOutcome> {
    if (this.#isStopped)
      return { kind: 'retry', reason: 'The carrier is being stopped.', delaySeconds: 2, isUntried: true }
    if (databaseNow() >= message.expiresAt) return { kind: 'expired' }
    return this.#shelf.take(message)
  }

  status() {
    const traffic = { inFlight: 0, capacity: this.capacity, submitsPerSecond: 0, pacePerSecond: null, lastError: null }
    return { isUp: !this.#isStopped, binds: [], traffic }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#shelf.leave(this)
  }
}

export const toy: CarrierKind<ToySettings> = {
  name: 'toy',
  channels: ['sms'],
  abilities: { repeatableSubmits: false, revoking: false, capabilityChecks: false, binds: false },
  settings: ToySettings,
  read(reading: Reading): ToySettings {
    const settings = readSettings(ToySettings, reading)
    return { ...(settings as ToySettings), ...readSenders(reading, settings) }
  },
  traitsOf: ({ sender, stopMention, numbers }) => ({
    sender,
    agentId: '',
    stopMention,
    numbers,
    idFormat: 'as-is',
    sendsWhole: true,
    sessions: 0,
    cost: null,
    throughput: 0,
    fallbackSeconds: undefined
  }),
  start: (settings, { events }) => new ToyCarrier(settings, events),
  example: {
    name: 'toy',
    type: 'toy',
    channels: ['sms'],
    is_up: true,
    sending: 'on',
    sending_since: null,
    cost: null,
    sessions: 0,
    message_id_format: 'as-is',
    learned_id_form: null,
    routes: [{ channel: 'sms', prefix: '', rank: 1 }],
    binds: [],
    processes: []
  }
}

export const startPeer: StartPeer = async (t) => {
  const name = randomUUID()
  const shelf = shelfOf(name)
  shelf.reportsAtOnce = false
  const reports: { carrier: string; carrierMessageId: string; isDelivered: boolean }[] = []
  let isStoring = true
  const events: CarrierEvents = {
    async onReport(report) {
      if (!isStoring) throw new Error('no database')
      if ('kept' in report) return
      const { carrier, carrierMessageId, state } = report
      reports.push({ carrier, carrierMessageId, isDelivered: state === 'delivered' })
    },
    onReply: async () => undefined,
    onLateOutcome: () => undefined,
    onChange: () => undefined
  }
  const settings = {
    name: 'toy',
    type: 'toy',
    shelf: name,
    sender: 'CHAPPE',
    numbers: [],
    stopMention: 'STOP'
  } as const
  const carrier = new ToyCarrier({ ...settings, numbers: [] }, events)
  t.after(() => carrier.stop())
  return {
    carrier,
    peer: {
      behave(behaviour) {
        shelf.behaviour = behaviour
      },
      get receivedCount() {
        return shelf.messages.length
      },
      report: (id) => shelf.report(id)
    },
    reports: () => reports,
    failToStore() {
      isStoring = false
    }
  }
}
