import { enableCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { pino } from 'pino'
import { type Config, ConfigMistakes, doubtsOf, readConfig, unknownSettings } from './config.ts'
import type { OpenedFirstAccount } from './credits/open-first-account.ts'
import { isDatabaseUnavailable } from './database/database.ts'
import { startEmbeddedServer } from './database/embedded-server.ts'
import { lockFolder } from './database/folder-lock.ts'
import { CannotStart } from './errors.ts'
import { LOG_SERIALIZERS, type Log } from './http/log.ts'
import type { Service, ServiceParts } from './service.ts'

/** A stop that takes longer than this never ends. */
const STOP_TIMEOUT_MS = 25_000
/**
 * npm passes a signal on that the terminal or the supervisor has already sent to the whole process group: the service
 * gets it twice within milliseconds, on a busy machine within a second or two. A later repeat comes from a person in a
 * hurry.
 */
const REPEAT_WITHIN_MS = 5_000
const DATABASE_STOP_TIMEOUT_MS = 16_000
const LOG_FLUSH_MS = 200
const LOG_GATHERED_MAX = 8_192

const OWN_FOLDER = 'CHAPPE_DATA, with all that is in it, must belong to the user that runs Chappe.'
const FOLDER_ADVICE: Readonly<Record<string, string>> = {
  EACCES: OWN_FOLDER,
  EPERM: OWN_FOLDER,
  EROFS: 'Choose a CHAPPE_DATA that Chappe can write to.',
  ENOSPC: 'Make room on its disk, or choose another CHAPPE_DATA.'
}

// How much the heap may grow before it is collected. By itself, V8 lets a stream of a million rows pile up 200 MB of
// garbage; with this it is 90 MB, and the stream takes 3 % longer (`npm run bench:contacts`).
setFlagsFromString('--heap-growing-percent=60')

const config = readConfigOrExit()
const log: Log = pino(
  { level: config.logLevel, base: null, timestamp: isoTime(), serializers: LOG_SERIALIZERS },
  gatherLines()
)
for (const name of unknownSettings(process.env)) log.warn(`${name} is not a setting of Chappe; see docs/settings.md`)
for (const doubt of doubtsOf(config)) log.warn(doubt)

/** The running parts, in the order of their start. */
const running: { name: string; stop(onPart: (name: string) => void): Promise<void> }[] = []
let stoppingSince: number | undefined
let isEndingNow = false

process.on('SIGTERM', onStopSignal)
process.on('SIGINT', onStopSignal)
// During the start there is nothing to do: the start reads the file itself.
process.on('SIGHUP', () => {
  const failed = (error: unknown) => log.error({ err: error }, 'carriers file could not be applied; try again')
  starting.then((service) => service.reload()).catch(failed)
})
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'uncaught exception: this is a bug')
  void stop(1)
})

const database = startDatabase(config)
const starting = start(config)
try {
  const service = await starting
  if (stoppingSince === undefined) printBanner(service)
} catch (error) {
  const mistake = mistakeOf(error as NodeJS.ErrnoException)
  if (mistake) process.stderr.write(`\nChappe can't start.\n\n${mistake}\n\n`)
  else log.fatal({ err: error }, 'could not start')
  if (stoppingSince === undefined) await stop(1)
}

async function start(config: Config): Promise<Service> {
  // The code of the service loads while PostgreSQL starts: these two are most of the time to readiness.
  enableCompileCache()
  const code = import('./service.ts')
  const { url: databaseUrl } = await database
  const { startService } = await code
  const service = await startService({ config, databaseUrl, log, onFirstAccount: printFirstAccount })
  running.push({ name: 'service', stop: service.stop })
  return service
}

interface StartedDatabase {
  url: ServiceParts['databaseUrl']
  stop(): Promise<void>
}

async function startDatabase({ databaseUrl, dataFolder: folder }: Config): Promise<StartedDatabase> {
  if (databaseUrl !== undefined) return { url: databaseUrl, stop: async () => undefined }
  const server = await startEmbeddedServer(folder)
  // Locked before the server counts as ours to stop: a refused start must leave the other process's database running.
  const lock = await lockFolder(server, folder, {
    onLost(reason) {
      log.fatal(reason)
      void stop(1)
    },
    onWaiting: (reason) => log.error({ reason }, 'embedded PostgreSQL does not start again; trying on')
  })
  const stopDatabase = () => lock.release(() => server.stop())
  running.push({ name: 'embedded PostgreSQL', stop: stopDatabase })
  return { url: server.url, stop: stopDatabase }
}

function onStopSignal(): void {
  if (stoppingSince === undefined) return void stop(0)
  if (performance.now() - stoppingSince < REPEAT_WITHIN_MS) return
  log.warn('second stop signal: running work is cut off')
  void endNow()
}

/** Stops in reverse order. */
async function stop(code: number): Promise<void> {
  // An exception during a stop: the rest of the stop may never end.
  if (stoppingSince !== undefined) return endNow()
  stoppingSince = performance.now()
  let waitingFor = 'the start to end'
  setTimeout(() => {
    log.fatal(`stopping took longer than ${STOP_TIMEOUT_MS / 1000} s; it was waiting for: ${waitingFor}`)
    void endNow()
  }, STOP_TIMEOUT_MS).unref()

  log.info('stopping')
  // A half-done start can't be stopped: wait for its end, or for its failure, which is logged there.
  await starting.catch(() => undefined)
  for (const part of running.toReversed()) {
    waitingFor = part.name
    await part.stop((name) => {
      waitingFor = name
    })
    // Running work was cut off meanwhile: endNow stops the database and ends the process, with its exit code.
    if (isEndingNow) return
  }
  log.info('stopped')
  process.exit(code)
}

/**
 * Ends without waiting for running work. The embedded PostgreSQL is stopped all the same: no other process would stop
 * it.
 */
async function endNow(): Promise<void> {
  if (isEndingNow) return
  isEndingNow = true
  // The start of a database has its own time-out. Only after the start is it known whose database it is.
  const started = await database.catch(() => undefined)
  setTimeout(() => process.exit(1), DATABASE_STOP_TIMEOUT_MS)
  await started?.stop().catch((error) => log.error({ err: error }, 'embedded PostgreSQL could not be stopped'))
  process.exit(1)
}

/**
 * Lines are gathered and written together: a system call for each would cost more than answering a small request.
 * Pino's own gathering is no choice: its last flush never ends when the reader of our output has gone.
 */
function gatherLines(): { write(line: string): void } {
  let lines = ''
  function flush(): void {
    if (lines === '') return
    const text = lines
    lines = ''
    process.stdout.write(text)
  }
  process.stdout.on('error', () => undefined) // The reader of our output has gone: no reason to stop working.
  process.on('exit', flush)
  setInterval(flush, LOG_FLUSH_MS).unref()
  return {
    write(line) {
      lines += line
      if (lines.length > LOG_GATHERED_MAX) flush()
    }
  }
}

/** The time of a log line, formatted once per millisecond. */
function isoTime(): () => string {
  let [last, text] = [0, '']
  return () => {
    const now = Date.now()
    if (now !== last) [last, text] = [now, `,"time":"${new Date(now).toISOString()}"`]
    return text
  }
}

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigMistakes)) throw error
    const list = error.mistakes.map((sentence) => `  - ${sentence}`).join('\n')
    process.stderr.write(
      `\nChappe can't start: the settings are not right.\n\n${list}\n\nAll settings: docs/settings.md\n\n`
    )
    process.exit(1)
  }
}

/** Why it can't start, in a sentence for the operator. Undefined for a bug. */
function mistakeOf(error: NodeJS.ErrnoException): string | undefined {
  if (error instanceof CannotStart) return error.message
  if (isListenError(error)) return listenMistake(error)
  if (isDatabaseUnavailable(error) && error.path === undefined) {
    return `The database went away or gave no room during the start: ${error.message}. Start again once it works.`
  }
  const advice = error.path?.startsWith(config.dataFolder) ? FOLDER_ADVICE[error.code ?? ''] : undefined
  return advice && `The data folder can't be used (${error.message}). ${advice}`
}

/** Also a HOST whose name is not found. */
function isListenError({ syscall, hostname }: NodeJS.ErrnoException & { hostname?: string }): boolean {
  return syscall === 'listen' || (syscall === 'getaddrinfo' && hostname === config.host)
}

function listenMistake({ code }: NodeJS.ErrnoException): string {
  const where = `${config.host}:${config.port}`
  if (code === 'EADDRINUSE') return `Another program listens on ${where} already. Choose another with PORT and HOST.`
  if (code === 'EACCES') return `This user may not listen on ${where}. Choose a PORT above 1023.`
  return `HTTP can't listen on ${where} (${code}). Check HOST and PORT.`
}

/**
 * Shown before the account is committed: generated secrets are stored as hashes only, and a later failure must not lose
 * them.
 */
function printFirstAccount(firstAccount: OpenedFirstAccount): void {
  const { password, appId, apiKey } = config.firstAccount
  const lines = [
    '',
    '  Your first account is ready. Keep this: it is shown only once.',
    '',
    `  Email      ${firstAccount.email}`,
    `  Password   ${password ? 'as set in CHAPPE_ADMIN_PASSWORD' : firstAccount.password}`,
    `  X-APP-ID   ${appId ? 'as set in CHAPPE_ADMIN_APP_ID' : firstAccount.appId}`,
    `  X-API-KEY  ${apiKey ? 'as set in CHAPPE_ADMIN_API_KEY' : firstAccount.apiKey}`,
    ''
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function printBanner({ url, isFirstStart, isSandbox }: Service): void {
  const address = config.publicUrl ?? url
  const lines = [
    '',
    `  Chappe is running at ${address}`,
    '',
    `  Console    ${address}/app`,
    `  API        ${address}/docs`,
    `  Log in     with the email and password ${isFirstStart ? 'above' : 'that the first start showed'}`,
    `  Carriers   ${isSandbox ? 'the sandbox: virtual phones, nothing leaves this machine' : (config.carriersFile ?? 'of other processes')}`,
    `  Database   ${config.databaseUrl ? 'PostgreSQL at DATABASE_URL' : `embedded PostgreSQL in ${config.dataFolder}`}`,
    ...(process.stdout.isTTY ? ['  Stop       with Ctrl-C'] : []),
    ''
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
