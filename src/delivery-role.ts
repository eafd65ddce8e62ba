import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import type { SuspendedAccounts } from './accounts/suspended-accounts.ts'
import { lookAtAgents } from './agents/look-at-agents.ts'
import type { CarrierInbound } from './carriers/carrier.ts'
import { type CarriersFile, parseCarriersFile, readCarriersFile } from './carriers/carriers-file.ts'
import type { CarrierHistory } from './carriers/history.ts'
import type { CarrierKind } from './carriers/kind.ts'
import { CARRIER_KINDS } from './carriers/kinds.ts'
import { canonicalId } from './carriers/message-ids.ts'
import { CarriersFileMistakes } from './carriers/mistakes.ts'
import { describeRoute } from './carriers/routes.ts'
import { RoutingTable } from './carriers/routing-table.ts'
import type { Config } from './config.ts'
import { type ConnectOptions, connect, type Pool } from './database/database.ts'
import { Delivery } from './delivery/delivery.ts'
import { PendingIds } from './delivery/pending-ids.ts'
import { CannotStart } from './errors.ts'
import type { Log } from './http/log.ts'
import type { Seats } from './queue/seat.ts'
import type { KeepEvents } from './rbm-events/keep-events.ts'
import type { RcsMetrics } from './rbm-events/metrics.ts'
import { hasUnreadReports } from './rbm-events/rbm-events.store.ts'
import { RBM_EVENTS_CHANNEL, startRbmEvents } from './rbm-events/rbm-events.ts'
import type { StoredReports } from './rbm-events/stored-reports.ts'
import { settleConversations } from './rcs-conversations/settle-conversations.ts'
import { checkLists } from './rcs-lists/check-lists.ts'
import { expireRecipients } from './receipts/expire-recipients.ts'
import { IdForms } from './receipts/id-forms.ts'
import { matchParkedReceipts } from './receipts/match-parked-receipts.ts'
import { createRecordReceipt } from './receipts/record-receipts.ts'
import { createRecordReply, finishReplies } from './replies/record-reply.ts'
import type { SandboxPhones } from './sandbox/phones.ts'
import type { RecentSubmission } from './submissions/submissions.store.ts'
import { type RunningWorker, startWorker, UPKEEP_FIRST_PAUSE_MS, type Worker } from './workers/loop.ts'

/*
 * The carriers that a process knows, the entry point for their reports and replies, and, in the role `delivery`, the links to
 * the carriers.
 */

/** Delivery has its own connections: delivery and requests can't starve each other. */
const CONNECTIONS_MAX = 8
const CLOSE_SECONDS = 5
const PARKED_PAUSE_MS = 300
const SEGMENTS_PAUSE_MS = 10_000
const EXPIRE_PAUSE_MS = 60_000
const CONVERSATIONS_PAUSE_MS = 2_000
const LISTS_PAUSE_MS = 2_000
const AGENTS_PAUSE_MS = 10_000
/** A start waits this long for its sandbox, so that a newcomer's first message is sent at once. */
const UP_WAIT_MS = 3_000
const UP_POLL_MS = 10

/** Wakes the dispatchers of all processes. */
const CHANNEL = 'chappe_queue'
/** The least time between signals to other processes. The dispatchers' poll makes up for missed signals. */
const SIGNAL_SPACING_MS = 20

export interface Carriers {
  routing: RoutingTable
  phones: SandboxPhones | undefined
  /** Gives the sandbox the address of this service, to post RCS events to. False if the service can't be reached. */
  setRcsWebhook?: (baseUrl: string) => Promise<boolean>
  stop: (() => Promise<void>) | undefined
}

/** The carriers of the file, or without a file those of the sandbox. The sandbox runs in this process if it delivers. */
export async function openCarriers(config: Config, kinds: readonly CarrierKind[] = CARRIER_KINDS): Promise<Carriers> {
  if (config.carriersFile) {
    const file = readOrRefuse(config.carriersFile, kinds)
    return { routing: new RoutingTable(file, kinds), phones: undefined, stop: undefined }
  }
  const { describeSandbox, startSandbox } = await import('../simulator/sandbox.ts')
  if (!config.roles.has('delivery')) {
    const { carriers, stop } = await describeSandbox()
    const routing = new RoutingTable(parseSandbox(carriers, kinds), kinds)
    await stop()
    return { routing, phones: undefined, stop: undefined }
  }
  const { carriers, phones, setService, stop } = await startSandbox()
  const file = parseSandbox(carriers, kinds)
  return {
    routing: new RoutingTable(file, kinds),
    phones: {
      carriers: file.carriers,
      inboxOf: (number) => phones.inboxOf(number),
      reply: (reply) => phones.reply(reply)
    },
    setRcsWebhook: setService,
    stop
  }
}

function parseSandbox(carriers: object, kinds: readonly CarrierKind[]): CarriersFile {
  return parseCarriersFile(JSON.stringify(carriers), { path: 'the sandbox', folder: dirname('.'), kinds })
}

function readOrRefuse(path: string, kinds: readonly CarrierKind[]): CarriersFile {
  try {
    return readCarriersFile(path, kinds)
  } catch (error) {
    if (error instanceof CarriersFileMistakes) throw new CannotStart(error.message)
    throw error
  }
}

/** Reads the carriers file again. A file with mistakes changes nothing. Messages under way are not dropped. */
export async function reload(
  config: Config,
  routing: RoutingTable,
  delivery: DeliveryRole | undefined,
  log: Log
): Promise<void> {
  if (!config.carriersFile) return log.info('no carriers file to reload')
  try {
    routing.replace(readCarriersFile(config.carriersFile, routing.kinds))
    log.info({ carriers: routing.file.carriers.map(({ name }) => name) }, 'carriers file reloaded')
    await delivery?.apply()
  } catch (error) {
    if (!(error instanceof CarriersFileMistakes)) throw error
    log.error({ mistakes: error.mistakes }, 'carriers file has mistakes; carriers unchanged')
  }
}

/** Wakes the dispatchers: in this process at once, in other processes soon. */
export function createSignal(
  pool: Pool,
  { log, wake, channel = CHANNEL }: { log: Log; wake(): void; channel?: string }
): () => void {
  let isWaiting = false
  return () => {
    wake()
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      pool.signal(channel).catch((error) => log.debug({ err: error }, 'wake-up signal failed; workers poll anyway'))
    }, SIGNAL_SPACING_MS).unref()
  }
}

interface InboundParts {
  pool: Pool
  routing: RoutingTable
  idForms: IdForms
  keepEvents: KeepEvents
  /** Settles when the recipient with this new id is committed. Undefined when the id is not pending. */
  untilSettled(carrier: string, canonicalId: string): Promise<unknown> | undefined
  /** The recipient of an id that this process submitted a moment ago. */
  takeRecent?(carrier: string, canonicalId: string): RecentSubmission | undefined
  history: CarrierHistory
}

/** The one entry point for reports, replies and notices, whatever the kind of carrier. */
function createInbound({ pool, routing, keepEvents, ...recording }: InboundParts): CarrierInbound {
  const recordReceipt = createRecordReceipt({ pool, ...recording })
  const recordReply = createRecordReply(pool, (name) => routing.carriersWritingAs(name))
  return {
    onReport: (report) => ('kept' in report ? keepEvents.onReport(report) : recordReceipt(report)),
    onReply: (reply) => ('kept' in reply ? keepEvents.onReply(reply) : recordReply(reply)),
    onNotice: (notice) => keepEvents.onNotice(notice)
  }
}

/** The entry point for carriers that call us over HTTP, in a process that may not deliver. */
export function createCallbackInbound({
  pool,
  routing,
  keepEvents,
  history
}: {
  pool: Pool
  routing: RoutingTable
  keepEvents: KeepEvents
  history: CarrierHistory
}): CarrierInbound {
  const idForms = new IdForms((carrier) => routing.idFormatOf(carrier))
  // A receipt that comes before the commit of its submit is parked, and matched a moment later.
  const inbound = createInbound({ pool, routing, idForms, keepEvents, history, untilSettled: () => undefined })
  let loading: Promise<void> | undefined
  return {
    ...inbound,
    async onReport(report) {
      // Loads the learned forms of ids with the first receipt: most services never get one over HTTP.
      if (!('kept' in report)) {
        loading ??= idForms.load(pool).catch((error) => {
          loading = undefined
          throw error
        })
        await loading
      }
      await inbound.onReport(report)
    }
  }
}

export interface DeliveryRole {
  wake(): void
  seats(): Seats
  /** A posted event was stored. */
  wakeRbmEvents(): void
  /** Reports that this process stored and applies itself. */
  readonly storedReports: StoredReports
  /** Switches to the carriers of the routing table as it is now. */
  apply(): Promise<void>
  /** Rejects while a route has no carrier that is up, and names the routes. */
  check(): Promise<void>
  untilUp(carrier: string): Promise<void>
  stop(): Promise<void>
}

interface RoleParts {
  config: Config
  databaseUrl: ConnectOptions['url']
  routing: RoutingTable
  suspended: SuspendedAccounts
  registry: Registry
  /** The connections of the gauges, apart from those of delivery. */
  metricsPool: Pool
  rcsMetrics: RcsMetrics
  keepEvents: KeepEvents
  history: CarrierHistory
  log: Log
}

export async function startDeliveryRole(parts: RoleParts): Promise<DeliveryRole> {
  const { databaseUrl, routing, rcsMetrics, history, log } = parts
  const pool = connect({
    url: databaseUrl,
    applicationName: `chappe ${process.pid} delivering`,
    connectionsMax: CONNECTIONS_MAX,
    isLookupOnly: true
  })
  const idForms = new IdForms((carrier) => routing.idFormatOf(carrier))
  await idForms.load(pool)
  const pendingIds = new PendingIds()
  const delivery = createDelivery(parts, { pool, idForms, pendingIds })
  await delivery.apply()
  const wake = () => delivery.wake()
  await pool.listen(CHANNEL, wake, wake)
  const untilSettled = (carrier: string, id: string) => pendingIds.untilSettled(carrier, canonicalId(id))
  const rbmEvents = startRbmEvents({ pool, routing, metrics: rcsMetrics, history, log, untilSettled })
  await pool.listen(RBM_EVENTS_CHANNEL, rbmEvents.wake, rbmEvents.wake)
  const workers = startWorkers(parts, { pool, idForms, delivery })
  // One after the other: a reload may come while the carriers still change for the last one.
  let applying = Promise.resolve()
  return {
    wake,
    seats: () => delivery.seats(),
    wakeRbmEvents: rbmEvents.wake,
    storedReports: rbmEvents.storedReports,
    apply() {
      applying = applying.catch(() => undefined).then(() => delivery.apply())
      return applying
    },
    check: () => refuseDownRoutes(routing, delivery),
    async untilUp(carrier) {
      for (let waitedMs = 0; !delivery.isUp(carrier) && waitedMs < UP_WAIT_MS; waitedMs += UP_POLL_MS) {
        await sleep(UP_POLL_MS)
      }
    },
    async stop() {
      await applying.catch(() => undefined)
      await delivery.stop()
      await Promise.all([...workers, rbmEvents].map((running) => running.stop()))
      await pool.close(CLOSE_SECONDS)
    }
  }
}

function createDelivery(
  parts: RoleParts,
  { pool, idForms, pendingIds }: { pool: Pool; idForms: IdForms; pendingIds: PendingIds }
): Delivery {
  const { config, routing, suspended, registry, metricsPool, rcsMetrics, keepEvents, history, log } = parts
  const ids = {
    untilSettled: (carrier: string, id: string) => pendingIds.untilSettled(carrier, id),
    takeRecent: (carrier: string, id: string) => pendingIds.takeRecent(carrier, id)
  }
  return new Delivery({
    pool,
    routing,
    pendingIds,
    suspended,
    inbound: createInbound({ pool, routing, idForms, keepEvents, history, ...ids }),
    history,
    submissionIdOf: (carrier, receiptId) => idForms.submissionIdOf(carrier, receiptId),
    rcsFallbackSeconds: config.rcsFallbackSeconds,
    consent: config.consent,
    hasUnreadReports: () => hasUnreadReports(pool),
    onFellBack({ sms, failed }) {
      rcsMetrics.fallbacks('sms', sms)
      rcsMetrics.fallbacks('failed', failed)
    },
    registry,
    metricsPool,
    log
  })
}

function startWorkers(
  { routing, history, log }: RoleParts,
  { pool, idForms, delivery }: { pool: Pool; idForms: IdForms; delivery: Delivery }
): RunningWorker[] {
  const start = (name: string, pauseMs: number, work: Worker['work'], firstPauseMs = 0): RunningWorker =>
    startWorker({ name, work, pauseMs, firstPauseMs, log })
  const writingAs = (name: string) => routing.carriersWritingAs(name)
  const findCarrier = (name: string) => (delivery.isUp(name) ? delivery.find(name) : undefined)
  return [
    start('matching parked receipts', PARKED_PAUSE_MS, () => matchParkedReceipts(pool, idForms, history)),
    start('expiring recipients', EXPIRE_PAUSE_MS, () => expireRecipients(pool), UPKEEP_FIRST_PAUSE_MS),
    start('looking at agents', AGENTS_PAUSE_MS, () => lookAtAgents(pool, routing), UPKEEP_FIRST_PAUSE_MS),
    start('settling conversations', CONVERSATIONS_PAUSE_MS, () => settleConversations(pool), UPKEEP_FIRST_PAUSE_MS),
    start('finishing replies', SEGMENTS_PAUSE_MS, () => finishReplies(pool, writingAs), UPKEEP_FIRST_PAUSE_MS),
    start('checking lists for RCS', LISTS_PAUSE_MS, () => checkLists({ pool, routing, findCarrier, log }))
  ]
}

async function refuseDownRoutes(routing: RoutingTable, delivery: Delivery): Promise<void> {
  const down = routing.routes.filter(({ carriers }) => !carriers.some((name) => delivery.isUp(name)))
  if (down.length === 0) return
  throw new Error(`no carrier is up for ${down.map(describeRoute).join(', ')}`)
}
