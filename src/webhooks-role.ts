import type { Registry } from 'prom-client'
import type { Config } from './config.ts'
import { type ConnectOptions, connect, type Pool } from './database/database.ts'
import { startCallbacks } from './doors/make-callbacks.ts'
import type { Log } from './http/log.ts'
import { CONNECTIONS_PER_RECEIVER, type Dispatch, startDispatch } from './webhooks/dispatch-events.ts'
import { createWebhookMetrics } from './webhooks/metrics.ts'
import { createPoster } from './webhooks/post.ts'

/** Webhooks have their own connections: requests, delivery and webhooks can't starve each other. */
const CONNECTIONS_MAX = 6
const CLOSE_SECONDS = 5
const CALLBACKS_PAUSE_MS = 200
const OLD_CALLBACKS_PAUSE_MS = 10_000

/** The role `webhooks`: posts events to receivers, and calls the addresses that messages name. */
export function startWebhooksRole({
  databaseUrl,
  config,
  registry,
  metricsPool,
  log
}: {
  databaseUrl: ConnectOptions['url']
  config: Config
  registry: Registry
  /** The connections of the gauges, apart from those of webhooks. */
  metricsPool: Pool
  log: Log
}): Dispatch {
  const pool = connect({
    url: databaseUrl,
    applicationName: `chappe ${process.pid} telling webhooks`,
    connectionsMax: CONNECTIONS_MAX,
    isLookupOnly: true
  })
  const allowPrivate = config.webhookAllowPrivate
  const poster = createPoster({ allowPrivate, connectionsPerHost: CONNECTIONS_PER_RECEIVER })
  const metrics = createWebhookMetrics(registry, { pool: metricsPool })
  const dispatch = startDispatch({ pool, poster, allowPrivate, metrics, log })
  // Without doors there may be callbacks of messages that came before they were closed.
  const pauseMs = config.doors.size > 0 ? CALLBACKS_PAUSE_MS : OLD_CALLBACKS_PAUSE_MS
  const callbacks = startCallbacks({ pool, poster, allowPrivate, log, pauseMs })
  return {
    wake: dispatch.wake,
    async stop() {
      await Promise.all([dispatch.stop(), callbacks.stop()])
      poster.close()
      await pool.close(CLOSE_SECONDS)
    }
  }
}
