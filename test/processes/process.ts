import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
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

const MAIN = [process.execPath, join(import.meta.dirname, '../../src/main.ts')]

export function startProcess(
  t: TestContext,
  settings: Record<string, string>,
  command = MAIN,
  { ownGroup = false, stdin = 'ignore' }: { ownGroup?: boolean; stdin?: 'ignore' | 'pipe' } = {}
): ServiceProcess {
  const [program = '', ...parameters] = command
  const child = spawn(program, parameters, {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...settings },
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
  atEnd(t, async () => {
    clearTimeout(timer)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exit
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
