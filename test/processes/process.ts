import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { atEnd } from '../service/cleanup.ts'

/*
 * The service as its operator runs it: a process of its own, told apart from this one by everything but the code.
 */

/** On two busy cores a first start, with its cluster and migrations, takes half a minute. */
const START_TIMEOUT_MS = 90_000

export interface ServiceProcess {
  child: ChildProcess
  /** Where it listens; rejects, with what it said, if it ends before it is ready. */
  url: Promise<string>
  exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** All it has said so far. */
  output(): string
}

export async function newDataFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-start-'))
  atEnd(t, async () => {
    await stopLeftover(folder)
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

const { PATH, NODE_COMPILE_CACHE, CHAPPE_TEST_NODE_OPTIONS } = process.env
/** What is compiled already need not be compiled by each process. */
const FROM_SOURCES = { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
/** A whole run has bundled the programs for all processes that run them (`test/runner/programs.ts`). */
export const SURROUNDINGS = {
  ...FROM_SOURCES,
  ...(CHAPPE_TEST_NODE_OPTIONS && { NODE_OPTIONS: CHAPPE_TEST_NODE_OPTIONS })
}

/** Of the first account, where a test does not look at how it is made. */
export const ADMIN = { CHAPPE_ADMIN_PASSWORD: 'a long password', CHAPPE_ADMIN_API_KEY: 'the-admin-key' }

/** A data folder as a first start left it, for tests of what comes later: to make a cluster takes seconds. */
export async function usedDataFolder(t: TestContext, settings: Record<string, string> = ADMIN): Promise<string> {
  const folder = await newDataFolder(t)
  const made = firstStarts.get(settings) ?? startOnce(settings)
  firstStarts.set(settings, made)
  // As it is: PostgreSQL's files may belong to another user.
  await promisify(execFile)('cp', ['-Rp', `${await made}/.`, folder])
  await chmod(folder, 0o711)
  return folder
}

const firstStarts = new Map<Record<string, string>, Promise<string>>()

async function startOnce(settings: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-first-'))
  const first = launch({ CHAPPE_DATA: folder, ...settings }, MAIN, {})
  await first.url
  first.child.kill('SIGTERM')
  await first.exit
  return folder
}

const MAIN = [process.execPath, join(import.meta.dirname, '../../src/main.ts')]

interface LaunchOptions {
  ownGroup?: boolean
  stdin?: 'ignore' | 'pipe'
}

export function startProcess(
  t: TestContext,
  settings: Record<string, string>,
  command = MAIN,
  options: LaunchOptions = {}
): ServiceProcess {
  const service = launch(settings, command, options)
  atEnd(t, async () => {
    if (service.child.exitCode === null && service.child.signalCode === null) service.child.kill('SIGKILL')
    await service.exit
  })
  return service
}

function launch(
  settings: Record<string, string>,
  command: readonly string[],
  { ownGroup = false, stdin = 'ignore' }: LaunchOptions
): ServiceProcess {
  const [program = '', ...parameters] = command
  const child = spawn(program, parameters, {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...(command === MAIN ? SURROUNDINGS : FROM_SOURCES), HOME: process.env.HOME, PORT: '0', ...settings },
    detached: ownGroup,
    stdio: [stdin, 'pipe', 'pipe']
  })
  let output = ''
  const { promise: url, resolve, reject } = Promise.withResolvers<string>()
  url.catch(() => undefined) // A test that expects the start to fail looks at `exit` instead.
  const timer = setTimeout(() => reject(new Error(`not ready in time:\n${output}`)), START_TIMEOUT_MS)
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
      const address = /Chappe is running at (http:\S+)/.exec(output)?.[1]
      if (address) resolve(address)
    })
  }
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((ended) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      reject(new Error(`ended with ${code ?? signal}:\n${output}`))
      ended({ code, signal })
    })
  })
  return { child, url, exit, output: () => output }
}

export async function postmasterPid(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  return Number.parseInt(text, 10) || undefined
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // No such process: that is the answer.
  }
}

/** A test that kills the service leaves its database running, on purpose; nothing may outlive the test. */
async function stopLeftover(folder: string): Promise<void> {
  const pid = await postmasterPid(folder)
  if (!pid || !isAlive(pid)) return
  process.kill(pid, 'SIGQUIT')
  while (isAlive(pid)) await sleep(20)
}
