import { enableCompileCache } from 'node:module'
import { pino } from 'pino'
import { type Config, ConfigMistakes, readConfig, unknownSettings } from './config.ts'
import { startEmbeddedServer } from './database/embedded-server.ts'
import { lockFolder } from './database/folder-lock.ts'
import { CannotStart } from './errors.ts'
import type { Log } from './http/log.ts'
import type { Service, ServiceParts } from './service.ts'

/** A stop that takes longer than this has lost its way. */
const STOP_TIMEOUT_MS = 25_000
const LOG_FLUSH_MS = 200

const config = readConfigOrExit()
// Lines are gathered and written together: a system call for each would cost more than answering a small request.
const logFile = pino.destination({ dest: 1, sync: false, minLength: 4096 })
const log: Log = pino({ level: config.logLevel, base: null, timestamp: isoTime() }, logFile)
setInterval(() => logFile.flush(), LOG_FLUSH_MS).unref()
process.on('exit', () => logFile.flushSync())
for (const name of unknownSettings(process.env)) log.warn(`${name} is not a setting of Chappe; see docs/settings.md`)

/** What is running, in the order it was started. */
const running: { name: string; stop(onPart: (name: string) => void): Promise<void> }[] = []
let isStopping = false

process.on('SIGTERM', () => void stop(0))
process.on('SIGINT', () => void stop(0))
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'a bug: an exception that nobody caught')
  void stop(1)
})

try {
  const service = await start(config)
  if (!isStopping) printBanner(service)
} catch (error) {
  if (isStopping) throw error
  if (error instanceof CannotStart) process.stderr.write(`\nChappe can't start.\n\n${error.message}\n\n`)
  else if (isListenError(error)) process.stderr.write(`\nChappe can't start.\n\n${listenMistake(error)}\n\n`)
  else log.fatal({ err: error }, 'could not start')
  await stop(1)
}

async function start(config: Config): Promise<Service> {
  // The code of the service is read while PostgreSQL starts: together they are most of the time to readiness.
  enableCompileCache()
  const code = import('./service.ts')
  const databaseUrl = config.databaseUrl ?? (await startDatabase(config.dataFolder))
  const { startService } = await code
  const service = await startService({ config, databaseUrl, log })
  running.push({ name: 'service', stop: service.stop })
  return service
}

async function startDatabase(folder: string): Promise<ServiceParts['databaseUrl']> {
  const server = await startEmbeddedServer(folder)
  // Taken before the server is ours to stop: whoever is refused here must leave the other's database running.
  const lock = await lockFolder(server, folder, (reason) => {
    log.fatal(reason)
    void stop(1)
  })
  running.push({
    name: 'embedded PostgreSQL',
    async stop() {
      await lock.release()
      await server.stop()
    }
  })
  return server.url
}

/** Stops in reverse order. A second signal while this runs is a person who has no more patience. */
async function stop(code: number): Promise<void> {
  if (isStopping) process.exit(1)
  isStopping = true
  let waitingFor = 'start'
  setTimeout(() => {
    log.fatal(`stopping took longer than ${STOP_TIMEOUT_MS / 1000} s; it was waiting for: ${waitingFor}`)
    process.exit(1)
  }, STOP_TIMEOUT_MS).unref()

  log.info('stopping')
  for (const part of running.reverse()) {
    waitingFor = part.name
    await part.stop((name) => {
      waitingFor = name
    })
  }
  log.info('stopped')
  process.exit(code)
}

/** The time of a log line, put into words once per millisecond. */
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

function isListenError(error: unknown): error is NodeJS.ErrnoException {
  return (error as NodeJS.ErrnoException | null)?.syscall === 'listen'
}

function listenMistake({ code }: NodeJS.ErrnoException): string {
  const where = `${config.host}:${config.port}`
  if (code === 'EADDRINUSE') return `Another program listens on ${where} already. Choose another with PORT and HOST.`
  if (code === 'EACCES') return `This user may not listen on ${where}. Choose a PORT above 1023.`
  return `HTTP can't listen on ${where} (${code}). Check HOST and PORT.`
}

function printBanner({ url, firstAccount }: Service): void {
  const address = config.publicUrl ?? url
  const lines = [
    '',
    `  Chappe is running at ${address}`,
    '',
    `  Console    ${address}/app`,
    `  Reference  ${address}/docs`,
    `  Database   ${config.databaseUrl ? 'PostgreSQL at DATABASE_URL' : `embedded PostgreSQL in ${config.dataFolder}`}`,
    ''
  ]
  if (firstAccount) {
    // What the operator chose need not be repeated; what was made up is shown this once and stored only as a hash.
    const { password, appId, apiKey } = config.firstAccount
    lines.push(
      '  The first account was made. What was made up for it is shown only now:',
      '',
      `  Log in     ${firstAccount.email}`,
      `  Password   ${password ? 'as set in CHAPPE_ADMIN_PASSWORD' : firstAccount.password}`,
      `  X-APP-ID   ${appId ? 'as set in CHAPPE_ADMIN_APP_ID' : firstAccount.appId}`,
      `  X-API-KEY  ${apiKey ? 'as set in CHAPPE_ADMIN_API_KEY' : firstAccount.apiKey}`,
      ''
    )
  } else lines.push('  Log in with the account that was made at the first start.', '')
  process.stdout.write(`${lines.join('\n')}\n`)
}
