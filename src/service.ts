import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { deleteExpiredTokens } from './accounts/accounts.store.ts'
import { createCallers } from './accounts/callers.ts'
import { deleteExpiredLoginFailures } from './accounts/login-failures.store.ts'
import { deleteExpiredTakenEmails } from './accounts/taken-emails.store.ts'
import { createTokens } from './accounts/tokens.ts'
import type { CarrierKind } from './carriers/kind.ts'
import { deleteOldVisitors } from './clicks/clicks.store.ts'
import { startShortLinks } from './clicks/short-links.ts'
import type { Config } from './config.ts'
import { emptyHiddenLists } from './contacts/empty-hidden-lists.ts'
import { type OpenedFirstAccount, openFirstAccount } from './credits/open-first-account.ts'
import { readDatabaseClock } from './database/clock.ts'
import { createConnectionShares } from './database/connection-shares.ts'
import { type ConnectOptions, connect, type Pool } from './database/database.ts'
import { hostsOf } from './database/hosts.ts'
import { migrate } from './database/migrate.ts'
import {
  createCallbackInbound,
  createSignal,
  type DeliveryRole,
  openCarriers,
  reload,
  startDeliveryRole
} from './delivery-role.ts'
import { CannotStart } from './errors.ts'
import { createApp } from './http/app.ts'
import { deleteExpiredAnswers } from './http/idempotent-answers.store.ts'
import { listen } from './http/listeners.ts'
import type { Log } from './http/log.ts'
import { describeApi } from './http/openapi.ts'
import type { LoadLimits } from './http/overload.ts'
import { beginScheduledMessages } from './messages/begin-scheduled-messages.ts'
import { finishErasures } from './personal-data/finish-erasures.ts'
import { createKeepEvents } from './rbm-events/keep-events.ts'
import { createRcsMetrics } from './rbm-events/metrics.ts'
import { RBM_EVENTS_CHANNEL } from './rbm-events/rbm-events.ts'
import { tellCancelled } from './recipients/tell-cancelled.ts'
import { deleteOldReplies } from './replies/retention.store.ts'
import { createRemoveMessages } from './retention/remove-messages.ts'
import { EVENTS, listOperations } from './routes.ts'
import { createAccept, GROUP_CONNECTIONS } from './sends/accept.ts'
import { deleteOldLinks } from './short-links/short-links.store.ts'
import { foldFigures } from './stats/fold-figures.ts'
import type { Dispatch } from './webhooks/dispatch-events.ts'
import { deleteOldDeliveries, deleteOldEvents } from './webhooks/retention.store.ts'
import { deleteLeftovers } from './webhooks/webhooks.store.ts'
import { startWebhooksRole } from './webhooks-role.ts'
import { doEachStep, type Step } from './workers/each-step.ts'
import { startWorker } from './workers/loop.ts'
import { createWorkerMetrics } from './workers/metrics.ts'

const CONNECTIONS_MAX = 20
/** The others are for what all requests share: credentials, reads that are grouped, events of carriers, cleaning. */
const SHARED_CONNECTIONS_MAX = 16
const CLEAN_PAUSE_MS = 60_000
const EMPTY_PAUSE_MS = 5_000
const BEGIN_PAUSE_MS = 1_000
const CLOCK_PAUSE_MS = 10_000
const TELL_PAUSE_MS = 1_000
const CLEAN_BATCH = 1_000
const CLEAN_REST_MAX_MS = 1_000
const DATABASE_CLOSE_SECONDS = 5
const ANSWER_TIMEOUT_MS = 10_000

export interface Service {
  /** Where it listens. */
  url: string
  pool: Pool
  /** Whether this start made the first account. */
  isFirstStart: boolean
  /** Whether it sends to virtual phones only. */
  isSandbox: boolean
  /** Reads the carriers file again; one with mistakes changes nothing. */
  reload(): Promise<void>
  /** Stops part by part, the last started first, telling each part's name before it is waited for. */
  stop(onPart?: (name: string) => void): Promise<void>
}

export interface ServiceParts {
  config: Config
  databaseUrl: ConnectOptions['url']
  log: Log
  /** Told the credentials of the first account when this start makes it, just before they are committed. */
  onFirstAccount?: (account: OpenedFirstAccount) => void
  limits?: LoadLimits
  /** The kinds of carriers that the carriers file may name; all that there are, unless others are given. */
  kinds?: readonly CarrierKind[]
}

/** Starts the roles that the configuration asks for, on a database that answers. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { config, databaseUrl, log } = parts
  const started: { name: string; stop(): Promise<unknown> }[] = []
  async function stop(onPart?: (name: string) => void): Promise<void> {
    for (let part = started.pop(); part; part = started.pop()) {
      onPart?.(part.name)
      await part.stop()
    }
  }

  try {
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    const workerMetrics = createWorkerMetrics(registry)
    const pool = connect({
      url: databaseUrl,
      applicationName: `chappe ${process.pid}`,
      connectionsMax: CONNECTIONS_MAX,
      onNotice: (notice) => log.debug({ notice }, 'database notice')
    })
    started.push({ name: 'database connections', stop: () => pool.close(DATABASE_CLOSE_SECONDS) })

    const groupPool = connect({
      url: databaseUrl,
      applicationName: `chappe ${process.pid} accepting`,
      connectionsMax: GROUP_CONNECTIONS
    })
    started.push({ name: 'connections for accepting', stop: () => groupPool.close(DATABASE_CLOSE_SECONDS) })

    // One connection is one look at a time, and none that requests or delivery would miss.
    const metricsPool = connect({
      url: databaseUrl,
      applicationName: `chappe ${process.pid} metrics`,
      connectionsMax: 1
    })
    started.push({ name: 'connection for metrics', stop: () => metricsPool.close(DATABASE_CLOSE_SECONDS) })

    await refuseUnreachable(pool, databaseUrl)
    const applied = await migrate(pool)
    if (applied.length > 0) log.info({ applied }, 'database migrated')
    await readDatabaseClock(pool)
    const isFirstStart = await openFirstAccount(pool, config.firstAccount, parts.onFirstAccount ?? (() => undefined))
    const tokens = await createTokens(pool, { dataFolder: config.dataFolder, ttlSeconds: config.tokenTtlSeconds })
    const callers = await createCallers(pool, tokens)

    const sandbox = await openCarriers(config, parts.kinds)
    if (sandbox.stop) started.push({ name: 'sandbox carriers', stop: sandbox.stop })
    const { routing, phones } = sandbox
    let delivery: DeliveryRole | undefined
    let dispatch: Dispatch | undefined
    const onQueued = createSignal(pool, { log, wake: () => delivery?.wake() })
    const sending = {
      accept: createAccept({ groupPool, routing, onQueued }),
      routing,
      linkUrl: () => config.linkUrl ?? `${config.publicUrl ?? app.listeningOrigin}/s`
    }
    const webhooks = { allowPrivate: config.webhookAllowPrivate, onQueued: () => dispatch?.wake() }
    const rcsMetrics = createRcsMetrics(registry, { pool: metricsPool })
    const onStored = createSignal(pool, { log, channel: RBM_EVENTS_CHANNEL, wake: () => delivery?.wakeRbmEvents() })
    const keepEvents = createKeepEvents({ pool, metrics: rcsMetrics, log, onStored })
    const inbound = createCallbackInbound({ pool, routing, keepEvents })
    const operations = config.roles.has('api')
      ? listOperations({ pool, tokens, callers, accounts: config, sending, routing, inbound, webhooks, phones })
      : []
    const links = config.roles.has('api') ? startShortLinks({ ...config, databaseUrl, registry, log }) : undefined
    if (links) started.push({ name: 'counting clicks', stop: links.stop })
    const app = await createApp({
      operations,
      document: describeApi({ operations, events: EVENTS, version: VERSION }),
      authenticate: callers.authenticate,
      recall: callers.recall,
      pool,
      shares: createConnectionShares(pool, SHARED_CONNECTIONS_MAX),
      checks: {
        database: () => pool.check(),
        ...(config.roles.has('delivery') && { carriers: async () => delivery?.check() })
      },
      registry,
      metrics: config.metrics,
      log,
      consoleFolder: join(import.meta.dirname, '..', 'console', 'dist'),
      uploadFolder: join(config.dataFolder, 'uploads'),
      corsOrigins: config.corsOrigins,
      trustedProxies: config.trustedProxies,
      ...(links && { addPlainRoutes: links.addRoutes }),
      ...(parts.limits && { limits: parts.limits })
    })
    started.push({ name: 'HTTP requests', stop: () => app.close() })
    const url = await listen(app, config)

    started.push(
      startWorker({
        name: 'reading the database clock',
        work: () => readDatabaseClock(pool).then(() => ({ isMoreDue: false })),
        pauseMs: CLOCK_PAUSE_MS,
        log
      })
    )
    started.push(
      startWorker({ name: 'emptying deleted lists', work: () => emptyHiddenLists(pool), pauseMs: EMPTY_PAUSE_MS, log })
    )
    started.push(
      startWorker({
        name: 'beginning scheduled messages',
        work: () => beginScheduledMessages(pool),
        pauseMs: BEGIN_PAUSE_MS,
        log
      })
    )
    started.push(
      startWorker({ name: 'telling of cancels', work: () => tellCancelled(pool), pauseMs: TELL_PAUSE_MS, log })
    )
    if (config.roles.has('delivery')) {
      delivery = await startDeliveryRole({
        config,
        databaseUrl,
        routing,
        registry,
        metricsPool,
        rcsMetrics,
        keepEvents,
        log
      })
      started.push({ name: 'delivery', stop: delivery.stop })
      await sandbox.setRcsWebhook?.(url)
      if (sandbox.phones) await Promise.all(routing.routes.flatMap(({ carriers }) => carriers).map(delivery.untilUp))
    }
    if (config.roles.has('webhooks')) {
      dispatch = startWebhooksRole({ databaseUrl, config, log })
      started.push({ name: 'webhooks', stop: dispatch.stop })
    }
    const steps = cleaningSteps(pool, config)
    started.push(
      startWorker({
        name: 'cleaning',
        work: () => withRest(() => doEachStep(steps, { log, onFailed: workerMetrics.onCleaningFailed })),
        pauseMs: CLEAN_PAUSE_MS,
        log
      })
    )
    return {
      url,
      pool,
      isFirstStart,
      isSandbox: phones !== undefined,
      reload: () => reload(config, routing, delivery, log),
      stop
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function refuseUnreachable(pool: Pool, url: ConnectOptions['url']): Promise<void> {
  try {
    await Promise.race([pool`select 1`, refuseSilence()])
  } catch (error) {
    // The address alone: the rest of the URL may hold a password.
    const where = typeof url === 'string' ? (hostsOf(url)?.join(', ') ?? 'DATABASE_URL') : url.socketFolder
    throw new CannotStart(`The database at ${where} can't be used: ${(error as Error).message}.`)
  }
}

/** A program that is no PostgreSQL may take a connection and then talk past the driver for ever. */
async function refuseSilence(): Promise<never> {
  await sleep(ANSWER_TIMEOUT_MS, undefined, { ref: false })
  throw new Error(`no PostgreSQL answered within ${ANSWER_TIMEOUT_MS / 1000} s`)
}

const VERSION: string = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')).version

/** Removes what has had its time, a little at a time. */
function cleaningSteps(pool: Pool, { retentionDays: days }: Config): Step[] {
  const messages = createRemoveMessages(pool, { days })
  const retention = { days, limit: CLEAN_BATCH }
  const remove = (name: string, work: () => Promise<number>): Step => ({
    name,
    work: async () => ({ isMoreDue: (await work()) === CLEAN_BATCH })
  })
  const once = (name: string, work: () => Promise<unknown>): Step => ({
    name,
    work: async () => {
      await work()
      return { isMoreDue: false }
    }
  })
  return [
    { name: 'pending erasures', work: () => finishErasures(pool) },
    once('log-in failures', () => deleteExpiredLoginFailures(pool)),
    once('emails found taken', () => deleteExpiredTakenEmails(pool)),
    once('ended tokens', () => deleteExpiredTokens(pool)),
    once('queues of removed webhooks', () => deleteLeftovers(pool)),
    remove('idempotent answers', () => deleteExpiredAnswers(pool, CLEAN_BATCH)),
    remove('events', () => deleteOldEvents(pool, retention)),
    remove('webhook deliveries', () => deleteOldDeliveries(pool, retention)),
    remove('short links', () => deleteOldLinks(pool, retention)),
    remove('link visitors', () => deleteOldVisitors(pool, retention)),
    remove('replies', () => deleteOldReplies(pool, retention)),
    // Messages are hidden only after their figures are kept elsewhere.
    { name: 'figures', work: () => foldFigures(pool) },
    { name: 'old messages', work: () => messages.hideOld() },
    { name: 'recipients of removed messages', work: () => messages.removeSlice() }
  ]
}

/** However much there is to remove, half of the time is left to those who deliver. */
async function withRest(work: () => Promise<{ isMoreDue: boolean }>): Promise<{ isMoreDue: boolean }> {
  const startedAt = performance.now()
  const { isMoreDue } = await work()
  if (isMoreDue) await sleep(Math.min(performance.now() - startedAt, CLEAN_REST_MAX_MS))
  return { isMoreDue }
}
