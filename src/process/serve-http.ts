import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Callers, createCallers } from '../accounts/callers.ts'
import { recordAct } from '../audit/record-act.ts'
import { startShortLinks } from '../clicks/short-links.ts'
import { type ConnectionShares, createConnectionShares } from '../database/connection-shares.ts'
import { openReadReplicas, type ReadReplicas } from '../database/read-replicas.ts'
import { createReplicaMetrics } from '../database/replica-metrics.ts'
import { registerDoors } from '../doors/register-doors.ts'
import { createApp } from '../http/app.ts'
import type { DressConsole } from '../http/console.ts'
import type { Log } from '../http/log.ts'
import { describeApi } from '../http/openapi.ts'
import type { LoadLimits } from '../http/overload.ts'
import { createRequestRates, type RequestRates } from '../http/request-rates.ts'
import { BUILT_IN, logoPath } from '../looks/look.ts'
import type { Looks } from '../looks/looks.ts'
import { registerLogos } from '../looks/serve-logos.ts'
import { createTokens } from '../people/tokens.ts'
import { registerPictures } from '../pictures/serve-pictures.ts'
import { type Dependencies, EVENTS, listOperations } from '../routes.ts'
import { createProvider } from '../single-sign-on/provider.ts'
import { registerSignOn } from '../single-sign-on/redirects.ts'
import { createLookup } from '../webhooks/lookup.ts'
import { type RunningWorker, startWorker, UPKEEP_FIRST_PAUSE_MS } from '../workers/loop.ts'
import { startApiWorkers } from './api-workers.ts'
import { dependenciesOf } from './dependencies.ts'
import type { SharedParts } from './shared-parts.ts'
import type { StartedParts } from './started-parts.ts'
import { startWarnings } from './warnings.ts'

/**
 * Of the connections of the pool. The others are for work that all requests share: credentials, grouped reads, events of
 * carriers, cleaning.
 */
const SHARED_CONNECTIONS_MAX = 16
const LOOK_PAUSE_MS = 500
const USES_PAUSE_MS = 15_000
const CLOSE_SECONDS = 5

/** What requests of customers share, over HTTP and over SMPP. */
export interface RequestParts {
  sending: Dependencies['sending']
  rates: RequestRates
  shares: ConnectionShares
}

/** The server of a process. Every role answers health checks and metrics; `api` answers operations too. */
export async function openApp(
  shared: SharedParts,
  started: StartedParts,
  { version, limits }: { version: string; limits: LoadLimits | undefined }
): Promise<{ app: FastifyInstance } & RequestParts> {
  const { config, databaseUrl, registry, log, pool, suspended, looks, roles } = shared
  const hasApi = config.roles.has('api')
  const tokens = await createTokens(pool, { dataFolder: config.dataFolder, ttlSeconds: config.tokenTtlSeconds })
  const callers = await createCallers(pool, {
    tokens,
    suspended,
    defaults: { ...config.limitDefaults, consent: config.consent }
  })
  const rates = createRequestRates()
  for (const worker of startWarnings(shared, { rates })) started.add(worker)
  started.add(startStoringUses(callers, log))
  const dependencies = dependenciesOf(shared, { tokens, callers, origin: () => app.listeningOrigin })
  const operations = hasApi ? listOperations(dependencies) : []
  if (hasApi) for (const worker of startApiWorkers(shared, dependencies.sending)) started.add(worker)
  const shares = createConnectionShares(pool, SHARED_CONNECTIONS_MAX)
  const replicas = hasApi && config.readUrls.length > 0 ? await startReadReplicas(shared, started) : undefined
  const links = hasApi ? startShortLinks({ ...config, databaseUrl, pool, registry, log }) : undefined
  if (links) started.add({ name: 'counting clicks', stop: links.stop })
  const app = await createApp({
    operations,
    describe: () => describeApi({ operations, events: EVENTS, version, url: config.publicUrl ?? '/' }),
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
    consoleFolder: join(import.meta.dirname, '..', '..', 'console', 'dist'),
    uploadFolder: join(config.dataFolder, 'uploads'),
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    async addFramedRoutes(app, load) {
      if (hasApi && config.doors.size > 0) {
        await registerDoors(app, {
          ...doorsOf(shared, { sending: dependencies.sending, callers, rates, shares }),
          load
        })
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

function startStoringUses(callers: Callers, log: Log): RunningWorker {
  const work = () => callers.storeUses().then(() => ({ isMoreDue: false }))
  return startWorker({
    name: 'storing uses of keys',
    work,
    pauseMs: USES_PAUSE_MS,
    firstPauseMs: UPKEEP_FIRST_PAUSE_MS,
    log
  })
}

/** After the first look: a process that has just started reads from replicas at once. */
async function startReadReplicas(
  { config, databaseUrl: primaryUrl, registry, log }: SharedParts,
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
  started.add({ name: 'connections to read replicas', stop: () => replicas.close(CLOSE_SECONDS) })
  await replicas.look()
  const work = () => replicas.look().then(() => ({ isMoreDue: false }))
  started.add(startWorker({ name: 'looking at read replicas', work, pauseMs: LOOK_PAUSE_MS, log }))
  return replicas
}

/** Readiness is open to everybody, and so names no host. */
function summaryOf({ replicas }: ReadReplicas): string {
  return `${replicas.filter(({ isUsable }) => isUsable).length} of ${replicas.length} used`
}

function createDress(looks: Looks): DressConsole {
  return ({ hostname }) => {
    const look = looks.at(hostname)
    return look === BUILT_IN ? undefined : { ...look, logo: logoPath(look.logo) }
  }
}

/** The dependencies of the doors of other gateways. */
function doorsOf(
  { config, pool, log }: SharedParts,
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
