import { type ChildProcess, spawn } from 'node:child_process'
import { access, constants, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/*
 * Kannel, an SMS gateway in C: bearerbox holds the binds, smsbox answers HTTP. Both run on loopback in a temporary folder.
 */

/** Users other than root often have no sbin in their PATH. */
const USUAL_FOLDERS = ['/usr/sbin', '/usr/local/sbin', ...(process.env.PATH ?? '').split(':')]
const READY_TIMEOUT_MS = 20_000
const POLL_MS = 50

/** In memory, a crash loses every message. The spool is a file for each message, without fsync. */
export type KannelStore = 'memory' | 'spool'

export interface Kannel {
  /** Of smsbox, where messages are sent to. */
  url: string
  pids: number[]
}

export interface KannelPrograms {
  bearerbox: string
  smsbox: string
}

/** The paths of Kannel's programs, in `folder` or where they are usually; undefined where one of them is missing. */
export async function findKannel(folder: string | undefined): Promise<KannelPrograms | undefined> {
  const folders = folder === undefined ? USUAL_FOLDERS : [folder]
  const [bearerbox, smsbox] = await Promise.all([findProgram(folders, 'bearerbox'), findProgram(folders, 'smsbox')])
  return bearerbox && smsbox ? { bearerbox, smsbox } : undefined
}

async function findProgram(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name)
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false
    )
    if (isThere) return path
  }
  return undefined
}

export interface KannelOptions {
  smscPort: number
  sessions: number
  window: number
  store: KannelStore
  /** The credentials of its bind. */
  login?: { systemId: string; password: string }
  /** Further lines of groups in its configuration. */
  more?: { smsc?: string; user?: string; service?: string }
}

export async function withKannel(
  programs: KannelPrograms,
  options: KannelOptions,
  work: (kannel: Kannel) => Promise<void>
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kannel-bench-'))
  const started: ChildProcess[] = []
  try {
    const [adminPort, boxPort, sendPort] = [await freePort(), await freePort(), await freePort()]
    await mkdir(join(folder, 'spool'))
    const file = join(folder, 'kannel.conf')
    await writeFile(file, toConfiguration({ ...options, folder, adminPort, boxPort, sendPort }))
    for (const [program, port] of [
      [programs.bearerbox, boxPort],
      [programs.smsbox, sendPort]
    ] as const) {
      const child = spawn(program, ['-v', '4', file], { cwd: folder, stdio: 'ignore' })
      started.push(child)
      await untilListening(port, child)
    }
    await work({ url: `http://127.0.0.1:${sendPort}`, pids: started.map(({ pid }) => pid ?? 0) })
  } finally {
    for (const child of started.toReversed()) await end(child)
    await rm(folder, { recursive: true, force: true })
  }
}

interface Configured extends KannelOptions {
  folder: string
  adminPort: number
  boxPort: number
  sendPort: number
}

function toConfiguration(parts: Configured): string {
  const { folder, smscPort, sessions, window, store, adminPort, boxPort, sendPort } = parts
  const { login = { systemId: 'bench', password: 'bench' }, more = {} } = parts
  const storeLines = store === 'spool' ? `store-type = spool\nstore-location = ${join(folder, 'spool')}` : ''
  return `
group = core
admin-port = ${adminPort}
admin-interface = 127.0.0.1
admin-password = bench
smsbox-port = ${boxPort}
smsbox-interface = 127.0.0.1
box-allow-ip = 127.0.0.1
box-deny-ip = "*.*.*.*"
dlr-storage = internal
log-level = 4
${storeLines}

group = smsc
smsc = smpp
smsc-id = bench
host = 127.0.0.1
port = ${smscPort}
transceiver-mode = true
instances = ${sessions}
smsc-username = ${login.systemId}
smsc-password = ${login.password}
system-type = ""
max-pending-submits = ${window}
${more.smsc ?? ''}

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${sendPort}
sendsms-interface = 127.0.0.1
log-level = 4

group = sendsms-user
username = bench
password = bench
${more.user ?? 'max-messages = 1'}

group = sms-service
keyword = default
${more.service ?? 'text = ""'}
`
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    if (Date.now() > deadline) throw new Error(`${child.spawnfile} does not listen on port ${port}`)
    await sleep(POLL_MS)
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Kannel waits some seconds for its peers when it stops, and nothing here is worth the wait. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}
