import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { listParents } from './accounts/accounts.store.ts'
import { type Callers, createCallers } from './accounts/callers.ts'
import { readSuspendedAccounts, type SuspendedAccountsReader } from './accounts/suspended-accounts.ts'
import { type AgentGrants, readAgentGrants } from './agents/agent-grants.ts'
import { mailAlarms } from './alarms/mail-alarms.ts'
import { raiseAlarms } from './alarms/raise-alarms.ts'
import { createMachineWatches, createWatches } from './alarms/watches.ts'
import { recordAct } from './audit/record-act.ts'
import { createAnswerReplies } from './auto-replies/answer-replies.ts'
import { createRunAutomations } from './automations/run-automations.ts'
import { CarrierHistory } from './carriers/history.ts'
import { createInboundMetrics } from './carriers/inbound-metrics.ts'
import type { CarrierKind } from './carriers/kind.ts'
import { readPaces } from './carriers/paces.ts'
import { addReceiptMetrics } from './carriers/receipt-metrics.ts'
import { storeHistory } from './carriers/store-history.ts'
import { startCleaning } from './cleaning.ts'
import { startShortLinks } from './clicks/short-links.ts'
import { finishClosings } from './closing/finish-closings.ts'
import type { Config, Role } from './config.ts'
import { emptyHiddenLists } from './contacts/empty-hidden-lists.ts'
import { addCreditMetrics } from './credits/credit-metrics.ts'
import { type OpenedFirstAccount, openFirstAccount } from './credits/open-first-account.ts'
import { createAnalyzeYoungTables } from './database/analyze-young-tables.ts'
import { createBuildIndexes } from './database/build-indexes.ts'
import { readDatabaseClock } from './database/clock.ts'
import { type ConnectionShares, createConnectionShares } from './database/connection-shares.ts'
import { type ConnectOptions, connect, type Pool } from './database/database.ts'
import { addDatabaseMetrics } from './database/database-metrics.ts'
import { hostsOf } from './database/hosts.ts'
import { createKeepIdRanges } from './database/keep-id-ranges.ts'
import { migrate } from './database/migrate.ts'
import { addPoolMetrics } from './database/pool-metrics.ts'
import { openReadReplicas, type ReadReplicas } from './database/read-replicas.ts'
import { createReplicaMetrics } from './database/replica-metrics.ts'
import { readShape } from './database/shape.ts'
import {
  type Carriers,
  createCallbackInbound,
  createSignal,
  type DeliveryRole,
  openCarriers,
  reload,
  startDeliveryRole
} from './delivery-role.ts'
import { registerDoors } from './doors/register-doors.ts'
import { CannotStart } from './errors.ts'
import { createApp } from './http/app.ts'
import type { DressConsole } from './http/console.ts'
import { listen } from './http/listeners.ts'
import type { Log } from './http/log.ts'
import { describeApi } from './http/openapi.ts'
import type { LoadLimits } from './http/overload.ts'
import { createRequestRates, type RequestRates } from './http/request-rates.ts'
import { addInvitationToken } from './invitations/invitations.store.ts'
import { mailAlerts } from './limits/mail-alerts.ts'
import { raiseAlerts, tellNobody } from './limits/raise-alerts.ts'
import { createFamilyAddresses } from './looks/family-addresses.ts'
import { BUILT_IN, logoPath } from './looks/look.ts'
import { findFamilyOfPerson } from './looks/looks.store.ts'
import { type Looks, type LooksReader, readLooks } from './looks/looks.ts'
import { registerLogos } from './looks/serve-logos.ts'
import { type MintTokens, type NameService, startSendingMails } from './mail/send-mails.ts'
import { beginScheduledMessages } from './messages/begin-scheduled-messages.ts'
import { addProcessMetrics } from './metrics/process.ts'
import { mintLinkToken } from './people/link-tokens.ts'
import { addResetToken } from './people/password-resets.store.ts'
import { createTokens } from './people/tokens.ts'
import { registerPictures } from './pictures/serve-pictures.ts'
import { type PriceBookReader, readPriceBook } from './prices/price-book.ts'
import { createKeepEvents, type KeepEvents } from './rbm-events/keep-events.ts'
import { createRcsMetrics, type RcsMetrics } from './rbm-events/metrics.ts'
import { RBM_EVENTS_CHANNEL } from './rbm-events/rbm-events.ts'
import { recordNextCancelEvents } from './recipients/cancel-events.ts'
import { addMessageTimes } from './recipients/message-times.ts'
import { createAskForConsent } from './replies/ask-for-consent.ts'
import { type Dependencies, EVENTS, listOperations } from './routes.ts'
import { createFindSite } from './second-factors/site.ts'
import { fromSegments } from './segments/from-segments.ts'
import { readSenderRegister, type SenderRegisterReader } from './senders/register.ts'
import { createAccept, GROUP_CONNECTIONS } from './sends/accept.ts'
import { createDepart } from './sends/depart.ts'
import { createTellLate } from './sends/tell-late.ts'
import { createProvider } from './single-sign-on/provider.ts'
import { registerSignOn } from './single-sign-on/redirects.ts'
import { type SmppServer, type SmppServerSettings, startSmppServer } from './smpp-server/smpp-server.ts'
import type { ServerTimings } from './smpp-server/timings.ts'
import { addTraceMetrics } from './traces/span-queue.ts'
import { startTracing } from './traces/start-tracing.ts'
import { createRunTrials } from './trials/run-trials.ts'
import type { Dispatch } from './webhooks/dispatch-events.ts'
import { createLookup } from './webhooks/lookup.ts'
import { startWebhooksRole } from './webhooks-role.ts'
import { type RunningWorker, startWorker, UPKEEP_FIRST_PAUSE_MS, type Worker } from './workers/loop.ts'
import { createWorkerMetrics } from './workers/metrics.ts'

const CONNECTIONS_MAX = 20
/** The other connections are for work that all requests share: credentials, grouped reads, events of carriers, cleaning. */
const SHARED_CONNECTIONS_MAX = 16
const EMPTY_PAUSE_MS = 5_000
const BEGIN_PAUSE_MS = 1_000
const CLOCK_PAUSE_MS = 10_000
const ANALYZE_PAUSE_MS = 500
const RANGES_PAUSE_MS = 10_000
/** Old rows are read once, which takes as long as it takes. */
const LONG_WORK_STUCK_MS = 12 * 3_600_000
const LONG_WORK_STOP_MS = 1_000
const INDEXES_PAUSE_MS = 60_000
const TELL_PAUSE_MS = 1_000
const LOOK_PAUSE_MS = 500
const CLOSE_PAUSE_MS = 5_000
const USES_PAUSE_MS = 15_000
const HISTORY_PAUSE_MS = 10_000
const ALERTS_PAUSE_MS = 5_000
const ALARMS_PAUSE_MS = 15_000
const ASK_PAUSE_MS = 1_000
/** How late a scheduled message to segments may find its people, and how late automations and trials may run. */
const DEPART_PAUSE_MS = 2_000
const DATABASE_CLOSE_SECONDS = 5
/** At a start, how long the database may take to answer: it may be starting too, or be busy. */
const ANSWER_TIMEOUT_MS = 30_000
const ASK_AGAIN_MS = 500
/** PostgreSQL's cannot_connect_now: it starts, recovers or stops. */
const CANNOT_CONNECT_NOW = '57P03'

export interface Service {
  /** Where it listens. */
  url: string
  pool: Pool
  /** Where customers bind; undefined if this process takes no binds. */
  smpp: { port: number | undefined; tlsPort: number | undefined } | undefined
  /** Whether this start made the first account. */
  isFirstStart: boolean
  /** Whether it sends to virtual phones only. */
  isSandbox: boolean
  /** Reads the carriers file again. A file with mistakes changes nothing. */
  reload(): Promise<void>
  /** Stops part by part, the last started first. `onPart` is called with the name of each before it is waited for. */
  stop(onPart?: (name: string) => void): Promise<void>
}

export interface ServiceParts {
  config: Config
  databaseUrl: ConnectOptions['url']
  log: Log
  /** Called with the credentials of the first account when this start makes it, just before they are committed. */
  onFirstAccount?: (account: OpenedFirstAccount) => void
  limits?: LoadLimits
  /** The waits of the SMPP server; tests shorten them. */
  smppTimings?: ServerTimings
  /** The kinds of carriers that the carriers file may name; all that there are, unless others are given. */
  kinds?: readonly CarrierKind[]
}

/** Starts the roles that the configuration asks for, on a database that answers. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const started = new StartedParts()
  try {
    return await startParts(parts, started)
  } catch (error) {
    await started.stop()
    throw error
  }
}

interface RunningPart {
  name: string
  stop(): Promise<unknown>
}

/** The parts that run, in the order of their start. */
class StartedParts {
  readonly #parts: RunningPart[] = []

  add(part: RunningPart): void {
    this.#parts.push(part)
  }

  async stop(onPart?: (name: string) => void): Promise<void> {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      onPart?.(part.name)
      await part.stop()
    }
  }
}

async function startParts(parts: ServiceParts, started: StartedParts): Promise<Service> {
  const { config, log } = parts
  // Started first, so that it stops last: the other parts end their spans before.
  if (config.traces) started.add(await startTracing(config.traces, { version: VERSION, log }))
  const registry = new Registry()
  addProcessMetrics(registry)
  const { onCleaningFailed, onRangeFailed } = createWorkerMetrics(registry)
  await prepareDatabase(parts)
  const pools = openPools(parts, started)
  const { pool } = pools
  const isFirstStart = await openFirstAccount(pool, config.firstAccount, parts.onFirstAccount ?? (() => undefined))
  const suspended = await readSuspendedAccounts(pool, log)
  started.add(suspended)
  const register = await readSenderRegister(pool, { mode: config.senderMode, log })
  started.add(register)
  const carriers = await openCarriers(config, parts.kinds)
  carriers.routing.senders = register
  if (carriers.stop) started.add({ name: 'sandbox carriers', stop: carriers.stop })
  const agents = await readAgentGrants(pool, log)
  started.add(agents)
  carriers.routing.agents = agents
  const prices = await readPriceBook(pool, log)
  started.add(prices)
  carriers.routing.prices = prices
  const looks = await readLooks(pool, { ownHosts: ownHostsOf(config), log })
  started.add(looks)

  const roles: RunningRoles = { delivery: undefined, dispatch: undefined, smpp: undefined }
  addSharedMetrics(registry, pools.metricsPool)
  const metrics = createRcsMetrics(registry, { pool: pools.metricsPool })
  const onStored = createSignal(pool, { log, channel: RBM_EVENTS_CHANNEL, wake: () => roles.delivery?.wakeRbmEvents() })
  const storedReports = () => roles.delivery?.storedReports
  const keepEvents = createKeepEvents({ pool, metrics, log, storedReports, onStored })
  const base: Base = {
    ...parts,
    ...pools,
    suspended,
    register,
    registry,
    carriers,
    agents,
    prices,
    looks,
    roles,
    rcsMetrics: metrics,
    keepEvents,
    history: new CarrierHistory()
  }

  // Messages of an account that is resumed leave at once.
  suspended.onChange(() => roles.delivery?.wake())

  const { app, sending, rates, shares } = await openApp(base, started)
  started.add({ name: 'HTTP requests', stop: () => app.close() })
  const url = await listen(app, config)
  // Stops after delivery: what it counted last is stored.
  const storeLast = () =>
    storeHistory(pool, base.history).catch((error) => log.warn({ err: error }, 'last figures of carriers not stored'))
  started.add({ name: 'figures of carriers', stop: storeLast })
  for (const worker of startWorkers(base)) started.add(worker)
  if (config.mail) started.add(await startMails(base, config.mail))
  await startRoles(base, started, url)
  if (config.roles.has(SMPP_ROLE) && config.smpp)
    await startSmppRole(base, started, { sending, rates, shares, settings: config.smpp })
  started.add(startCleaning(pool, { config, log, onFailed: onCleaningFailed }))
  started.add(startKeepingRanges(base, onRangeFailed))
  started.add(startBuildingIndexes(base))
  return {
    url,
    pool,
    isFirstStart,
    smpp: roles.smpp,
    isSandbox: carriers.phones !== undefined,
    reload: () => reload(config, carriers.routing, roles.delivery, log),
    stop: (onPart) => started.stop(onPart)
  }
}

async function startMails(base: Base, settings: NonNullable<Config['mail']>): Promise<RunningPart> {
  const { pool, log } = base
  // Its library is loaded only where mails are sent.
  const { createMailServer } = await import('./mail/smtp.ts')
  const mintTokens: MintTokens = {
    'password-reset': (id) => mintLinkToken(id, (token) => addResetToken(pool, token)),
    invitation: (id) => mintLinkToken(id, (token) => addInvitationToken(pool, token))
  }
  const nameService = createNameService(base)
  return startSendingMails({ pool, server: createMailServer(settings), mintTokens, nameService, log })
}

/** The metrics of every process, whatever its roles. */
function addSharedMetrics(registry: Registry, pool: Pool): void {
  addPoolMetrics(registry)
  addDatabaseMetrics(registry, { pool })
  addCreditMetrics(registry, { pool })
  addMessageTimes(registry)
  addReceiptMetrics(registry)
  addTraceMetrics(registry)
}

/** The parts that all roles share. */
interface Base extends ServiceParts, Pools {
  suspended: SuspendedAccountsReader
  register: SenderRegisterReader
  registry: Registry
  carriers: Carriers
  agents: AgentGrants
  prices: PriceBookReader
  looks: LooksReader
  roles: RunningRoles
  rcsMetrics: RcsMetrics
  keepEvents: KeepEvents
  /** What carriers did, to be stored. */
  history: CarrierHistory
}

/** The roles that are started after HTTP; until then there is nothing to wake. */
interface RunningRoles {
  delivery: DeliveryRole | undefined
  dispatch: Dispatch | undefined
  smpp: SmppServer | undefined
}

interface Pools {
  pool: Pool
  /** For accepting messages. */
  groupPool: Pool
  /** One connection: one look at a time, and no connection that requests or delivery would miss. */
  metricsPool: Pool
}

const APPLICATION_NAME = `chappe ${process.pid}`

/** Opened once the shape of the database is known: the settings of their connections depend on it. */
function openPools({ databaseUrl: url, log }: ServiceParts, started: StartedParts): Pools {
  return {
    pool: addPool(started, 'database connections', {
      url,
      applicationName: APPLICATION_NAME,
      connectionsMax: CONNECTIONS_MAX,
      onNotice: (notice) => log.debug({ notice }, 'database notice')
    }),
    groupPool: addPool(started, 'connections for accepting', {
      url,
      applicationName: `${APPLICATION_NAME} accepting`,
      connectionsMax: GROUP_CONNECTIONS,
      isLookupOnly: true
    }),
    metricsPool: addPool(started, 'connection for metrics', {
      url,
      applicationName: `${APPLICATION_NAME} metrics`,
      connectionsMax: 1
    })
  }
}

function addPool(started: StartedParts, name: string, options: ConnectOptions): Pool {
  const pool = connect(options)
  started.add({ name, stop: () => pool.close(DATABASE_CLOSE_SECONDS) })
  return pool
}

/** Waits for the database, migrates it, and reads its shape and its clock, over connections of its own. */
async function prepareDatabase({ databaseUrl: url, log }: ServiceParts): Promise<void> {
  const pool = connect({ url, applicationName: APPLICATION_NAME, connectionsMax: CONNECTIONS_MAX })
  try {
    await refuseUnreachable(pool, url)
    const applied = await migrate(pool)
    if (applied.length > 0) log.info({ applied }, 'database migrated')
    await readShape(pool)
    await readDatabaseClock(pool)
  } finally {
    await pool.close(DATABASE_CLOSE_SECONDS)
  }
}

async function openApp(base: Base, started: StartedParts): Promise<{ app: FastifyInstance } & RequestParts> {
  const { config, databaseUrl, registry, log, pool, suspended, looks, roles, limits } = base
  const hasApi = config.roles.has('api')
  const tokens = await createTokens(pool, { dataFolder: config.dataFolder, ttlSeconds: config.tokenTtlSeconds })
  const callers = await createCallers(pool, {
    tokens,
    suspended,
    defaults: { ...config.limitDefaults, consent: config.consent }
  })
  const rates = createRequestRates()
  const storeUses = () => callers.storeUses().then(() => ({ isMoreDue: false }))
  const alertParts = {
    pool,
    defaults: config.limitDefaults,
    reachedRates: rates.reached,
    tell: config.mail ? mailAlerts : tellNobody
  }
  const alert = () => raiseAlerts(alertParts).then(() => ({ isMoreDue: false }))
  const later = { firstPauseMs: UPKEEP_FIRST_PAUSE_MS, log }
  started.add(startWorker({ name: 'warning of limits', work: alert, pauseMs: ALERTS_PAUSE_MS, ...later }))
  if (config.alarms) {
    const watched = { routing: base.carriers.routing, suspended, settings: config.alarms }
    const watches = [...createMachineWatches(watched), ...(hasApi ? createWatches(watched) : [])]
    const parts = { pool, watches, tell: config.mail ? mailAlarms : tellNobody, log }
    const raise = () => raiseAlarms(parts).then(() => ({ isMoreDue: false }))
    started.add(startWorker({ name: 'raising alarms', work: raise, pauseMs: ALARMS_PAUSE_MS, ...later }))
  }
  started.add(startWorker({ name: 'storing uses of keys', work: storeUses, pauseMs: USES_PAUSE_MS, ...later }))
  const dependencies = dependenciesOf(base, { tokens, callers, origin: () => app.listeningOrigin })
  const operations = hasApi ? listOperations(dependencies) : []
  if (hasApi) {
    const defaults = { ...config.limitDefaults, consent: config.consent }
    const ask = createAskForConsent({ pool, sending: dependencies.sending, defaults, log })
    started.add(startWorker({ name: 'answering keywords', work: ask, pauseMs: ASK_PAUSE_MS, ...later }))
    const reply = createAnswerReplies({ pool, sending: dependencies.sending, defaults, log })
    started.add(startWorker({ name: 'sending auto-replies', work: reply, pauseMs: ASK_PAUSE_MS, ...later }))
    const onQueued = createSignal(pool, { log, wake: () => roles.delivery?.wake() })
    const depart = createDepart({ pool, sending: dependencies.sending, defaults, onQueued, log })
    started.add(startWorker({ name: 'departing to segments', work: depart, pauseMs: DEPART_PAUSE_MS, ...later }))
    const automate = createRunAutomations({ pool, sending: dependencies.sending, defaults, onQueued, log })
    started.add(startWorker({ name: 'running automations', work: automate, pauseMs: DEPART_PAUSE_MS, ...later }))
    const tellLate = createTellLate({ pool, readPaces: dependencies.sending.readPaces, defaults, log })
    started.add(startWorker({ name: 'telling of late messages', work: tellLate, pauseMs: DEPART_PAUSE_MS, ...later }))
    const runTrials = createRunTrials({ pool, sending: dependencies.sending, defaults, onQueued, log })
    started.add(startWorker({ name: 'running trials', work: runTrials, pauseMs: DEPART_PAUSE_MS, ...later }))
  }
  const shares = createConnectionShares(pool, SHARED_CONNECTIONS_MAX)
  const replicas = hasApi && config.readUrls.length > 0 ? await startReadReplicas(base, started) : undefined
  const links = hasApi ? startShortLinks({ ...config, databaseUrl, pool, registry, log }) : undefined
  if (links) started.add({ name: 'counting clicks', stop: links.stop })
  const app = await createApp({
    operations,
    describe: () => describeApi({ operations, events: EVENTS, version: VERSION, url: config.publicUrl ?? '/' }),
    rates,
    authenticate: callers.authenticate,
    recall: callers.recall,
    recordAct,
    pool,
    shares,
    replicas,
    checks: {
      database: () => pool.check(),
      ...(config.roles.has('delivery') && { carriers: async () => roles.delivery?.check() })
    },
    ...(replicas && { notes: { replicas: () => summaryOf(replicas) } }),
    registry,
    metrics: config.metrics,
    log,
    dress: createDress(looks),
    consoleFolder: join(import.meta.dirname, '..', 'console', 'dist'),
    uploadFolder: join(config.dataFolder, 'uploads'),
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    async addFramedRoutes(app, load) {
      if (hasApi && config.doors.size > 0) {
        await registerDoors(app, { ...doorsOf(base, { sending: dependencies.sending, callers, rates, shares }), load })
      }
    },
    addPlainRoutes(server) {
      links?.addRoutes(server)
      if (hasApi) registerPictures(server, pool)
      registerLogos(server, { pool, looks })
      if (hasApi && config.signOn) {
        const { findSite } = dependencies
        const provider = createProvider(config.signOn)
        registerSignOn(server, { pool, provider, publicUrl: config.publicUrl, findSite, log })
      }
    },
    ...(limits && { limits })
  })
  return { app, sending: dependencies.sending, rates, shares }
}

/** After the first look: a process that has just started reads from replicas at once. */
async function startReadReplicas(
  { config, databaseUrl: primaryUrl, registry, log }: Base,
  started: StartedParts
): Promise<ReadReplicas> {
  const onRead = createReplicaMetrics(registry, () => replicas.replicas)
  const replicas = openReadReplicas({
    primaryUrl,
    urls: config.readUrls,
    lagMaxSeconds: config.readLagSeconds,
    applicationName: `chappe ${process.pid} reading`,
    log,
    onRead
  })
  started.add({ name: 'connections to read replicas', stop: () => replicas.close(DATABASE_CLOSE_SECONDS) })
  await replicas.look()
  const work = () => replicas.look().then(() => ({ isMoreDue: false }))
  started.add(startWorker({ name: 'looking at read replicas', work, pauseMs: LOOK_PAUSE_MS, log }))
  return replicas
}

/** Readiness is open to everybody, and so names no host. */
function summaryOf({ replicas }: ReadReplicas): string {
  return `${replicas.filter(({ isUsable }) => isUsable).length} of ${replicas.length} used`
}

function dependenciesOf(
  {
    config,
    log,
    pool,
    groupPool,
    registry,
    register,
    carriers,
    agents,
    prices,
    looks,
    roles,
    keepEvents,
    history
  }: Base,
  { tokens, callers, origin }: Pick<Dependencies, 'tokens' | 'callers'> & { origin(): string }
): Dependencies {
  const { routing, phones } = carriers
  const onQueued = createSignal(pool, { log, wake: () => roles.delivery?.wake() })
  const serviceUrl = () => config.publicUrl ?? origin()
  const addresses = createFamilyAddresses(looks, { serviceUrl, linkUrl: () => config.linkUrl ?? `${serviceUrl()}/s` })
  return {
    pool,
    tokens,
    callers,
    findSite: createFindSite(config.publicUrl, (host) => {
      return { name: looks.at(host).name, familyId: looks.familyAt(host) }
    }),
    serviceUrl,
    looks: { looks, addresses, ownHosts: ownHostsOf(config) },
    issuer: config.issuer,
    signOn: config.signOn,
    limitDefaults: config.limitDefaults,
    consent: config.consent,
    register,
    links: { isOn: config.mail !== undefined, consoleUrl: addresses.consoleUrl, findFamily: findFamilyOfPerson },
    sending: {
      accept: createAccept({ groupPool, routing, onQueued, seats: () => roles.delivery?.seats() }),
      routing,
      linkUrl: ({ topLevelId }) => addresses.linkUrl(topLevelId),
      readPaces: (sql) => readPaces(sql, routing),
      fromSegments
    },
    routing,
    agents,
    prices,
    callbacks: {
      inbound: createCallbackInbound({ pool, routing, keepEvents, history }),
      metrics: createInboundMetrics(registry),
      log
    },
    webhooks: { allowPrivate: config.webhookAllowPrivate, onQueued: () => roles.dispatch?.wake() },
    phones,
    smppAddress: () => smppAddressOf(config, roles.smpp)
  }
}

function createDress(looks: Looks): DressConsole {
  return ({ hostname }) => {
    const look = looks.at(hostname)
    return look === BUILT_IN ? undefined : { ...look, logo: logoPath(look.logo) }
  }
}

/** The host names of the settings. No account gets them. */
function ownHostsOf({ publicUrl, linkUrl }: Config): string[] {
  return [publicUrl, linkUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]))
}

/** The name of the service in mails. A sub-account has that of the account above it. */
function createNameService({ pool, looks }: Base): NameService {
  return async (accountId) => {
    const topLevelId =
      accountId === null ? undefined : ((await listParents(pool, [accountId])).get(accountId) ?? accountId)
    return { name: looks.of(topLevelId).name, isOwn: looks.hasOwn(topLevelId) }
  }
}

/** The dependencies of the doors of other gateways. */
function doorsOf(
  { config, pool, log }: Base,
  { sending, callers, rates, shares }: RequestParts & { callers: Callers }
) {
  const allowPrivate = config.webhookAllowPrivate
  return {
    names: config.doors,
    pool,
    shares,
    authenticate: callers.authenticate,
    rates,
    sending,
    targets: { allowPrivate, lookup: createLookup({ allowPrivate }) },
    log
  }
}

function startKeepingRanges({ pool, config, log }: Base, onFailed: (kind: string) => void): RunningPart {
  return startLongWork({
    name: 'keeping ranges of ids',
    work: createKeepIdRanges(pool, { retentionDays: config.retentionDays, log, onFailed }),
    pauseMs: RANGES_PAUSE_MS,
    log
  })
}

function startBuildingIndexes({ pool, databaseUrl: url, log }: Base): RunningPart {
  const applicationName = `chappe ${process.pid} indexes`
  const openLong = () => connect({ url, applicationName, connectionsMax: 1, hasTimeLimit: false })
  return startLongWork({
    name: 'building indexes',
    work: createBuildIndexes(pool, { openLong, log }),
    pauseMs: INDEXES_PAUSE_MS,
    log
  })
}

/** A stop does not wait for a look at all rows of a table: the next start begins it again. */
function startLongWork(work: Pick<Worker, 'name' | 'work' | 'pauseMs' | 'log'>): RunningPart {
  const worker = startWorker({ ...work, firstPauseMs: UPKEEP_FIRST_PAUSE_MS, stuckMs: LONG_WORK_STUCK_MS })
  const stop = () => Promise.race([worker.stop(), sleep(LONG_WORK_STOP_MS, undefined, { ref: false })])
  return { name: worker.name, stop }
}

/** The workers of every process, whatever its roles. */
function startWorkers({ pool, suspended, history, log }: Base): RunningWorker[] {
  const analyzeYoungTables = createAnalyzeYoungTables()
  const analyze = () => analyzeYoungTables(pool).then(() => ({ isMoreDue: false }))
  const readClock = () => readDatabaseClock(pool).then(() => ({ isMoreDue: false }))
  const upkeep = (name: string, work: Worker['work'], pauseMs: number) =>
    startWorker({ name, work, pauseMs, firstPauseMs: UPKEEP_FIRST_PAUSE_MS, log })
  return [
    startWorker({
      name: 'beginning scheduled messages',
      work: () => beginScheduledMessages(pool, suspended),
      pauseMs: BEGIN_PAUSE_MS,
      log
    }),
    upkeep('analysing young tables', analyze, ANALYZE_PAUSE_MS),
    upkeep('reading the database clock', readClock, CLOCK_PAUSE_MS),
    upkeep('emptying deleted lists', () => emptyHiddenLists(pool), EMPTY_PAUSE_MS),
    upkeep('closing accounts', () => finishClosings(pool), CLOSE_PAUSE_MS),
    upkeep('storing figures of carriers', () => storeHistory(pool, history), HISTORY_PAUSE_MS),
    upkeep('telling of cancels', () => recordNextCancelEvents(pool), TELL_PAUSE_MS)
  ]
}

/** As this process listens; else as the settings say, for another process may. */
function smppAddressOf(
  { smpp, publicUrl }: Config,
  server: SmppServer | undefined
): ReturnType<Dependencies['smppAddress']> {
  if (!smpp) return undefined
  const host = publicUrl === undefined ? undefined : new URL(publicUrl).hostname
  return { host, port: server?.port ?? smpp.port, tlsPort: server?.tlsPort ?? smpp.tlsPort }
}

/** What requests of customers share, over HTTP and over SMPP. */
interface RequestParts {
  sending: Dependencies['sending']
  rates: RequestRates
  shares: ConnectionShares
}

/** The role that takes binds of customers. */
const SMPP_ROLE = 'smpp' satisfies Role

async function startSmppRole(
  base: Base,
  started: StartedParts,
  { settings, ...parts }: RequestParts & { settings: SmppServerSettings }
): Promise<void> {
  const { config, pool, suspended, registry, log, roles, smppTimings: timings } = base
  const defaults = { ...config.limitDefaults, consent: config.consent }
  roles.smpp = await startSmppServer({ settings, pool, ...parts, suspended, defaults, registry, log, timings })
  started.add({ name: 'SMPP binds', stop: roles.smpp.stop })
}

async function startRoles(base: Base, started: StartedParts, url: string): Promise<void> {
  const { config, databaseUrl, registry, metricsPool, log, carriers, roles } = base
  if (config.roles.has('delivery')) {
    const delivery = await startDeliveryRole({ ...base, routing: carriers.routing })
    roles.delivery = delivery
    started.add({ name: 'delivery', stop: delivery.stop })
    await carriers.setRcsWebhook?.(url)
    const names = carriers.routing.routes.flatMap(({ carriers }) => carriers)
    if (carriers.phones) await Promise.all(names.map(delivery.untilUp))
  }
  if (config.roles.has('webhooks')) {
    const dispatch = startWebhooksRole({ databaseUrl, config, registry, metricsPool, log })
    roles.dispatch = dispatch
    started.add({ name: 'webhooks', stop: dispatch.stop })
  }
}

async function refuseUnreachable(pool: Pool, url: ConnectOptions['url']): Promise<void> {
  try {
    await Promise.race([answerOf(pool), refuseSilence()])
  } catch (error) {
    // Only the hosts: the rest of the URL may hold a password.
    const where = typeof url === 'string' ? (hostsOf(url)?.join(', ') ?? 'DATABASE_URL') : url.socketFolder
    throw new CannotStart(`The database at ${where} can't be used: ${(error as Error).message}.`)
  }
}

/** A server that starts, or is too busy to answer in time, is asked again. */
async function answerOf(pool: Pool): Promise<void> {
  try {
    await pool`select 1`
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'CONNECT_TIMEOUT' && code !== CANNOT_CONNECT_NOW) throw error
    await sleep(ASK_AGAIN_MS)
    await answerOf(pool)
  }
}

/** A program that is no PostgreSQL may take a connection and never give an answer that the driver understands. */
async function refuseSilence(): Promise<never> {
  await sleep(ANSWER_TIMEOUT_MS, undefined, { ref: false })
  throw new Error(`no PostgreSQL answered within ${ANSWER_TIMEOUT_MS / 1000} s`)
}

const VERSION: string = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')).version
