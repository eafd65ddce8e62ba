import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Registry } from 'prom-client'
import type { SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import { createCapabilityCache } from '../carriers/capability-cache.ts'
import type { Carrier, CarrierInbound } from '../carriers/carrier.ts'
import { listBinds } from '../carriers/carriers.store.ts'
import { CapturesFollower } from '../carriers/follow-captures.ts'
import type { CarrierHistory } from '../carriers/history.ts'
import type { CarrierContext, CarrierSettings, ConfiguredCarrier } from '../carriers/kind.ts'
import { createLimits } from '../carriers/limits.ts'
import { Pauses } from '../carriers/pause.ts'
import { listPauses } from '../carriers/pauses.store.ts'
import { publishStatuses, withdrawStatuses } from '../carriers/publish-statuses.ts'
import type { Channel } from '../carriers/routes.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import { databaseNow, databaseNowMs } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { type FallbackCounts, fallBack } from '../fallback/fall-back.ts'
import { endWaits, patienceOf, revokeDue } from '../fallback/follow-waits.ts'
import type { ConsentMode } from '../http/consent-mode.ts'
import type { Log } from '../http/log.ts'
import type { ClaimedBatch } from '../queue/claims.store.ts'
import { readyBatches } from '../queue/ready-batches.store.ts'
import type { Seats } from '../queue/seat.ts'
import { listWaitingPhones } from '../recipients/waiting-recipients.store.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { Dispatcher, type DispatchOptions } from './dispatch-batches.ts'
import { expireBatches } from './expire-batches.ts'
import type { NoCarrier } from './hand-over.ts'
import { LateOutcomes } from './late-outcomes.ts'
import { createMetrics } from './metrics.ts'
import type { PendingIds } from './pending-ids.ts'
import { ProgressWatch } from './progress-watch.ts'
import type { Evidence } from './prove-doubts.ts'
import { NO_RCS, QueuedWays } from './queued-ways.ts'
import { resolveDoubts } from './resolve-doubts.ts'

/*
 * The role `delivery`: binds to the carriers of the carriers file, keeps each of them busy, and decides recipients in doubt.
 */

const DOUBTS_PAUSE_MS = 1_000
const NEIGHBOURS_PAUSE_MS = 1_000
const CAPTURES_PAUSE_MS = 1_000
const WAITS_PAUSE_MS = 300
/** For fewer, one more query would cost more than it saves. */
const FORESEEN_MIN = 50
/** A batch that was queued for later may leave this late. */
const READY_PAUSE_MS = 250
const READY_BATCH = 1_000
/** A message may expire this late. */
const EXPIRE_PAUSE_MS = 500
const WATCH_PAUSE_MS = 5_000

export interface DeliveryParts {
  pool: Pool
  routing: RoutingTable
  pendingIds: PendingIds
  suspended: SuspendedAccounts
  /** Receives delivery reports and replies from carriers. */
  inbound: Pick<CarrierInbound, 'onReport' | 'onReply'>
  /** The id under which the segment of a receipt is stored. */
  submissionIdOf: Evidence['submissionIdOf']
  /** How long an RCS may wait for its delivery report, unless its carrier says otherwise. */
  rcsFallbackSeconds: number
  /** The least strict mode of consent; `off` unless given. */
  consent?: ConsentMode
  /** Whether stored reports of the RCS platform still wait to be processed. */
  hasUnreadReports(): Promise<boolean>
  onFellBack?(count: FallbackCounts): void
  /** Counts what carriers answer. */
  history?: CarrierHistory
  registry: Registry
  /** The connections of the gauges. */
  metricsPool: Pool
  log: Log
}

interface Running {
  settings: CarrierSettings
  carrier: Carrier
  /** One sender for each channel of the carrier's kind. */
  senders: Sender[]
}

/** Keeps a carrier busy with messages of one channel. */
interface Sender {
  dispatcher: Dispatcher
  dispatch(): Dispatcher
  /** The routes that this carrier serves now. */
  routes(): readonly string[]
  watch: ProgressWatch
}

/** Whether a carrier can keep its links. */
function isSameLink(one: CarrierSettings | undefined, other: CarrierSettings): boolean {
  return isDeepStrictEqual(one && { ...one, cost: undefined }, { ...other, cost: undefined })
}

const NO_CARRIER: NoCarrier = {
  name: null,
  capacity: 100,
  pacePerSecond: null,
  submit: async () => ({ kind: 'unreachable', reason: 'No carrier of RCS leads to this number.' })
}

export class Delivery {
  readonly #parts: DeliveryParts
  /** Identifies this process among all processes. */
  readonly #workerId = randomUUID()
  readonly #running = new Map<string, Running>()
  readonly #workers: RunningWorker[] = []
  /** For recipients whose number no RCS carrier serves. */
  readonly #unreached: Dispatcher
  readonly #metrics: ReturnType<typeof createMetrics>
  readonly #captures: CapturesFollower
  readonly #ways: QueuedWays
  readonly #late: LateOutcomes
  /** Carriers that another process is bound to. */
  #upElsewhere: ReadonlySet<string> = new Set()
  /** Carriers that the operator paused or drains. */
  #pauses = new Pauses([])
  #isStopping = false

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    const { pool, metricsPool, registry, log } = parts
    this.#captures = new CapturesFollower(pool, { owner: this.#workerId })
    this.#ways = new QueuedWays(parts)
    this.#late = new LateOutcomes({ pool, log, isStopping: () => this.#isStopping, onSettled: () => this.wake() })
    this.#metrics = createMetrics(registry, {
      pool: metricsPool,
      suspended: parts.suspended,
      carriers: () => [...this.#running.values()].map(({ carrier }) => carrier)
    })
    const start = (name: string, pauseMs: number, work: () => Promise<{ isMoreDue: boolean }>) =>
      this.#workers.push(startWorker({ name, work, pauseMs, log }))
    const evidence = {
      submissionIdOf: parts.submissionIdOf,
      partsOf: (carrier: string, segments: number) => (parts.routing.sendsWhole(carrier) ? 1 : segments)
    }
    this.#unreached = new Dispatcher({
      pool,
      carrier: NO_CARRIER,
      routes: () => [NO_RCS],
      pendingIds: parts.pendingIds,
      suspended: parts.suspended,
      consent: parts.consent ?? 'off',
      log,
      rcs: this.#rcsOptions(parts.rcsFallbackSeconds, { isRepeatable: true, agentId: '' })
    })
    start('deciding doubts', DOUBTS_PAUSE_MS, () => resolveDoubts(pool, evidence))
    start('expiring messages', EXPIRE_PAUSE_MS, () =>
      expireBatches(pool, {
        unreachedRoute: NO_RCS,
        onDoubt: (carrier, reason) => this.#metrics.onOutcome(carrier, { kind: 'in-doubt', reason }),
        onHandedOver: () => this.#unreached.wake()
      })
    )
    start('readying batches', READY_PAUSE_MS, () => this.#readyBatches())
    start('watching progress', WATCH_PAUSE_MS, () => this.#watchProgress())
    start('looking at neighbours', NEIGHBOURS_PAUSE_MS, () => this.#lookAround())
    start('following captures', CAPTURES_PAUSE_MS, () => this.#followCaptures())
    const endWaitsOptions = {
      routing: parts.routing,
      startedAt: databaseNow(),
      hasUnreadReports: parts.hasUnreadReports,
      onFellBack: (count: FallbackCounts) => this.#onFellBack(count),
      history: parts.history
    }
    start('revoking RCS', WAITS_PAUSE_MS, () => revokeDue(pool, (name) => this.find(name)))
    start('falling back', WAITS_PAUSE_MS, () => endWaits(pool, endWaitsOptions))
  }

  /** Stops carriers that left the carriers file or changed in it, and starts the new ones. */
  async apply(): Promise<void> {
    const { routing } = this.#parts
    // First: a carrier that was paused before the restart gets nothing.
    await this.#readPauses()
    const leaving = [...this.#running].filter(
      ([name, { settings }]) => !isSameLink(routing.find(name)?.settings, settings)
    )
    await Promise.all(leaving.map(([name]) => this.#stopCarrier(name)))
    for (const configured of routing.file.carriers) {
      if (!this.#running.has(configured.name)) await this.#startCarrier(configured)
    }
    await this.#ways.follow()
    this.wake()
  }

  /** A batch may be due. */
  wake(): void {
    for (const { senders } of this.#running.values()) for (const { dispatcher } of senders) dispatcher.wake()
    this.#unreached.wake()
  }

  /** For the small sends of one moment: the routes of carriers are looked up once, and all seats have one token. */
  seats(): Seats {
    const dispatchers = new Map<string, Dispatcher>()
    for (const { senders } of this.#running.values()) {
      for (const { routes, dispatcher } of senders) for (const route of routes()) dispatchers.set(route, dispatcher)
    }
    const leasedBy = randomUUID()
    return { take: ({ route, ...wanted }) => dispatchers.get(route)?.takeSeat({ ...wanted, leasedBy }) }
  }

  /** Undefined when this process does not run a carrier of that name. */
  find(name: string): Carrier | undefined {
    return this.#running.get(name)?.carrier
  }

  isUp(carrier: string): boolean {
    return this.#running.get(carrier)?.carrier.status().isUp === true || this.#upElsewhere.has(carrier)
  }

  /** Whether routes lead to a carrier. While it is paused they do, so that its messages wait for it. */
  #serves(carrier: string): boolean {
    return this.isUp(carrier) && !this.#pauses.givesWay(carrier)
  }

  /** Waits for pending answers, unbinds, and returns the remaining recipients to the queue. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#running.keys()].map((name) => this.#stopCarrier(name)))
    await this.#unreached.stop()
    await Promise.all(this.#workers.map((worker) => worker.stop()))
    await this.#late.untilSettled()
    // Without a database, the published statuses become stale within seconds anyway.
    await withdrawStatuses(this.#parts.pool, { owner: this.#workerId }).catch(() => undefined)
  }

  async #startCarrier(configured: ConfiguredCarrier): Promise<void> {
    const { name, kind, settings } = configured
    const carrier = await kind.start(settings, this.#contextOf())
    const senders = kind.channels.map((channel) => this.#startSender(channel, carrier, configured))
    this.#running.set(name, { settings, carrier, senders })
  }

  #contextOf(): CarrierContext {
    const { pool, inbound, rcsFallbackSeconds, log } = this.#parts
    return {
      events: {
        ...inbound,
        onLateOutcome: (...late) => this.#late.add(...late),
        // Wakes all dispatchers: another carrier may have to take over, or to give way.
        onChange: () => this.wake()
      },
      limits: createLimits(pool, { owner: this.#workerId }),
      capabilities: createCapabilityCache(pool),
      metrics: this.#metrics,
      rcsFallbackSeconds,
      database: pool,
      log
    }
  }

  #startSender(channel: Channel, carrier: Carrier, { kind, traits }: ConfiguredCarrier): Sender {
    const { pool, routing, pendingIds, suspended, rcsFallbackSeconds, consent = 'off', history, log } = this.#parts
    const { name } = carrier
    const { repeatableSubmits: isRepeatable } = kind.abilities
    const routes = () => this.#routesOf(name, channel)
    const foresee = (batches: readonly ClaimedBatch[]) => this.#foresee(carrier, batches)
    const dispatch = () =>
      new Dispatcher({
        pool,
        carrier,
        routes,
        pendingIds,
        suspended,
        consent,
        senders: routing.senders,
        log,
        onOutcome: (outcome, country, submittedAt) => {
          this.#metrics.onOutcome(name, outcome)
          if (country === undefined || submittedAt === undefined) return
          const seconds = Math.max(0, databaseNowMs() - submittedAt.getTime()) / 1000
          history?.onOutcome(name, outcome, { country, seconds })
        },
        ...(channel === 'rcs'
          ? {
              rcs: {
                ...this.#rcsOptions(traits.fallbackSeconds ?? rcsFallbackSeconds, {
                  isRepeatable,
                  agentId: traits.agentId
                }),
                foresee
              }
            }
          : {
              defaultSender: traits.sender,
              nextWay: (route: string, status: string) => routing.nextWay(route, { carrier: name, status }),
              onNext: (route: string) => this.#onNext(route)
            })
      })
    return { dispatcher: dispatch(), dispatch, routes, watch: new ProgressWatch() }
  }

  #rcsOptions(
    fallbackSeconds: number,
    { isRepeatable, agentId }: { isRepeatable: boolean; agentId: string }
  ): NonNullable<DispatchOptions['rcs']> {
    const { pool, routing } = this.#parts
    return {
      patience: patienceOf(fallbackSeconds),
      isRepeatable,
      mayUse: (accountId) => routing.agents.mayUse(agentId, accountId),
      fallBack: async (failures) => {
        if (failures.length === 0) return
        this.#onFellBack(await pool.begin((database) => fallBack(database, failures, routing)))
      }
    }
  }

  /** Tells the carrier the phones of a campaign before their messages come, so that it can ask about them together. */
  async #foresee(carrier: Carrier, batches: readonly ClaimedBatch[]): Promise<void> {
    const count = batches.reduce((sum, { positions }) => sum + positions.length, 0)
    if (!carrier.foresee || count < FORESEEN_MIN) return
    const phones: string[] = []
    for (const batch of batches) {
      for (const { phone } of await listWaitingPhones(this.#parts.pool, batch)) phones.push(phone)
    }
    carrier.foresee(phones)
  }

  /** The next carrier takes them at once if it is of this process. Other processes see them when they look around. */
  #onNext(route: string): void {
    this.#ways.addNext(route)
    this.wake()
  }

  #onFellBack(count: FallbackCounts): void {
    this.#parts.onFellBack?.(count)
    if (count.sms > 0) this.wake()
  }

  #routesOf(carrier: string, channel: Channel): string[] {
    const serves = (other: string) => this.#serves(other)
    const tests = this.#ways.testsOf(carrier, channel)
    // The operator sends a test to learn whether the carrier may be resumed.
    if (this.#pauses.isStopped(carrier)) return tests
    const routes = this.#parts.routing.routesFor(carrier, channel, serves)
    return [...routes, ...tests, ...this.#ways.othersOf(carrier, channel, serves)]
  }

  /** Stops the dispatcher first: submits under way are answered and settled while the link is still there. */
  async #stopCarrier(name: string): Promise<void> {
    const { senders = [], carrier } = this.#running.get(name) ?? {}
    await Promise.all(senders.map(({ dispatcher }) => dispatcher.stop()))
    await carrier?.stop()
    this.#running.delete(name)
  }

  /** Makes batches claimable when they are due. */
  async #readyBatches(): Promise<{ isMoreDue: boolean }> {
    const count = await readyBatches(this.#parts.pool, READY_BATCH)
    if (count > 0) this.wake()
    return { isMoreDue: count === READY_BATCH }
  }

  /** Restarts a dispatcher that makes no progress although it could. */
  async #watchProgress(): Promise<{ isMoreDue: boolean }> {
    const { pool, suspended, log } = this.#parts
    const senders = [...this.#running].flatMap(([name, running]) =>
      running.senders.map((sender) => ({ name, running, sender }))
    )
    for (const { name, running, sender } of senders) {
      const { dispatcher, routes, watch } = sender
      if (!(await watch.isStuck({ pool, carrier: running.carrier, dispatcher, routes, suspended }))) continue
      // apply() may have replaced the carrier meanwhile.
      if (this.#isStopping || this.#running.get(name) !== running) continue
      log.error({ carrier: name }, 'dispatcher stuck: messages are due and the carrier is up; dispatcher restarted')
      this.#metrics.onRestart(name)
      dispatcher.abandon()
      sender.dispatcher = sender.dispatch()
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
    const areOthersUp = before.symmetricDifference(this.#upElsewhere).size > 0
    if ((await this.#readPauses()) || areOthersUp) this.wake()
    // Not only when the file is read. A recipient in doubt comes back to its old route later, and so does a message that a
    // process with the old file accepted.
    if (await this.#ways.follow()) this.wake()
    await this.#ways.passOver((carrier) => this.#serves(carrier))
    return { isMoreDue: false }
  }

  /** Apart from the neighbours: a look at PDUs that fails must not keep a pause from being seen. */
  async #followCaptures(): Promise<{ isMoreDue: boolean }> {
    await this.#captures.follow([...this.#running.values()].map(({ carrier }) => carrier))
    return { isMoreDue: false }
  }

  /** Whether the operator has paused or resumed a carrier since the last look. */
  async #readPauses(): Promise<boolean> {
    const before = this.#pauses
    this.#pauses = new Pauses(await listPauses(this.#parts.pool))
    return !this.#pauses.isSame(before)
  }
}
