import type { CarriersFile } from './carriers-file.ts'
import type { IdForm } from './message-ids.ts'
import { createRoutes, type Route, type RouteOf } from './routes.ts'

/** The carriers file as it is now. Whoever asks gets what it says at that moment: it may be read again at any time. */
export class CarriersInUse {
  #file: CarriersFile
  #routeOf: RouteOf

  constructor(file: CarriersFile) {
    this.#file = file
    this.#routeOf = createRoutes(file.routes)
  }

  get file(): CarriersFile {
    return this.#file
  }

  replace(file: CarriersFile): void {
    this.#file = file
    this.#routeOf = createRoutes(file.routes)
  }

  /** The prefix of the route that a number takes. */
  routeOf(e164: string): string | undefined {
    return this.#routeOf('sms', e164)?.prefix
  }

  stopMention(e164: string): string {
    return this.#firstOn(e164)?.stopMention ?? ''
  }

  defaultSender(e164: string): string {
    return this.#firstOn(e164)?.sender ?? ''
  }

  get ourNumbers(): readonly string[] {
    return this.#file.smpp.flatMap(({ numbers }) => numbers)
  }

  idFormatOf(carrier: string): 'auto' | IdForm {
    return this.#file.smpp.find(({ name }) => name === carrier)?.messageIdFormat ?? 'auto'
  }

  /** Whether a long message is one to this carrier. */
  sendsWhole(carrier: string): boolean {
    return this.#file.smpp.find(({ name }) => name === carrier)?.longMessages === 'payload'
  }

  get smsRoutes(): Route[] {
    return this.#file.routes.filter(({ channel }) => channel === 'sms')
  }

  /** The prefixes of the routes on which this carrier is the first that is up. */
  prefixesFor(carrier: string, isUp: (carrier: string) => boolean): string[] {
    return this.smsRoutes.filter(({ carriers }) => carriers.find(isUp) === carrier).map(({ prefix }) => prefix)
  }

  #firstOn(e164: string) {
    const [first] = this.#routeOf('sms', e164)?.carriers ?? []
    return this.#file.smpp.find(({ name }) => name === first)
  }
}
