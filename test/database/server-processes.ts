import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { eventually } from '../checks/eventually.ts'
import { isAlive, postmasterPid } from '../processes/process.ts'

/** SIGKILL, to the PostgreSQL in a folder and to every process of it. */
export async function killServer(folder: string): Promise<void> {
  const pids = await signalServer(folder, 'SIGKILL')
  await eventually(() => assert.deepEqual(pids.filter(isAlive), []))
}

/** Sends a signal to the PostgreSQL in a folder and to every process of it. Returns their ids. */
export async function signalServer(folder: string, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<number[]> {
  const pid = await postmasterPid(folder)
  if (pid === undefined || !isAlive(pid)) return []
  const pids = [pid, ...(await childrenOf(pid))]
  for (const each of pids) if (isAlive(each)) process.kill(each, signal)
  return pids
}

async function childrenOf(pid: number): Promise<number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => undefined)
  if (listed !== undefined) return listed.trim().split(' ').filter(Boolean).map(Number)
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child)
}
