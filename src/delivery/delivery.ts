import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Registry } from 'prom-client'
import type { Carrier, CarrierEvents, SubmitOutcome } from '../carriers/carrier.ts'
import { listBinds } from '../carriers/carriers.store.ts'
import type { CarriersFile } from '../carriers/carriers-file.ts'
import type { CarriersInUse } from '../carriers/carriers-in-use.ts'
import { createLimits } from '../carriers/limits.ts'
import { rerouted } from '../carriers/routes.ts'
import { startSmppCarrier } from '../carriers/smpp/smpp-carrier.ts'
import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { listQueuedRoutes, rerouteBatches } from './claims.store.ts'
import { Dispatcher } from './dispatch-batches.ts'
import { createMetrics } from './metrics.ts'
import { type Evidence, resolveDoubts, settleLateOutcome } from './resolve-doubts.ts'
import type { Settling } from './settling.ts'

/*
 * The role `delivery`: binds to the carriers of the carriers file, keeps each of them busy, and decides what is in doubt.
 */

const DOUBTS_PAUSE_MS = 1_000
const NEIGHBOURS_PAUSE_MS = 1_000
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
  registry: Registry
  log: Log
}

type SmppSettings = CarriersFile['smpp'][number]

interface Running {
  settings: SmppSettings
  carrier: Carrier
  dispatcher: Dispatcher
}

export class Delivery {
  readonly #parts: DeliveryParts
  /** Names this process among all. */
  readonly #workerId = randomUUID()
  readonly #running = new Map<string, Running>()
  readonly #workers: RunningWorker[] = []
  readonly #metrics: ReturnType<typeof createMetrics>
  /** Carriers that another process is bound to. */
  #upElsewhere: ReadonlySet<string> = new Set()
  #isStopping = false
  readonly #late = new Set<Promise<void>>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    const { pool, registry, log } = parts
    this.#metrics = createMetrics(registry, {
      pool,
      carriers: () => [...this.#running.values()].map(({ carrier }) => carrier)
    })
    const start = (name: string, pauseMs: number, work: () => Promise<{ isMoreDue: boolean }>) =>
      this.#workers.push(startWorker({ name, work, pauseMs, log }))
    const evidence = {
      submissionIdOf: parts.submissionIdOf,
      partsOf: (carrier: string, segments: number) => (parts.inUse.sendsWhole(carrier) ? 1 : segments)
    }
    start('deciding doubts', DOUBTS_PAUSE_MS, () => resolveDoubts(pool, evidence))
    start('looking at neighbours', NEIGHBOURS_PAUSE_MS, () => this.#lookAround())
  }

  /** Starts with the carriers that are in use, and goes over to those that are from then on. */
  async apply(): Promise<void> {
    const { inUse, pool } = this.#parts
    const wanted = new Map(inUse.file.smpp.map((settings) => [settings.name, settings]))
    const leaving = [...this.#running].filter(([name, { settings }]) => !isDeepStrictEqual(wanted.get(name), settings))
    await Promise.all(leaving.map(([name]) => this.#stopCarrier(name)))
    for (const settings of wanted.values()) if (!this.#running.has(settings.name)) this.#startCarrier(settings)
    await this.#reroute(pool)
    this.wake()
  }

  /** Something may be due. */
  wake(): void {
    for (const { dispatcher } of this.#running.values()) dispatcher.wake()
  }

  isUp(carrier: string): boolean {
    return this.#running.get(carrier)?.carrier.status().isUp === true || this.#upElsewhere.has(carrier)
  }

  /** Waits for answers that are due, unbinds, and gives back the rest. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#running.keys()].map((name) => this.#stopCarrier(name)))
    await Promise.all(this.#workers.map((worker) => worker.stop()))
    await Promise.all(this.#late)
  }

  #startCarrier(settings: SmppSettings): void {
    const { pool, inUse, settling, log } = this.#parts
    const { name } = settings
    const carrier = startSmppCarrier({
      settings,
      ca: settings.caText,
      limits: createLimits(pool, { owner: this.#workerId }),
      metrics: this.#metrics,
      log,
      events: {
        ...this.#parts.inbound,
        onLateOutcome: (reference, outcome) => this.#settleLate(reference, outcome),
        // Also the others: one may have to take over, or to give way.
        onChange: () => this.wake()
      }
    })
    const dispatcher = new Dispatcher({
      pool,
      carrier,
      routes: () => inUse.prefixesFor(name, (other) => this.isUp(other)),
      settling,
      log,
      onOutcome: (outcome) => this.#metrics.onOutcome(name, outcome)
    })
    this.#running.set(name, { settings, carrier, dispatcher })
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
        const late = { reference, outcome }
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

  async #lookAround(): Promise<{ isMoreDue: boolean }> {
    const before = this.#upElsewhere
    const binds = await listBinds(this.#parts.pool)
    const elsewhere = binds.filter(({ owner, status }) => owner !== this.#workerId && status?.state === 'bound')
    this.#upElsewhere = new Set(elsewhere.map(({ carrier }) => carrier))
    if (before.symmetricDifference(this.#upElsewhere).size > 0) this.wake()
    // Not only when the file is read: what is in doubt, or accepted by a process that still has the old file, comes later.
    await this.#reroute(this.#parts.pool)
    return { isMoreDue: false }
  }

  /** What waits on routes that are no longer in the file takes those that took their place. */
  async #reroute(pool: Pool): Promise<void> {
    const routes = this.#parts.inUse.smsRoutes
    for (const prefix of await listQueuedRoutes(pool)) {
      if (routes.some((route) => route.prefix === prefix)) continue
      const to = rerouted({ channel: 'sms', prefix }, routes)
      if (to) await rerouteBatches(pool, { from: prefix, to: to.prefix })
      else this.#parts.log.error({ prefix }, 'messages wait for a route that is no longer in the carriers file')
    }
  }
}
