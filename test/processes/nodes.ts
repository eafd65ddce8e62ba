import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { SOCKET_PORT } from '../../src/database/database.ts'
import type { Smsc } from '../peers/smsc.ts'
import { atEnd } from '../service/cleanup.ts'
import { OPERATOR, type TestService } from '../service/service.ts'
import { newDataFolder, type ServiceProcess, startProcess } from './process.ts'

/*
 * Several nodes on one database, each a process of its own, with a way to the database and to the carrier of its own.
 */

export interface Node extends Omit<ServiceProcess, 'url'> {
  url: string
  pid: number
  /** The way to the database. */
  database: Way
  signal(name: NodeJS.Signals): void
  /** Ends it as its operator does, and tells how it ended. */
  stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export interface NodeOptions {
  carriersPath: string
  settings?: Record<string, string>
  /** The folder of another release of Chappe. */
  root?: string
}

export async function startNode(
  t: TestContext,
  { databaseUrl }: Pick<TestService, 'databaseUrl'>,
  { carriersPath, settings, root }: NodeOptions
): Promise<Node> {
  const { socketFolder, user, database } = databaseUrl
  const way = await startWay(t, { path: join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`) })
  const surroundings = {
    DATABASE_URL: `postgres://${user}@127.0.0.1:${way.port}/${database}`,
    CHAPPE_DATA: await newDataFolder(t),
    CHAPPE_CARRIERS: carriersPath,
    CHAPPE_LOG: 'warn',
    CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true',
    CHAPPE_ADMIN_EMAIL: OPERATOR.email,
    CHAPPE_ADMIN_PASSWORD: OPERATOR.password,
    ...settings
  }
  const started = startProcess(t, surroundings, root ? [process.execPath, join(root, 'src/main.ts')] : undefined)
  const url = await started.url
  const { child, exit } = started
  return {
    ...started,
    url,
    pid: child.pid ?? 0,
    database: way,
    signal: (name) => void child.kill(name),
    stop() {
      child.kill('SIGTERM')
      return exit
    }
  }
}

/** A TCP port that leads somewhere, as long as it is let. */
export interface Way {
  port: number
  /** Closes what is open, and refuses what comes. */
  cut(): void
  /** All stays open, and nothing comes through any more, in no direction; not over what is opened from now on either. */
  silence(): void
  /** From now on; what was silenced stays so. */
  mend(): void
}

export async function startWay(t: TestContext, target: NetConnectOpts): Promise<Way> {
  const pairs = new Set<[Socket, Socket]>()
  let state: 'whole' | 'cut' | 'silent' = 'whole'
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    if (state === 'cut') {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(target)
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    for (const socket of pair) {
      // Either side may go at any time; then the other goes too.
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        pairs.delete(pair)
        client.destroy()
        upstream.destroy()
      })
    }
    if (state === 'silent') return
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut'
      for (const [client] of pairs) client.resetAndDestroy()
    },
    silence() {
      state = 'silent'
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream)
        upstream.unpipe(client)
        for (const socket of [client, upstream]) socket.pause()
      }
    },
    mend() {
      state = 'whole'
    }
  }
}

/** Looks at a carrier all the time. */
export class Lookout {
  sessionsMax = 0
  /** When it looked, by the monotonic clock, and how many submits there had been. */
  readonly looks: { atMs: number; submits: number }[] = []
  readonly #timer: NodeJS.Timeout

  constructor(t: TestContext, smsc: Smsc) {
    this.#timer = setInterval(() => {
      this.sessionsMax = Math.max(this.sessionsMax, smsc.sessionCount)
      this.looks.push({ atMs: performance.now(), submits: smsc.stats.submits })
    }, 5)
    atEnd(t, () => clearInterval(this.#timer))
  }

  /**
   * How many submits more than `perSecond` allows there were at most, in any span of time. What came between two looks had begun to come at the look
   * before: this process may have been busy, and the carrier with it.
   */
  mostBeyond(perSecond: number): number {
    let most = 0
    let least = Number.POSITIVE_INFINITY
    for (const [index, { atMs, submits }] of this.looks.entries()) {
      const allowed = (perSecond * atMs) / 1000
      most = Math.max(most, submits - allowed - least)
      const beganAtMs = this.looks[index - 1]?.atMs ?? atMs
      least = Math.min(least, submits - (perSecond * beganAtMs) / 1000)
    }
    return most
  }
}
