import type { Config } from './config.ts'
import { type ConnectOptions, connect } from './database/database.ts'
import type { Log } from './http/log.ts'
import { CONNECTIONS_PER_RECEIVER, type Dispatch, startDispatch } from './webhooks/dispatch-events.ts'
import { createPoster } from './webhooks/post.ts'

/** Webhooks have their own connections: requests, delivery and webhooks can't starve each other. */
const CONNECTIONS_MAX = 6
const CLOSE_SECONDS = 5

/** The role `webhooks`: posts events to receivers. */
export function startWebhooksRole({
  databaseUrl,
  config,
  log
}: {
  databaseUrl: ConnectOptions['url']
  config: Config
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
  const dispatch = startDispatch({ pool, poster, allowPrivate, log })
  return {
    wake: dispatch.wake,
    async stop() {
      await dispatch.stop()
      poster.close()
      await pool.close(CLOSE_SECONDS)
    }
  }
}
