import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Registry } from 'prom-client'
import type { Carrier, CarrierEvents, RcsCarrier, SubmitOutcome } from '../carriers/carrier.ts'
import { keepMessageIdKey, listBinds } from '../carriers/carriers.store.ts'
import type { CarriersFile } from '../carriers/carriers-file.ts'
import type { CarriersInUse } from '../carriers/carriers-in-use.ts'
import { createLimits } from '../carriers/limits.ts'
import { publishStatuses, withdrawStatuses } from '../carriers/publish-statuses.ts'
import { createCapabilityCache } from '../carriers/capability-cache.ts'
import { startRbmCarrier } from '../carriers/rbm/rbm-carrier.ts'
import { channelOfWay, parseWay, rerouted, routeName, wayName } from '../carriers/routes.ts'
import { startSmppCarrier } from '../carriers/smpp/smpp-carrier.ts'
import { databaseNow } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { type FellBack, fallBack } from '../fallback/fall-back.ts'
import { endWaits, patienceOf, revokeDue } from '../fallback/follow-waits.ts'
import type { Log } from '../http/log.ts'
import { isAnyRcsMessage } from '../messages/rcs-messages.store.ts'
import { listQueuedRoutes, readyBatches, rerouteBatches, rerouteOverdue } from '../queue/claims.store.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { Dispatcher, type DispatchOptions, type NoCarrier } from './dispatch-batches.ts'
import { createMetrics } from './metrics.ts'
import { ProgressWatch } from './progress-watch.ts'
import { type Evidence, resolveDoubts, settleLateOutcome } from './resolve-doubts.ts'
import { withoutFallback } from './settle-outcomes.ts'
import type { Settling } from './settling.ts'

/*
 * The role `delivery`: binds to the carriers of the carriers file, keeps each of them busy, and decides what is in doubt.
 */

const DOUBTS_PAUSE_MS = 1_000
const NEIGHBOURS_PAUSE_MS = 1_000
const WAITS_PAUSE_MS = 300
/** How late a batch may leave that was queued for later. */
const READY_PAUSE_MS = 250
const READY_BATCH = 1_000
const WATCH_PAUSE_MS = 5_000
/** A carrier that is down for so long is not only coming back. */
const DOWN_SECONDS = 30
/** A late answer may overtake the writing down of its doubt. */
const LATE_TRIES_MS = [0, 200, 1_000, 5_000]

export interface DeliveryParts {
  pool: Pool
  inUse: CarriersInUse
  settling: Settling
  /** What carriers report that is not about submits. */
  inbound: Pick<CarrierEvents, 'onReceipt' | 'onReply'>
  /** Under which id the segment of a receipt would be found. */
  submissionIdOf: Evidence['submissionIdOf']
  /** How long an RCS may wait for its delivery report, unless its carrier says otherwise. */
  rcsFallbackSeconds: number
  onFellBack?(count: FellBack): void
  registry: Registry
  /** Where the gauges look. */
  metricsPool: Pool
  log: Log
}

type Settings = CarriersFile['smpp' | 'rbm'][number]
type RbmSettings = CarriersFile['rbm'][number]

interface Running {
  settings: Settings
  carrier: Carrier
  /** The same, if it sends RCS. */
  rcsCarrier?: RcsCarrier
  dispatcher: Dispatcher
  dispatch(): Dispatcher
  watch: ProgressWatch
}

const NO_CARRIER: NoCarrier = {
  name: null,
  capacity: 100,
  pacePerSecond: null,
  submit: async () => ({ kind: 'unreachable', reason: 'No carrier of RCS leads to this number.' })
}
const NO_RCS = wayName({ kind: 'no-rcs' })

export class Delivery {
  readonly #parts: DeliveryParts
  /** Names this process among all. */
  readonly #workerId = randomUUID()
  readonly #running = new Map<string, Running>()
  readonly #workers: RunningWorker[] = []
  /** For those whom no carrier of RCS leads to. */
  readonly #unreached: Dispatcher
  readonly #metrics: ReturnType<typeof createMetrics>
  /** Carriers that another process is bound to. */
  #upElsewhere: ReadonlySet<string> = new Set()
  /** Carriers that something is to go through wherever the routes lead. */
  #tested: ReadonlySet<string> = new Set()
  /** Routes of RCS on which nobody is up, and since when. */
  readonly #downSince = new Map<string, number>()
  #isStopping = false
  readonly #late = new Set<Promise<void>>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    const { pool, metricsPool, registry, log } = parts
    this.#metrics = createMetrics(registry, {
      pool: metricsPool,
      carriers: () => [...this.#running.values()].map(({ carrier }) => carrier)
    })
    const start = (name: string, pauseMs: number, work: () => Promise<{ isMoreDue: boolean }>) =>
      this.#workers.push(startWorker({ name, work, pauseMs, log }))
    const evidence = {
      submissionIdOf: parts.submissionIdOf,
      partsOf: (carrier: string, segments: number) => (parts.inUse.sendsWhole(carrier) ? 1 : segments)
    }
    this.#unreached = new Dispatcher({
      pool,
      carrier: NO_CARRIER,
      routes: () => [NO_RCS],
      settling: parts.settling,
      log,
      rcs: this.#rcsOptions(parts.rcsFallbackSeconds)
    })
    start('deciding doubts', DOUBTS_PAUSE_MS, () => resolveDoubts(pool, evidence))
    start('readying batches', READY_PAUSE_MS, () => this.#readyBatches())
    start('watching progress', WATCH_PAUSE_MS, () => this.#watchProgress())
    start('looking at neighbours', NEIGHBOURS_PAUSE_MS, () => this.#lookAround())
    const falls = {
      routing: parts.inUse,
      startedAt: databaseNow(),
      onFellBack: (count: FellBack) => this.#onFellBack(count)
    }
    start('revoking RCS', WAITS_PAUSE_MS, () => revokeDue(pool, (name) => this.rcsCarrier(name)))
    start('falling back', WAITS_PAUSE_MS, () => endWaits(pool, falls))
  }

  /** Starts with the carriers that are in use, and goes over to those that are from then on. */
  async apply(): Promise<void> {
    const { inUse, pool } = this.#parts
    const { smpp, rbm } = inUse.file
    const wanted = new Map([...smpp, ...rbm].map((settings): [string, Settings] => [settings.name, settings]))
    const leaving = [...this.#running].filter(([name, { settings }]) => !isDeepStrictEqual(wanted.get(name), settings))
    await Promise.all(leaving.map(([name]) => this.#stopCarrier(name)))
    for (const settings of wanted.values()) {
      if (!this.#running.has(settings.name)) await this.#startCarrier(settings)
    }
    await this.#reroute(pool)
    this.wake()
  }

  /** Something may be due. */
  wake(): void {
    for (const { dispatcher } of this.#running.values()) dispatcher.wake()
    this.#unreached.wake()
  }

  rcsCarrier(name: string): RcsCarrier | undefined {
    return this.#running.get(name)?.rcsCarrier
  }

  isUp(carrier: string): boolean {
    return this.#running.get(carrier)?.carrier.status().isUp === true || this.#upElsewhere.has(carrier)
  }

  /** Waits for answers that are due, unbinds, and gives back the rest. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#running.keys()].map((name) => this.#stopCarrier(name)))
    await this.#unreached.stop()
    await Promise.all(this.#workers.map((worker) => worker.stop()))
    await Promise.all(this.#late)
    // Without a database, what was published is too old in some seconds.
    await withdrawStatuses(this.#parts.pool, { owner: this.#workerId }).catch(() => undefined)
  }

  async #startCarrier(settings: Settings): Promise<void> {
    const running =
      settings.type === 'smpp'
        ? this.#startSmpp(settings)
        : this.#startRbm(settings, await this.#messageIdKeyOf(settings))
    this.#running.set(settings.name, running)
  }

  /**
   * Before keys were stored, the token was the key. Where RCS messages were sent, it stays the key: some may be on their way,
   * and they are followed, revoked and sent again under their ids.
   */
  async #messageIdKeyOf({ name, webhookToken }: RbmSettings): Promise<string> {
    const { pool } = this.#parts
    const key = (await isAnyRcsMessage(pool)) ? webhookToken : randomBytes(32).toString('hex')
    return keepMessageIdKey(pool, { carrier: name, key })
  }

  #startSmpp(settings: CarriersFile['smpp'][number]): Running {
    const carrier = startSmppCarrier({
      settings,
      ca: settings.caText,
      limits: createLimits(this.#parts.pool, { owner: this.#workerId }),
      metrics: this.#metrics,
      log: this.#parts.log,
      events: {
        ...this.#parts.inbound,
        onLateOutcome: (reference, outcome) => this.#settleLate(reference, outcome),
        // Also the others: one may have to take over, or to give way.
        onChange: () => this.wake()
      }
    })
    return this.#run(settings, carrier, { defaultSender: settings.sender })
  }

  #startRbm(settings: RbmSettings, messageIdKey: string): Running {
    const { pool, rcsFallbackSeconds, log } = this.#parts
    const rcsCarrier = startRbmCarrier({
      settings,
      fallbackSeconds: rcsFallbackSeconds,
      messageIdKey,
      cache: createCapabilityCache(pool),
      limits: createLimits(pool, { owner: this.#workerId }),
      log,
      events: { onChange: () => this.wake() }
    })
    const rcs = this.#rcsOptions(settings.fallbackDelay ?? rcsFallbackSeconds)
    return { ...this.#run(settings, rcsCarrier, { rcs }), rcsCarrier }
  }

  #run(settings: Settings, carrier: Carrier, options: Pick<DispatchOptions, 'defaultSender' | 'rcs'>): Running {
    const dispatch = () => this.#dispatch(carrier, options)
    return { settings, carrier, dispatcher: dispatch(), dispatch, watch: new ProgressWatch() }
  }

  #rcsOptions(fallbackSeconds: number): NonNullable<DispatchOptions['rcs']> {
    const { pool, inUse } = this.#parts
    return {
      patience: patienceOf(fallbackSeconds),
      fallBack: async (falling) => {
        if (falling.length === 0) return
        this.#onFellBack(await pool.begin((database) => fallBack(database, falling, inUse)))
      }
    }
  }

  #onFellBack(count: FellBack): void {
    this.#parts.onFellBack?.(count)
    if (count.sms > 0) this.wake()
  }

  #dispatch(carrier: Carrier, options: Pick<DispatchOptions, 'defaultSender' | 'rcs'>): Dispatcher {
    const { pool, settling, log } = this.#parts
    const { name } = carrier
    return new Dispatcher({
      pool,
      carrier,
      routes: () => this.#routesOf(name),
      settling,
      log,
      onOutcome: (outcome) => this.#metrics.onOutcome(name, outcome),
      ...options
    })
  }

  /** Its own only while something waits on it: to look there each time would cost every message. */
  #routesOf(carrier: string): string[] {
    const routes = this.#parts.inUse.routesFor(carrier, (other) => this.isUp(other))
    return this.#tested.has(carrier) ? [...routes, wayName({ kind: 'carrier', carrier })] : routes
  }

  /** First the dispatcher: what is on its way is answered, and settled, over a link that is still there. */
  async #stopCarrier(name: string): Promise<void> {
    const { dispatcher, carrier } = this.#running.get(name) ?? {}
    await dispatcher?.stop()
    await carrier?.stop()
    this.#running.delete(name)
  }

  #settleLate(reference: number, outcome: SubmitOutcome): void {
    const { pool, log } = this.#parts
    const settle = async () => {
      for (const delayMs of LATE_TRIES_MS) {
        await sleep(delayMs)
        const late = { reference, outcome: withoutFallback(outcome) }
        if (await pool.begin((database) => settleLateOutcome(database, late))) break
        if (this.#isStopping) break
      }
      this.wake()
    }
    const settling = settle()
      .catch((error) => log.error({ reference, err: error }, 'a late answer could not be stored'))
      .finally(() => this.#late.delete(settling))
    this.#late.add(settling)
  }

  /** Batches whose time has come may be claimed. */
  async #readyBatches(): Promise<{ isMoreDue: boolean }> {
    const count = await readyBatches(this.#parts.pool, READY_BATCH)
    if (count > 0) this.wake()
    return { isMoreDue: count === READY_BATCH }
  }

  /** What stands still although it could go on is begun anew. */
  async #watchProgress(): Promise<{ isMoreDue: boolean }> {
    const { pool, log } = this.#parts
    for (const [name, running] of this.#running) {
      const { carrier, dispatcher, watch } = running
      if (!(await watch.isStuck({ pool, carrier, dispatcher, routes: () => this.#routesOf(name) }))) continue
      // The carriers may have been replaced meanwhile.
      if (this.#isStopping || this.#running.get(name) !== running) continue
      log.error(
        { carrier: name },
        'what is due does not leave although the carrier is up; sending through it begins anew'
      )
      this.#metrics.onRestart(name)
      dispatcher.abandon()
      running.dispatcher = running.dispatch()
    }
    return { isMoreDue: false }
  }

  async #lookAround(): Promise<{ isMoreDue: boolean }> {
    const before = this.#upElsewhere
    const carriers = [...this.#running.values()].map(({ carrier }) => carrier)
    await publishStatuses(this.#parts.pool, { owner: this.#workerId, carriers })
    const binds = await listBinds(this.#parts.pool)
    const elsewhere = binds.filter(({ owner, status }) => owner !== this.#workerId && status?.state === 'bound')
    this.#upElsewhere = new Set(elsewhere.map(({ carrier }) => carrier))
    if (before.symmetricDifference(this.#upElsewhere).size > 0) this.wake()
    // Not only when the file is read: what is in doubt, or accepted by a process that still has the old file, comes later.
    await this.#reroute(this.#parts.pool)
    await this.#passOver()
    return { isMoreDue: false }
  }

  /** While no carrier of RCS is up, what has been due for as long as a report would be awaited falls back. */
  async #passOver(): Promise<void> {
    const { inUse, pool, rcsFallbackSeconds } = this.#parts
    for (const route of inUse.routes.filter(({ channel }) => channel === 'rcs')) {
      const name = routeName(route)
      const isUp = route.carriers.some((carrier) => this.isUp(carrier))
      const downSince = isUp ? undefined : (this.#downSince.get(name) ?? Date.now())
      if (downSince === undefined) this.#downSince.delete(name)
      else this.#downSince.set(name, downSince)
      const ofRoute = inUse.file.rbm.filter((carrier) => route.carriers.includes(carrier.name))
      const seconds = Math.max(...ofRoute.map(({ fallbackDelay }) => fallbackDelay ?? rcsFallbackSeconds))
      // A process that has just started may be up in a moment.
      if (downSince === undefined || Date.now() - downSince < Math.min(seconds, DOWN_SECONDS) * 1000) continue
      await rerouteOverdue(pool, { from: name, to: NO_RCS, seconds })
    }
  }

  /** What waits on routes that are no longer in the file takes those that took their place. */
  async #reroute(pool: Pool): Promise<void> {
    const { routes, file } = this.#parts.inUse
    const queued = await listQueuedRoutes(pool)
    const ownWay = (carrier: string) => wayName({ kind: 'carrier', carrier })
    this.#tested = new Set(file.smpp.map(({ name }) => name).filter((name) => queued.includes(ownWay(name))))
    if (this.#tested.size > 0) this.wake()
    const served = new Set([NO_RCS, ...routes.map(routeName), ...[...this.#tested].map(ownWay)])
    for (const name of queued.filter((name) => !served.has(name))) {
      const lost = parseWay(name)
      const channel = channelOfWay(lost)
      // A test of a carrier that is no longer in the file takes the route of all other numbers, if there is one.
      const to = rerouted({ channel, prefix: lost.kind === 'route' ? lost.prefix : '' }, routes)
      if (to) await rerouteBatches(pool, { from: name, to: routeName(to) })
      else if (channel === 'rcs') await rerouteBatches(pool, { from: name, to: NO_RCS })
      else this.#parts.log.error({ route: name }, 'messages wait for a route that is no longer in the carriers file')
    }
  }
}
