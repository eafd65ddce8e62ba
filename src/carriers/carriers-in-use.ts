import { toOurNumbers } from '../compliance/sender.ts'
import type { CarriersFile } from './carriers-file.ts'
import type { IdForm } from './message-ids.ts'
import { type Channel, createRoutes, type Route, type RouteOf, routeName, wayName } from './routes.ts'

/** The carriers file as it is now. Whoever asks gets what it says at that moment: it may be read again at any time. */
export class CarriersInUse {
  #file: CarriersFile
  #routeOf: RouteOf
  #ourNumbers: ReadonlySet<string>

  constructor(file: CarriersFile) {
    this.#file = file
    this.#routeOf = createRoutes(file.routes)
    this.#ourNumbers = numbersOf(file)
  }

  get file(): CarriersFile {
    return this.#file
  }

  replace(file: CarriersFile): void {
    this.#file = file
    this.#routeOf = createRoutes(file.routes)
    this.#ourNumbers = numbersOf(file)
  }

  /** The name of the route that a number takes. */
  routeOf(channel: Channel, e164: string): string | undefined {
    const route = this.#routeOf(channel, e164)
    return route && routeName(route)
  }

  /** The name of the route through this SMPP carrier, wherever the others lead. */
  routeThrough(carrier: string): string | undefined {
    return this.#file.smpp.some(({ name }) => name === carrier) ? wayName({ kind: 'carrier', carrier }) : undefined
  }

  /** The name of the way of those whom RCS does not lead to, and who have a fallback. */
  readonly unreachedRoute = wayName({ kind: 'no-rcs' })

  /** Who an RCS to this number is from: the agent of the first carrier on its way. */
  agentOf(e164: string): string {
    const [first] = this.#routeOf('rcs', e164)?.carriers ?? []
    return this.#file.rbm.find(({ name }) => name === first)?.agentId ?? ''
  }

  stopMention(e164: string): string {
    return this.#firstOn(e164)?.stopMention ?? ''
  }

  defaultSender(e164: string): string {
    return this.#firstOn(e164)?.sender ?? ''
  }

  /** Numbers and short codes that we may send from, without `+`. */
  get ourNumbers(): ReadonlySet<string> {
    return this.#ourNumbers
  }

  idFormatOf(carrier: string): 'auto' | IdForm {
    return this.#file.smpp.find(({ name }) => name === carrier)?.messageIdFormat ?? 'auto'
  }

  /** Whether a long message is one to this carrier. */
  sendsWhole(carrier: string): boolean {
    return this.#file.smpp.find(({ name }) => name === carrier)?.longMessages === 'payload'
  }

  get routes(): readonly Route[] {
    return this.#file.routes
  }

  /** The names of the routes on which this carrier is the first that is up. */
  routesFor(carrier: string, isUp: (carrier: string) => boolean): string[] {
    return this.routes.filter(({ carriers }) => carriers.find(isUp) === carrier).map(routeName)
  }

  #firstOn(e164: string) {
    const [first] = this.#routeOf('sms', e164)?.carriers ?? []
    return this.#file.smpp.find(({ name }) => name === first)
  }
}

function numbersOf({ smpp }: CarriersFile): ReadonlySet<string> {
  return toOurNumbers(smpp.flatMap(({ numbers }) => numbers))
}
