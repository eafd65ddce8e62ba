import { toOurNumbers } from '../compliance/sender.ts'
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
import { type Channel, createRoutes, type Route, type RouteOf, routeName, wayName } from './routes.ts'

/** Carriers and routes by the newest carriers file, which may be read again at any time. */
export class RoutingTable {
  /** Every kind of carrier that the file may name. */
  readonly kinds: readonly CarrierKind[]
  #file: CarriersFile
  #carriers: ReadonlyMap<string, ConfiguredCarrier>
  #routeOf: RouteOf
  #ourNumbers: ReadonlySet<string>

  constructor(file: CarriersFile, kinds: readonly CarrierKind[] = CARRIER_KINDS) {
    this.kinds = kinds
    this.#file = file
    this.#carriers = byName(file)
    this.#routeOf = createRoutes(file.routes)
    this.#ourNumbers = numbersOf(file)
  }

  get file(): CarriersFile {
    return this.#file
  }

  replace(file: CarriersFile): void {
    this.#file = file
    this.#carriers = byName(file)
    this.#routeOf = createRoutes(file.routes)
    this.#ourNumbers = numbersOf(file)
  }

  find(carrier: string): ConfiguredCarrier | undefined {
    return this.#carriers.get(carrier)
  }

  /** The carriers of one kind. */
  settingsOf<Settings extends CarrierSettings>(kind: CarrierKind<Settings>): Settings[] {
    return settingsOf(this.#file.carriers, kind)
  }

  /** The name of the route that a number takes. */
  routeOf(channel: Channel, e164: string): string | undefined {
    const route = this.#routeOf(channel, e164)
    return route && routeName(route)
  }

  /** The name of the way through this SMS carrier, wherever the routes lead. */
  routeThrough(carrier: string): string | undefined {
    const isSms = this.find(carrier)?.kind.channels.includes('sms')
    return isSms ? wayName({ kind: 'carrier', carrier }) : undefined
  }

  /** The name of the way of recipients that no RCS carrier serves, and that have a fallback. */
  readonly unreachedRoute = wayName({ kind: 'no-rcs' })

  /** The sender of an RCS to this number: the agent of the first carrier on its route. */
  agentOf(e164: string): string {
    return this.#firstOn('rcs', e164)?.agentId ?? ''
  }

  stopMention(e164: string): string {
    return this.#firstOn('sms', e164)?.stopMention ?? ''
  }

  defaultSender(e164: string): string {
    return this.#firstOn('sms', e164)?.sender ?? ''
  }

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

  #firstOn(channel: Channel, e164: string): CarrierTraits | undefined {
    const [first] = this.#routeOf(channel, e164)?.carriers ?? []
    return first === undefined ? undefined : this.find(first)?.traits
  }
}

function byName({ carriers }: CarriersFile): ReadonlyMap<string, ConfiguredCarrier> {
  return new Map(carriers.map((carrier) => [carrier.name, carrier]))
}

function numbersOf({ carriers }: CarriersFile): ReadonlySet<string> {
  return toOurNumbers(carriers.flatMap(({ traits }) => traits.numbers))
}
