import type { TObject } from 'typebox'
import type { Database } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import type { Operation } from '../http/operation.ts'
import type { CapabilityCache, Carrier, CarrierEvents, CarrierInbound, CarrierLimits } from './carrier.ts'
import type { CarrierMetrics } from './carrier-metrics.ts'
import type { CarrierView } from './carrier-view.ts'
import type { Reading } from './check-settings.ts'
import type { InboundMetrics } from './inbound-metrics.ts'
import type { IdForm } from './message-ids.ts'
import type { PostedEvent, RcsReport } from './posted-event.ts'
import type { Channel } from './routes.ts'

/*
 * A kind of carrier is a folder that exports one value of this type, and a line in kinds.ts. The carriers file, routes,
 * reload, delivery, the status page and the API go over that list: none of them knows a kind by its name.
 * docs/carrier-kinds.md says how to write one.
 */

/** What the carriers file says of one carrier, at least. */
export interface CarrierSettings {
  name: string
  type: string
  /** What a segment or an RCS costs. It changes no link. */
  cost?: number
}

export interface CarrierKind<Settings extends CarrierSettings = CarrierSettings> {
  /** The `type` of its carriers in the carriers file. */
  readonly name: string
  /** Routes of these channels may name its carriers. */
  readonly channels: readonly Channel[]
  readonly abilities: Abilities
  /** Every key of its carriers in the carriers file, with bounds and defaults. */
  readonly settings: TObject
  /**
   * Reads one carrier by `settings`, with the checks that no schema can express and the files that it names. Every
   * mistake is added to the reading; the answer is used only when there is none.
   */
  read(reading: Reading, options: { folder: string }): Settings | undefined
  /** What the rest of the service needs to know of a carrier. */
  traitsOf(settings: Settings): CarrierTraits
  /** Of a kind that may trust certificates of a file: the file that a carrier names, and its text (PEM). */
  certificatesOf?(settings: Settings): { file: string; text: string } | undefined
  /** Begins to connect at once, and keeps at it until it is stopped. */
  start(settings: Settings, context: CarrierContext): Carrier | Promise<Carrier>
  /** The HTTP operations that its peers call, served by every process of the role `api`. */
  callbacks?(context: CallbackContext<Settings>): Operation[]
  /** How its posted events are read once they are kept. */
  readonly events?: PostedEvents<Settings>
  /** Of a kind whose message ids are ours: reads a recipient's id out of one; undefined when it is none of ours. */
  createIdReader?(database: Database, carriers: readonly Settings[]): Promise<(id: string) => number | undefined>
  /** Of a kind with agents: asks the platform about the agent of a carrier, if that can be asked. Never rejects. */
  lookAtAgent?(settings: Settings): Promise<AgentLook | undefined>
  /**
   * Reads a status that `tryNextOn` of a route names: the `reason` of a refusal with that status. Undefined when the kind has
   * no such status. A kind without this function takes any text as the reason itself.
   */
  readStatus?(status: string | number): string | undefined
  /** One of its carriers as GET /carriers shows it, for the reference. */
  readonly example: CarrierView
}

/** What the platform tells of an agent, or why it tells nothing. */
export type AgentLook =
  | { displayName: string | null; logoUrl: string | null; launches: { region: string; state: string }[] }
  | { problem: string }

export interface Abilities {
  /**
   * A message that is submitted twice, under one reference, arrives once: nothing is ever in doubt. RCS kinds must have
   * it.
   */
  repeatableSubmits: boolean
  /** Its carriers have `revoke`. */
  revoking: boolean
  /** Its carriers have `findCapable`. */
  capabilityChecks: boolean
  /** Its carriers hold binds, which all processes share; else each process sends on its own. */
  binds: boolean
}

/** What the rest of the service needs to know of a carrier. */
export interface CarrierTraits {
  /** The sender of an SMS that names none. */
  sender: string
  /** The sender of every RCS. */
  agentId: string
  /** How a person opts out of SMS that this carrier sends. */
  stopMention: string
  /** Numbers and short codes that we may send from. */
  numbers: readonly string[]
  /** How its receipts write message ids; null when they name them as we do. */
  idFormat: 'auto' | IdForm | null
  /** Whether a long SMS is one message to it. */
  sendsWhole: boolean
  /** What an SMS segment or an RCS message costs, for people; null when the file does not say it. */
  cost: number | null
  /** How many segments or RCS a second it takes from the whole cluster, as the file says; 0 when it does not say it. */
  throughput: number
  /** How many binds it may have in the whole cluster. */
  sessions: number
  /** How long an RCS waits for its delivery report; undefined is the service's own setting. */
  fallbackSeconds: number | undefined
}

/** What a running carrier is given. */
export interface CarrierContext {
  events: CarrierEvents
  limits: CarrierLimits
  capabilities: CapabilityCache
  metrics: CarrierMetrics
  /** How long an RCS waits for its delivery report, unless its carrier says otherwise. */
  rcsFallbackSeconds: number
  /** Where a kind keeps what its carriers must agree on in all processes. */
  database: Database
  log: Log
}

/** What the HTTP operations of a kind are given. */
export interface CallbackContext<Settings> {
  /** Its carriers, as the carriers file has them now. */
  carriers(): readonly Settings[]
  inbound: CarrierInbound
  metrics: InboundMetrics
  log: Log
}

/** How posted events are read: they are kept as they came. */
export interface PostedEvents<Settings> {
  /** Never throws: an event of an unknown form is read as one that nothing follows from. */
  read(body: string, receivedAt: Date): PostedEvent
  createNames(database: Database, carriers: readonly Settings[]): Promise<EventNames>
}

/** Reads names out of kept events, by the carriers of their kind that are in use. */
export interface EventNames {
  /**
   * The recipient of a report; `foreign` when it is about an agent whose events may not come in under this carrier's
   * name.
   */
  recipientOf(carrier: string, report: RcsReport): number | 'unknown' | 'foreign'
  /** The agent that a person wrote to, as messages name it. */
  agentOf(carrier: string, event: PostedEvent): string
}

/** A carrier of the carriers file, with its kind. */
export interface ConfiguredCarrier<Settings extends CarrierSettings = CarrierSettings> {
  name: string
  kind: CarrierKind<Settings>
  settings: Settings
  traits: CarrierTraits
}

export function configure<Settings extends CarrierSettings>(
  kind: CarrierKind<Settings>,
  settings: Settings
): ConfiguredCarrier<Settings> {
  return { name: settings.name, kind, settings, traits: kind.traitsOf(settings) }
}

/** The carriers of one kind. */
export function settingsOf<Settings extends CarrierSettings>(
  carriers: readonly ConfiguredCarrier[],
  kind: CarrierKind<Settings>
): Settings[] {
  return carriers.filter((carrier) => carrier.kind.name === kind.name).map(({ settings }) => settings as Settings)
}
