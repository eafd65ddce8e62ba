import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Phones } from '../../simulator/phones/phones.ts'
import { type Rbm, startRbm } from '../../simulator/rbm/rbm.ts'
import { type Smsc, startSmsc } from '../../simulator/smpp/smsc.ts'
import { connect, type Pool, SOCKET_PORT } from '../../src/database/database.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/database/embedded-server.ts'
import { eventually } from '../checks/eventually.ts'
import { isAlive, postmasterPid } from '../processes/process.ts'
import { EventReceiver } from './event-receiver.ts'
import { Links } from './links.ts'
import { ServiceNode } from './node.ts'
import { startTunnel, type Tunnel } from './tunnel.ts'

/*
 * All that a run needs, as processes and sockets of its own: PostgreSQL with full durability, a carrier behind links that can
 * be cut, a receiver of webhooks, and one to three processes of the service under a supervisor.
 */

export const OPERATOR_KEY = 'key-of-the-operator'

export interface ClusterOptions {
  nodes: number
  window: number
  /** How long the carrier takes to answer: with the window, it gives the rate. */
  answerDelayMs: number
  answerTimeoutSeconds: number
  enquireLinkSeconds: number
  /** Also an RCS platform, which tells the first process what happens. */
  hasRcs?: boolean
  settings?: Record<string, string>
}

export interface Cluster {
  nodes: ServiceNode[]
  smsc: Smsc
  links: Links
  receiver: EventReceiver
  /** For the checks and, where waiting is all that happens, for hurrying. */
  pool: Pool
  /** When the database was not there, from and to. */
  outages: { from: number; to: number }[]
  /** SIGQUIT to its postmaster: as in a crash, nothing is written first. */
  restartDatabase(downMs: number): Promise<void>
  untilReady(withinMs?: number): Promise<void>
  /** Aborted when it is stopped: whatever goes on for as long as there is a cluster ends then. */
  ending: AbortSignal
  stop(): Promise<void>
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const closing: (() => Promise<unknown>)[] = []
  const ending = new AbortController()
  async function stop(): Promise<void> {
    ending.abort()
    for (let close = closing.pop(); close; close = closing.pop()) await close()
    process.off('SIGTERM', end).off('SIGINT', end)
  }
  // PostgreSQL and the processes of the service would outlive us.
  function end(): void {
    stop().finally(() => process.exit(1))
  }
  process.on('SIGTERM', end).on('SIGINT', end)
  try {
    const [folder, databaseFolder] = [await newFolder(closing), await newFolder(closing)]
    const database = await startEmbeddedServer(databaseFolder)
    closing.push(() => database.stop())
    const pool = connect({ url: database.url, applicationName: 'chaos', connectionsMax: 3 })
    closing.push(() => pool.close(1))
    const tunnel = await startTunnel(join(database.url.socketFolder, `.s.PGSQL.${SOCKET_PORT}`))
    closing.push(() => tunnel.stop())
    const smsc = await startSmsc({
      phones: new Phones(),
      record: true,
      faults: `delay answers ${options.answerDelayMs}ms`
    })
    closing.push(() => smsc.stop())
    const links = new Links(smsc)
    await links.start()
    closing.push(() => links.stop())
    const receiver = new EventReceiver()
    await receiver.start()
    closing.push(() => receiver.stop())
    const carriersPath = join(folder, 'carriers.json')
    const rbm = options.hasRcs ? await startRbm({ phones: smsc.phones }) : undefined
    if (rbm) closing.push(() => rbm.stop())
    const file = carriersAt(links, options)
    await writeFile(carriersPath, JSON.stringify(rbm ? await withRcs(file, rbm, folder) : file))
    const nodes = Array.from({ length: options.nodes }, (_, index) => {
      const settings = settingsOf({ database, tunnel, carriersPath, dataFolder: join(folder, `node-${index}`) })
      return new ServiceNode({ ...settings, ...options.settings })
    })
    closing.push(() => Promise.all(nodes.map((node) => node.kill())))
    for (const node of nodes) node.start()

    const outages: Cluster['outages'] = []
    const cluster: Cluster = {
      nodes,
      smsc,
      links,
      receiver,
      pool,
      outages,
      ending: ending.signal,
      async restartDatabase(downMs) {
        const from = Date.now()
        await endAtOnce(databaseFolder)
        await sleep(downMs)
        await database.ensureRunning()
        outages.push({ from, to: Date.now() })
      },
      untilReady: (withinMs = 120_000) =>
        eventually(() => Promise.all(nodes.map(refuseUnready)).then(() => undefined), { withinMs, everyMs: 100 }),
      stop
    }
    await cluster.untilReady()
    await rbm?.setWebhook(`${nodes[0]?.url}/carriers/rbm/${RCS_NAME}/events`)
    return cluster
  } catch (error) {
    await stop()
    throw error
  }
}

async function newFolder(closing: (() => Promise<unknown>)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-chaos-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function carriersAt({ port }: Links, options: ClusterOptions) {
  const carrier = { name: 'main', type: 'smpp', host: '127.0.0.1', port, systemId: 'chaos', password: 'chaos' }
  const { nodes: sessions, window, answerTimeoutSeconds: answerTimeout, enquireLinkSeconds: enquireLink } = options
  return {
    carriers: [{ ...carrier, sessions, window, answerTimeout, enquireLink }],
    routes: [{ channel: 'sms', prefix: '', carriers: ['main'] }]
  }
}

const RCS_NAME = 'rcs'

async function withRcs({ carriers, routes }: ReturnType<typeof carriersAt>, rbm: Rbm, folder: string) {
  const serviceAccount = join(folder, 'rbm-key.json')
  await writeFile(serviceAccount, JSON.stringify(rbm.serviceAccount), { mode: 0o600 })
  const { agentId, url: baseUrl, webhookToken } = rbm
  return {
    carriers: [...carriers, { name: RCS_NAME, type: 'rbm', agentId, serviceAccount, baseUrl, webhookToken }],
    routes: [...routes, { channel: 'rcs', prefix: '', carriers: [RCS_NAME] }]
  }
}

function settingsOf(parts: { database: EmbeddedServer; tunnel: Tunnel; carriersPath: string; dataFolder: string }) {
  const { user, database } = parts.database.url
  return {
    DATABASE_URL: `postgres://${user}@127.0.0.1:${parts.tunnel.port}/${database}`,
    CHAPPE_DATA: parts.dataFolder,
    CHAPPE_CARRIERS: parts.carriersPath,
    CHAPPE_ADMIN_API_KEY: OPERATOR_KEY,
    CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true'
  }
}

async function refuseUnready({ url }: ServiceNode): Promise<void> {
  if (url === undefined) throw new Error('A process has not said that it runs.')
  const { status } = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) })
  if (status !== 200) throw new Error(`A process is not ready: ${status}.`)
}

async function endAtOnce(folder: string): Promise<void> {
  const pid = await postmasterPid(folder)
  if (pid === undefined) throw new Error('PostgreSQL is not running.')
  process.kill(pid, 'SIGQUIT')
  while (isAlive(pid)) await sleep(10)
}
