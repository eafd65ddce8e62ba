import {
  type Channel,
  channelOfWay,
  parseWay,
  type RoutedMessage,
  rerouted,
  routeName,
  wayName
} from '../carriers/routes.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import {
  listQueuedMessages,
  listQueuedRoutes,
  type QueuedMessage,
  rerouteBatches,
  rerouteOverdue
} from '../queue/queued-routes.store.ts'

/** Messages of a removed route that find their new routes together. */
const REROUTED_AT_ONCE = 10_000
/** A carrier that is down for this long is not just reconnecting. */
const DOWN_SECONDS = 30

/** The way of recipients whose number no RCS carrier serves. */
export const NO_RCS = wayName({ kind: 'no-rcs' })

interface QueuedWaysParts {
  pool: Pool
  routing: RoutingTable
  rcsFallbackSeconds: number
  log: Log
}

/**
 * The ways on which batches wait. Those that few batches take (tests of a carrier, next carriers, agents) are served only while
 * they are used: one more query per claim would slow every message down. What waits on a way that is gone gets another.
 */
export class QueuedWays {
  readonly #parts: QueuedWaysParts
  /** Carriers with a queued test, which goes through its carrier whatever the routes say. */
  #tested: ReadonlySet<string> = new Set()
  /** Ways to next carriers that have queued batches. */
  #next = new Set<string>()
  /** Ways through agents that had queued batches since the start. */
  readonly #agents = new Set<string>()
  /** RCS routes without a carrier that is up, and since when. */
  readonly #downSince = new Map<string, number>()

  constructor(parts: QueuedWaysParts) {
    this.#parts = parts
  }

  /** The way of a test, while one waits. */
  testsOf(carrier: string, channel: Channel): string[] {
    return channel === 'sms' && this.#tested.has(carrier) ? [ownWay(carrier)] : []
  }

  /** What a carrier serves besides its routes and its tests. `serves` tells which carriers routes lead to. */
  othersOf(carrier: string, channel: Channel, serves: (carrier: string) => boolean): string[] {
    const { routing } = this.#parts
    if (channel === 'sms') return [...this.#next].filter((way) => routing.carriersOf(way).find(serves) === carrier)
    const isUsed = routing.isRestricted(carrier) || this.#agents.size > 0
    return isUsed ? routing.agentWaysFor(carrier, serves) : []
  }

  /** Batches were queued on a way to next carriers. */
  addNext(way: string): void {
    this.#next.add(way)
  }

  /**
   * Reads the ways, and moves batches from routes that left the carriers file to the routes that replace them. Returns whether
   * a way is used that is not served otherwise.
   */
  async follow(): Promise<boolean> {
    const { pool, routing } = this.#parts
    const { routes, file } = routing
    const queued = await listQueuedRoutes(pool)
    this.#tested = new Set(file.carriers.map(({ name }) => name).filter((name) => queued.includes(ownWay(name))))
    const ofAgents = routing.agentWays()
    for (const name of ofAgents.filter((name) => queued.includes(name))) this.#agents.add(name)
    this.#next = new Set(queued.filter((name) => this.#isNext(name)))
    const served = new Set([
      NO_RCS,
      ...routes.map(routeName),
      ...[...this.#tested].map(ownWay),
      ...ofAgents,
      ...this.#next
    ])
    for (const name of queued.filter((name) => !served.has(name))) await this.#rerouteFrom(name)
    return this.#tested.size > 0 || this.#agents.size > 0 || this.#next.size > 0
  }

  /** While an RCS route has no carrier up, a batch falls back once it is due for as long as a report would be awaited. */
  async passOver(serves: (carrier: string) => boolean): Promise<void> {
    const { routing, pool, rcsFallbackSeconds } = this.#parts
    const names = routing.routes.filter(({ channel }) => channel === 'rcs').map(routeName)
    for (const name of [...names, ...this.#agents]) {
      const carriers = routing.carriersOf(name)
      // An agent that left the file has none: its batches are rerouted.
      if (carriers.length === 0) continue
      const downSince = carriers.some(serves) ? undefined : (this.#downSince.get(name) ?? Date.now())
      if (downSince === undefined) this.#downSince.delete(name)
      else this.#downSince.set(name, downSince)
      const ofRoute = routing.file.carriers.filter((carrier) => carriers.includes(carrier.name))
      const seconds = Math.max(...ofRoute.map(({ traits }) => traits.fallbackSeconds ?? rcsFallbackSeconds))
      // A process that has just started may bind in a moment.
      if (downSince === undefined || Date.now() - downSince < Math.min(seconds, DOWN_SECONDS) * 1000) continue
      await rerouteOverdue(pool, { from: name, to: NO_RCS, seconds })
    }
  }

  /** Whether a way leads to next carriers, and the carriers file still has some of them. */
  #isNext(name: string): boolean {
    return parseWay(name).kind === 'next' && this.#parts.routing.carriersOf(name).length > 0
  }

  /** Each message of a lost route takes the most specific route that is left for it. */
  async #rerouteFrom(name: string): Promise<void> {
    const { pool, routing, log } = this.#parts
    const lost = parseWay(name)
    const channel = channelOfWay(lost)
    // A test of a carrier that left the file takes the route of all other numbers, if there is one.
    const route = lost.kind === 'next' ? lost.route : lost
    const key = { channel, prefix: 'prefix' in route ? route.prefix : '' }
    const routeFor = (message?: RoutedMessage) => {
      // Messages that chose an agent leave under no other.
      const route = lost.kind === 'agent' ? undefined : rerouted(key, routing.routesOf, message)
      return route ? routeName(route) : channel === 'rcs' ? NO_RCS : undefined
    }
    let isAnyLeft = false
    const move = async (to: string | undefined, messages?: QueuedMessage[]) => {
      if (to === undefined) isAnyLeft = true
      else await rerouteBatches(pool, { from: name, to, ...(messages && { messages }) })
    }
    if (!routing.hasMatches) await move(routeFor())
    let after = { accountId: 0, messageId: 0 }
    for (let isMore = routing.hasMatches; isMore; ) {
      const messages = await listQueuedMessages(pool, { route: name, after, limit: REROUTED_AT_ONCE })
      for (const [to, ofRoute] of Map.groupBy(messages, routeFor)) await move(to, ofRoute)
      after = messages.at(-1) ?? after
      isMore = messages.length === REROUTED_AT_ONCE
    }
    if (isAnyLeft) log.error({ route: name }, 'messages wait on a route that is no longer in the carriers file')
  }
}

function ownWay(carrier: string): string {
  return wayName({ kind: 'carrier', carrier })
}
