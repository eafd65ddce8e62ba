import { toOurNumbers } from '../compliance/sender.ts'
import { OPEN_REGISTER, type SenderRegister } from '../compliance/sender-register.ts'
import { withoutPrefix } from '../phone-numbers/without-prefix.ts'
import type { PriceBook } from '../prices/price.ts'
import { BUILT_IN_BOOK } from '../prices/price-table.ts'
import { type AgentRules, FREE_AGENTS } from './agent-rules.ts'
import type { CarriersFile } from './carriers-file.ts'
import {
  type CarrierKind,
  type CarrierSettings,
  type CarrierTraits,
  type ConfiguredCarrier,
  settingsOf
} from './kind.ts'
import { CARRIER_KINDS } from './kinds.ts'
import type { IdForm } from './message-ids.ts'
import {
  type Channel,
  createRoutes,
  matchKey,
  NO_MESSAGE,
  parseWay,
  type Route,
  type RoutedMessage,
  type RouteOf,
  type RoutesOf,
  routeName,
  wayName
} from './routes.ts'

/** Carriers and routes by the newest carriers file, which may be read again at any time. */
export class RoutingTable {
  /** Every kind of carrier that the file may name. */
  readonly kinds: readonly CarrierKind[]
  /** Who may use which sender. The service sets it. */
  senders: SenderRegister = OPEN_REGISTER
  #file: CarriersFile
  #carriers: ReadonlyMap<string, ConfiguredCarrier>
  /** Which accounts may write as which agents. The service gives it once the database answers. */
  agents: AgentRules = FREE_AGENTS
  /** What messages take. The service gives it once the database answers. */
  prices: PriceBook = BUILT_IN_BOOK
  /** By name. */
  #routes: ReadonlyMap<string, Route>
  #routesOf: RoutesOf
  /** Of messages that nothing is special about. */
  #general: MessageRoutes
  #hasMatches: boolean
  #hasAccountRoutes: boolean
  #ourNumbers: ReadonlySet<string>

  constructor(file: CarriersFile, kinds: readonly CarrierKind[] = CARRIER_KINDS) {
    this.kinds = kinds
    this.#file = file
    this.#carriers = byName(file)
    this.#routes = new Map(file.routes.map((route) => [routeName(route), route]))
    this.#routesOf = createRoutes(file.routes)
    this.#general = new MessageRoutes(this, this.#routesOf(NO_MESSAGE), undefined)
    this.#hasMatches = file.routes.some((route) => matchKey(route) !== matchKey({}))
    this.#hasAccountRoutes = file.routes.some(({ account }) => account !== undefined)
    this.#ourNumbers = numbersOf(file)
  }

  get file(): CarriersFile {
    return this.#file
  }

  replace(file: CarriersFile): void {
    this.#file = file
    this.#carriers = byName(file)
    this.#routes = new Map(file.routes.map((route) => [routeName(route), route]))
    this.#routesOf = createRoutes(file.routes)
    this.#general = new MessageRoutes(this, this.#routesOf(NO_MESSAGE), undefined)
    this.#hasMatches = file.routes.some((route) => matchKey(route) !== matchKey({}))
    this.#hasAccountRoutes = file.routes.some(({ account }) => account !== undefined)
    this.#ourNumbers = numbersOf(file)
  }

  find(carrier: string): ConfiguredCarrier | undefined {
    return this.#carriers.get(carrier)
  }

  /** The carriers of one kind. */
  settingsOf<Settings extends CarrierSettings>(kind: CarrierKind<Settings>): Settings[] {
    return settingsOf(this.#file.carriers, kind)
  }

  /** The certificates that carriers trust instead of the system's. */
  trustedCertificates(): { carrier: string; file: string; text: string }[] {
    return this.kinds.flatMap((kind) =>
      this.settingsOf(kind).flatMap((settings) => {
        const trusted = kind.certificatesOf?.(settings)
        return trusted ? [{ carrier: settings.name, ...trusted }] : []
      })
    )
  }

  /** The routes that the recipients of a message take. */
  forMessage(message: RoutedMessage & { agentId?: string | undefined }): MessageRoutes {
    const routeOf = this.#routesOf(message)
    const isGeneral = routeOf === this.#general.find && message.agentId === undefined && !this.agents.isAnyRestricted
    return isGeneral ? this.#general : new MessageRoutes(this, routeOf, message)
  }

  /** Whether routes match more than channel and prefix. */
  get hasMatches(): boolean {
    return this.#hasMatches
  }

  /** Whether routes name accounts, so that the parent of an account has to be known. */
  get hasAccountRoutes(): boolean {
    return this.#hasAccountRoutes
  }

  get routesOf(): RoutesOf {
    return this.#routesOf
  }

  /** The names of the carriers that serve a way, the preferred one first. */
  carriersOf(name: string): readonly string[] {
    const way = parseWay(name)
    switch (way.kind) {
      case 'route':
        return this.#routes.get(name)?.carriers ?? []
      case 'carrier':
        return this.find(way.carrier) ? [way.carrier] : []
      case 'agent':
        return this.carriersOfAgent(way.agentId)
      case 'next':
        return this.carriersOf(routeName(way.route)).filter((carrier) => !way.tried.includes(carrier))
      case 'no-rcs':
        return []
      default:
        return way satisfies never
    }
  }

  /**
   * The name of the way through the carriers that are left, after this one refused an SMS with this status. Undefined when no
   * other carrier is to be asked.
   */
  nextWay(name: string, { carrier, status }: { carrier: string; status: string }): string | undefined {
    const way = parseWay(name)
    if (way.kind !== 'route' && way.kind !== 'next') return undefined
    const key = way.kind === 'next' ? way.route : way
    const { carriers = [], tryNextOn, triesMax = carriers.length } = this.#routes.get(routeName(key)) ?? {}
    if (!tryNextOn?.includes(status)) return undefined
    const tried = [...(way.kind === 'next' ? way.tried : []), carrier]
    const isLeft = tried.length < triesMax && carriers.some((other) => !tried.includes(other))
    return isLeft ? wayName({ kind: 'next', tried, route: key }) : undefined
  }

  carriersOfAgent(agentId: string): string[] {
    return this.#file.carriers.filter(({ traits }) => traits.agentId === agentId).map(({ name }) => name)
  }

  /** The carriers that write as this agent, and those whose default sender this is. With and without `+`, it is one number. */
  carriersWritingAs(name: string): { byAgent: string[]; bySender: string[] } {
    const plain = plainName(name)
    const namesOf = (isSo: (traits: CarrierTraits) => boolean) =>
      plain === '' ? [] : this.#file.carriers.filter(({ traits }) => isSo(traits)).map((carrier) => carrier.name)
    return {
      byAgent: namesOf(({ agentId }) => plainName(agentId) === plain),
      bySender: namesOf(({ sender }) => plainName(sender) === plain)
    }
  }

  /** The id of an agent that the account may use, by the id itself or by the name of its carrier. */
  agentFor(idOrCarrier: string, accountId: number): string | undefined {
    const agentId = this.findAgent(idOrCarrier)
    return agentId !== undefined && this.agents.mayUse(agentId, accountId) ? agentId : undefined
  }

  /** The ids of all agents. */
  get agentIds(): string[] {
    const ids = this.#file.carriers.map(({ traits }) => traits.agentId)
    return [...new Set(ids.filter((agentId) => agentId !== ''))]
  }

  /** The id of the agent that is called so: by its id, or by the name of its carrier. */
  findAgent(idOrCarrier: string): string | undefined {
    if (idOrCarrier === '') return undefined
    const carriers = this.#file.carriers
    const found = carriers.find(({ traits }) => traits.agentId === idOrCarrier) ?? this.find(idOrCarrier)
    return found?.traits.agentId || undefined
  }

  /** The name of the way through this SMS carrier, wherever the routes lead. */
  routeThrough(carrier: string): string | undefined {
    const isSms = this.find(carrier)?.kind.channels.includes('sms')
    return isSms ? wayName({ kind: 'carrier', carrier }) : undefined
  }

  /** The name of the way of recipients that no RCS carrier serves, and that have a fallback. */
  readonly unreachedRoute = wayName({ kind: 'no-rcs' })

  /** Numbers and short codes that we may send from, without `+`. */
  get ourNumbers(): ReadonlySet<string> {
    return this.#ourNumbers
  }

  idFormatOf(carrier: string): 'auto' | IdForm {
    return this.find(carrier)?.traits.idFormat ?? 'auto'
  }

  /** Whether a long message is one to this carrier. */
  sendsWhole(carrier: string): boolean {
    return this.find(carrier)?.traits.sendsWhole ?? false
  }

  get routes(): readonly Route[] {
    return this.#file.routes
  }

  /** The names of the routes of a channel on which this carrier is the first that is up. */
  routesFor(carrier: string, channel: Channel, isUp: (carrier: string) => boolean): string[] {
    return this.routes
      .filter((route) => route.channel === channel && route.carriers.find(isUp) === carrier)
      .map(routeName)
  }

  /** The names of the ways through all agents. */
  agentWays(): string[] {
    const agentIds = new Set(
      this.#file.carriers.map(({ traits }) => traits.agentId).filter((agentId) => agentId !== '')
    )
    return [...agentIds].map((agentId) => wayName({ kind: 'agent', agentId }))
  }

  /** Whether only some accounts may use the agent of this carrier. */
  isRestricted(carrier: string): boolean {
    return this.agents.isAnyRestricted && this.agents.isRestricted(this.find(carrier)?.traits.agentId ?? '')
  }

  /** The names of the ways through agents of RCS on which this carrier is the first that is up. */
  agentWaysFor(carrier: string, isUp: (carrier: string) => boolean): string[] {
    const agentId = this.find(carrier)?.traits.agentId ?? ''
    if (agentId === '' || this.carriersOfAgent(agentId).find(isUp) !== carrier) return []
    return [wayName({ kind: 'agent', agentId })]
  }
}

/** The routes that the recipients of one message take, and what their first carriers say. */
export class MessageRoutes {
  readonly #table: RoutingTable
  readonly #message: { accountId: number; agentId?: string | undefined } | undefined
  /** The route of a number in the carriers file. */
  readonly find: RouteOf

  constructor(
    table: RoutingTable,
    find: RouteOf,
    message: { accountId: number; agentId?: string | undefined } | undefined
  ) {
    this.#table = table
    this.find = find
    this.#message = message
  }

  /** The name of the way that a number takes; undefined when no route leads to it, or the account has no agent on it. */
  routeOf(channel: Channel, e164: string): string | undefined {
    const route = this.find(channel, e164)
    if (channel === 'sms' || !this.#isAgentChosen(route)) return route && routeName(route)
    const agentId = this.agentOf(e164)
    return agentId === '' ? undefined : wayName({ kind: 'agent', agentId })
  }

  /**
   * The sender of an RCS to this number: the agent that the message names, or else one on its route. The agents that the
   * account was granted come before those that everybody may use.
   */
  agentOf(e164: string): string {
    const route = this.find('rcs', e164)
    if (!this.#isAgentChosen(route)) return this.#firstOn(route)?.agentId ?? ''
    const { accountId, agentId } = this.#message ?? { accountId: 0 }
    const { agents } = this.#table
    const named = agentId === undefined ? undefined : [agentId]
    const usable = (named ?? this.#agentsOn(route)).filter((agent) => agents.mayUse(agent, accountId))
    return usable.find((agent) => agents.isRestricted(agent)) ?? usable[0] ?? ''
  }

  /** Whether routes of RCS lead to the number, and the account may use no agent on them. */
  lacksAgent(e164: string): boolean {
    return this.find('rcs', e164) !== undefined && this.agentOf(e164) === ''
  }

  stopMention(e164: string): string {
    return this.#firstOn(this.find('sms', e164))?.stopMention ?? ''
  }

  defaultSender(e164: string): string {
    return this.#firstOn(this.find('sms', e164))?.sender ?? ''
  }

  /** Whether more than the route decides on the agent. The message is then bound to that agent. */
  #isAgentChosen(route: Route | undefined): boolean {
    if (this.#message?.agentId !== undefined) return true
    const { agents } = this.#table
    return agents.isAnyRestricted && this.#agentsOn(route).some((agent) => agents.isRestricted(agent))
  }

  #agentsOn(route: Route | undefined): string[] {
    return route?.carriers.map((carrier) => this.#table.find(carrier)?.traits.agentId ?? '') ?? []
  }

  #firstOn(route: Route | undefined): CarrierTraits | undefined {
    const [first] = route?.carriers ?? []
    return first === undefined ? undefined : this.#table.find(first)?.traits
  }
}

function plainName(name: string): string {
  return withoutPrefix(name).toLowerCase()
}

function byName({ carriers }: CarriersFile): ReadonlyMap<string, ConfiguredCarrier> {
  return new Map(carriers.map((carrier) => [carrier.name, carrier]))
}

function numbersOf({ carriers }: CarriersFile): ReadonlySet<string> {
  return toOurNumbers(carriers.flatMap(({ traits }) => traits.numbers))
}
