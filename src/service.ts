import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { storeHistory } from './carriers/store-history.ts'
import { startCleaning } from './cleaning.ts'
import { openFirstAccount } from './credits/open-first-account.ts'
import type { Pool } from './database/database.ts'
import { reload, startDeliveryRole } from './delivery-role.ts'
import { listen, tryToListen } from './http/listeners.ts'
import type { LoadLimits } from './http/overload.ts'
import { addProcessMetrics } from './metrics/process.ts'
import { startMails } from './process/mails.ts'
import { openApp } from './process/serve-http.ts'
import { type Opening, openSharedParts, type SharedParts } from './process/shared-parts.ts'
import { StartedParts } from './process/started-parts.ts'
import { startBuildingIndexes, startKeepingRanges, startUpkeep } from './process/upkeep.ts'
import { startSmppRole, takesBinds } from './smpp-role.ts'
import { tryToTakeBinds } from './smpp-server/smpp-server.ts'
import type { ServerTimings } from './smpp-server/timings.ts'
import { startTracing } from './traces/start-tracing.ts'
import { startWebhooksRole } from './webhooks-role.ts'
import { createWorkerMetrics } from './workers/metrics.ts'

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

export interface ServiceParts extends Opening {
  limits?: LoadLimits
  /** The waits of the SMPP server; tests shorten them. */
  smppTimings?: ServerTimings
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

async function startParts(parts: ServiceParts, started: StartedParts): Promise<Service> {
  const { config, log, onFirstAccount = () => undefined } = parts
  // Started first, so that it stops last: the other parts end their spans before.
  if (config.traces) started.add(await startTracing(config.traces, { version: VERSION, log }))
  const registry = new Registry()
  addProcessMetrics(registry)
  const { onCleaningFailed, onRangeFailed } = createWorkerMetrics(registry)
  const shared = await openSharedParts(parts, registry, started)
  const { pool, carriers, roles, history } = shared
  const { app, ...requests } = await openApp(shared, started, { version: VERSION, limits: parts.limits })
  started.add({ name: 'HTTP requests', stop: () => app.close() })
  await tryToListen(config)
  if (takesBinds(config)) await tryToTakeBinds(config.smpp, log)
  // Its credentials are shown once: made when nothing is left that a mistake of the operator could stop.
  const isFirstStart = await openFirstAccount(pool, config.firstAccount, onFirstAccount)
  const url = await listen(app, config)
  // Stops after delivery: what it counted last is stored.
  const storeLast = () =>
    storeHistory(pool, history).catch((error) => log.warn({ err: error }, 'last figures of carriers not stored'))
  started.add({ name: 'figures of carriers', stop: storeLast })
  for (const worker of startUpkeep(shared)) started.add(worker)
  if (config.mail) started.add(await startMails(shared, config.mail))
  await startRoles(shared, started, url)
  await startSmppRole(shared, started, { ...requests, timings: parts.smppTimings })
  started.add(startCleaning(pool, { config, log, onFailed: onCleaningFailed }))
  started.add(startKeepingRanges(shared, onRangeFailed))
  started.add(startBuildingIndexes(shared))
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

async function startRoles(shared: SharedParts, started: StartedParts, url: string): Promise<void> {
  const { config, databaseUrl, registry, metricsPool, log, carriers, roles } = shared
  if (config.roles.has('delivery')) {
    const delivery = await startDeliveryRole({ ...shared, routing: carriers.routing })
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

const VERSION: string = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')).version
