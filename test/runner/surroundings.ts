import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildConsole } from '../../scripts/build-console.ts'
import { startEmbeddedServer } from '../../src/database/embedded-server.ts'
import { findBrowser } from '../console/browser.ts'
import { startCluster } from '../database/cluster.ts'
import { createTemplates } from '../database/databases.ts'
import { ROOT } from './choose-files.ts'
import { makeRunFolder } from './folder.ts'
import { readText, withImports } from './imports.ts'
import { endLeftovers } from './leftovers.ts'
import { bundlePrograms } from './programs.ts'

/** What tests find when they begin: as much of it as the chosen files need. */
export interface Surroundings {
  folder: string
  /** Ends all that the run has started, and says what had outlived its test. */
  end(parts: { isKept: boolean }): Promise<string[]>
}

interface Needs {
  hasDatabase: boolean
  hasConsole: boolean
  hasBrowser: boolean
}

export async function prepare(files: readonly string[], isWhole: boolean): Promise<Surroundings> {
  const needs = needsOf(files)
  const { folder, temporary } = await makeRunFolder()
  process.env.TMPDIR = temporary
  // Every process that loads the service compiles it once for all of them. A bundle is of no use to a later run.
  process.env.NODE_COMPILE_CACHE = isWhole ? join(folder, 'compiled') : join(ROOT, 'node_modules', '.cache', 'compiled')
  let server: { stop(): Promise<unknown> } | undefined
  let isOver = false

  async function end({ isKept }: { isKept: boolean }): Promise<string[]> {
    isOver = true
    await server?.stop()
    const leftovers = await endLeftovers(folder)
    if (!isKept) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    return leftovers
  }

  async function startDatabase(): Promise<void> {
    const started = await startServer()
    server = started
    process.env.CHAPPE_TEST_SOCKET_FOLDER = started.url.socketFolder
    if (!isOver) await createTemplates()
  }

  async function startServer() {
    const binFolder = process.env.CHAPPE_TEST_CITUS_BIN
    if (binFolder === undefined) return startEmbeddedServer(join(folder, 'server'), { serverSettings: SERVER_SETTINGS })
    const cluster = await startCluster(join(folder, 'cluster'), { binFolder })
    process.env.CHAPPE_TEST_WORKERS = cluster.workers.map(({ url }) => url.socketFolder).join(':')
    return { url: cluster.coordinator.url, stop: cluster.stop }
  }

  try {
    await Promise.all([
      needs.hasDatabase && startDatabase(),
      needs.hasConsole && buildConsole(),
      isWhole && namePrograms(join(folder, 'programs')),
      needs.hasBrowser && nameBrowser()
    ])
  } catch (error) {
    await end({ isKept: false })
    throw error
  }
  return { folder, end }
}

/** Thrown away at the end, so it need not survive a power cut; tests that prove durability start their own. */
const SERVER_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  max_wal_size: '256MB',
  // Databases are gone before it would help them.
  autovacuum: 'off',
  // Nobody reads its log.
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'off'
}

/** For the processes that tests start (`test/processes/process.ts`). The few of one file run from the sources. */
async function namePrograms(folder: string): Promise<void> {
  process.env.CHAPPE_TEST_NODE_OPTIONS = await bundlePrograms(folder)
}

/** Processes of tests launch it themselves. */
async function nameBrowser(): Promise<void> {
  process.env.CHAPPE_TEST_BROWSER = await findBrowser()
}

function needsOf(files: readonly string[]): Needs {
  const reached = withImports(files)
  const hasBrowser = reached.has(join(ROOT, 'test/console/browser.ts'))
  return {
    hasDatabase: [...reached].some((file) => readText(file).includes('CHAPPE_TEST_SOCKET_FOLDER')),
    // Elsewhere too, a test may ask a service for the console.
    hasConsole: hasBrowser || files.some((file) => readText(file).includes('/app')),
    hasBrowser
  }
}
