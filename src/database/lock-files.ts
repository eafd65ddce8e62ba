import { execFile } from 'node:child_process'
import { readFile, readlink, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SOCKET_PORT } from './database.ts'

/*
 * A PostgreSQL server has two lock files with the number of its process: postmaster.pid in the data folder, and one
 * beside its socket. Both stay behind when the server is killed. PostgreSQL removes a lock file by itself when no
 * process has the number any more. It refuses to start when the number belongs to another process of the same user:
 * containers start anew with the same small numbers, and a killed server whose parent never looks stays as a zombie.
 *
 * So a lock file is judged by the process that has its number, not by the number.
 */

export async function postmasterPid(dataFolder: string): Promise<number | undefined> {
  return pidIn(await readLock(join(dataFolder, 'postmaster.pid')))
}

/** Whether the server named in postmaster.pid is running. A process that can't be looked at counts as that server. */
export async function isPostmasterAlive(dataFolder: string): Promise<boolean> {
  const pid = await postmasterPid(dataFolder)
  return pid !== undefined && (await isServerOf(dataFolder, pid))
}

/**
 * Removes the lock files that name a living process other than a server of this data folder. A lock file whose process
 * is gone is left to PostgreSQL, which first looks for backends of the dead server that still run.
 */
export async function removeStaleLocks({
  dataFolder,
  socketFolder
}: {
  dataFolder: string
  socketFolder: string
}): Promise<void> {
  const socketLock = join(socketFolder, `.s.PGSQL.${SOCKET_PORT}.lock`)
  for (const path of [join(dataFolder, 'postmaster.pid'), socketLock]) {
    const text = await readLock(path)
    const pid = pidIn(text)
    if (pid !== undefined && isAlive(pid) && !(await isServerOf(dataFolder, pid))) await removeLock(path, text)
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function readLock(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}

function pidIn(text: string): number | undefined {
  const pid = Number.parseInt(text, 10)
  return pid > 0 ? pid : undefined
}

/** Another start may have removed the file, too, and its server have made a new one since: that one is put back. */
async function removeLock(path: string, text: string): Promise<void> {
  const aside = `${path}.stale-${process.pid}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if ((await readLock(aside)) === text) await rm(aside, { force: true })
  else await rename(aside, path)
}

/**
 * A server works in its data folder, and ours were told the folder with -D. In doubt the answer is yes: a lock that may
 * be a living server's is never removed.
 */
async function isServerOf(dataFolder: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false
  const seen = (await lookInProc(pid)) ?? (await askPs(pid))
  if (seen === undefined) return true
  if (!seen.isRunning || !seen.isPostgres) return false
  if (seen.folders.length === 0) return true
  const place = await realpath(dataFolder)
  const folders = await Promise.all(seen.folders.map((folder) => realpath(folder).catch(() => folder)))
  return folders.includes(place)
}

interface Seen {
  /** False for a zombie: it has its number, and nothing else. */
  isRunning: boolean
  isPostgres: boolean
  /** The folder it works in and the one after -D, as far as they are known. */
  folders: string[]
}

async function lookInProc(pid: number): Promise<Seen | undefined> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program is in brackets and may itself contain brackets and spaces.
  const [, program, state] = /^\d+ \((.*)\) (\S)/s.exec(status) ?? []
  if (program === undefined || state === undefined) return undefined
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
  const flag = words.indexOf('-D')
  // Not every root may read where others work: in a container without SYS_PTRACE only the words of the command are
  // left.
  const workFolder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
  return {
    isRunning: !['Z', 'X'].includes(state),
    isPostgres: program === 'postgres',
    folders: [workFolder, flag === -1 ? undefined : words[flag + 1]].filter((folder) => folder !== undefined)
  }
}

/** Where there is no /proc, as on macOS. */
export async function askPs(pid: number): Promise<Seen | undefined> {
  const fields = ['-ww', '-o', 'stat=', '-o', 'args=', '-p', String(pid)]
  const answer = await promisify(execFile)('ps', fields, { timeout: PS_TIMEOUT_MS }).catch(() => undefined)
  return readPs(answer?.stdout ?? '')
}

/** A line of `ps -o stat= -o args=`. */
export function readPs(line: string): Seen | undefined {
  const [, state, command] = /^\s*(\S+)\s+(.*)/.exec(line) ?? []
  if (state === undefined || command === undefined) return undefined
  // The words of the command come with single spaces between them, and a path may have spaces of its own.
  const folder = / -D (.+?)(?= -|$)/.exec(command)?.[1]
  return {
    isRunning: !state.startsWith('Z'),
    isPostgres: /(^|\/)postgres( |$)/.test(command),
    folders: folder === undefined ? [] : [folder]
  }
}

const PS_TIMEOUT_MS = 5_000
