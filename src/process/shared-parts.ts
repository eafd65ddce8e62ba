import type { Registry } from 'prom-client'
import { readSuspendedAccounts, type SuspendedAccountsReader } from '../accounts/suspended-accounts.ts'
import { type AgentGrants, readAgentGrants } from '../agents/agent-grants.ts'
import { CarrierHistory } from '../carriers/history.ts'
import type { CarrierKind } from '../carriers/kind.ts'
import { addReceiptMetrics } from '../carriers/receipt-metrics.ts'
import type { Config } from '../config.ts'
import { addCreditMetrics } from '../credits/credit-metrics.ts'
import type { OpenedFirstAccount } from '../credits/open-first-account.ts'
import { type ConnectOptions, connect, type Pool } from '../database/database.ts'
import { addDatabaseMetrics } from '../database/database-metrics.ts'
import { addPoolMetrics } from '../database/pool-metrics.ts'
import { prepareDatabase } from '../database/prepare-database.ts'
import { type Carriers, createSignal, type DeliveryRole, openCarriers } from '../delivery-role.ts'
import type { Log } from '../http/log.ts'
import { type LooksReader, readLooks } from '../looks/looks.ts'
import { type PriceBookReader, readPriceBook } from '../prices/price-book.ts'
import { createKeepEvents, type KeepEvents } from '../rbm-events/keep-events.ts'
import { createRcsMetrics, type RcsMetrics } from '../rbm-events/metrics.ts'
import { RBM_EVENTS_CHANNEL } from '../rbm-events/rbm-events.ts'
import { addMessageTimes } from '../recipients/message-times.ts'
import { readSenderRegister, type SenderRegisterReader } from '../senders/register.ts'
import { GROUP_CONNECTIONS } from '../sends/accept.ts'
import type { SmppServer } from '../smpp-server/smpp-server.ts'
import { addTraceMetrics } from '../traces/span-queue.ts'
import type { Dispatch } from '../webhooks/dispatch-events.ts'
import type { StartedParts } from './started-parts.ts'

const CONNECTIONS_MAX = 20
const CLOSE_SECONDS = 5
const APPLICATION_NAME = `chappe ${process.pid}`

/** What a process is started with. */
export interface Opening {
  config: Config
  databaseUrl: ConnectOptions['url']
  log: Log
  /** Called with the credentials of the first account when this start makes it, just before they are committed. */
  onFirstAccount?: (account: OpenedFirstAccount) => void
  /** The kinds of carriers that the carriers file may name; all that there are, unless others are given. */
  kinds?: readonly CarrierKind[]
}

/** The parts that all roles share. */
export interface SharedParts extends Pools {
  config: Config
  databaseUrl: ConnectOptions['url']
  log: Log
  registry: Registry
  suspended: SuspendedAccountsReader
  register: SenderRegisterReader
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

/** What a process opens before its roles start, and stops after them. */
export async function openSharedParts(
  opening: Opening,
  registry: Registry,
  started: StartedParts
): Promise<SharedParts> {
  const { config, databaseUrl: url, log } = opening
  await prepareDatabase({ url, applicationName: APPLICATION_NAME, connectionsMax: CONNECTIONS_MAX }, log)
  const pools = openPools(opening, started)
  const { pool } = pools
  const suspended = await readSuspendedAccounts(pool, log)
  started.add(suspended)
  const register = await readSenderRegister(pool, { mode: config.senderMode, log })
  started.add(register)
  const carriers = await openCarriers(config, opening.kinds)
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
  const shared: SharedParts = {
    config,
    databaseUrl: url,
    log,
    registry,
    ...pools,
    suspended,
    register,
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
  return shared
}

/** Opened once the shape of the database is known: the settings of their connections depend on it. */
function openPools({ databaseUrl: url, log }: Opening, started: StartedParts): Pools {
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
  started.add({ name, stop: () => pool.close(CLOSE_SECONDS) })
  return pool
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

/** The host names of the settings. No account gets them. */
export function ownHostsOf({ publicUrl, linkUrl }: Config): string[] {
  return [publicUrl, linkUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]))
}
