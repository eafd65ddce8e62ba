import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { databaseNowMs } from '../database/clock.ts'
import { type ConnectOptions, connect, type Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { Clicks } from './clicks.ts'
import { createFindLink } from './find-links.ts'
import { createLinkMetrics } from './metrics.ts'
import { createNameSender } from './name-sender.ts'
import { createOpenings } from './openings.ts'
import { createOptOutByLink } from './opt-out-by-link.ts'
import { registerRedirects } from './redirects.ts'

/** Connections of its own, so that no request of a customer can keep people from their links: two look up, one counts. */
const CONNECTIONS_MAX = 3
const CLOSE_SECONDS = 5

export interface ShortLinksParts {
  databaseUrl: ConnectOptions['url']
  /** For the one click that opts out. */
  pool: Pool
  registry: Registry
  log: Log
  /** CHAPPE_LINK_URL, if it is given. */
  linkUrl: string | undefined
  /** How long links work. */
  retentionDays: number
}

export interface ShortLinks {
  addRoutes(app: FastifyInstance): void
  /** After the last request: counts the waiting clicks. */
  stop(): Promise<void>
}

/** The part of the service that opens links and counts clicks. */
export function startShortLinks({
  databaseUrl,
  pool: mainPool,
  registry,
  log,
  linkUrl,
  retentionDays
}: ShortLinksParts): ShortLinks {
  const pool = connect({
    url: databaseUrl,
    applicationName: `chappe ${process.pid} links`,
    connectionsMax: CONNECTIONS_MAX,
    isLookupOnly: true
  })
  const metrics = createLinkMetrics(registry)
  // By the clock that dates the clicks, which are compared with openings.
  const openings = createOpenings(databaseNowMs)
  const clicks = new Clicks({ pool, openings, log, metrics })
  const find = createFindLink(pool, { retentionDays })
  return {
    addRoutes: (app) =>
      registerRedirects(app, {
        find,
        optOut: createOptOutByLink(mainPool),
        nameSender: createNameSender(pool),
        openings,
        clicks,
        metrics,
        log,
        linkUrl
      }),
    async stop() {
      await clicks.stop()
      await pool.close(CLOSE_SECONDS)
    }
  }
}
