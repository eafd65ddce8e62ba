import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/*
 * The CPU time of processes, from /proc: in hundredths of a second.
 */

export async function cpuSecondsOf(pid: number): Promise<number> {
  return usedBy(pid, OWN)
}

/** All processes of the embedded server in a data folder. */
export async function cpuSecondsOfDatabase(folder: string): Promise<number> {
  const postmaster = Number((await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
  let used = 0
  for (const entry of await readdir('/proc')) {
    if (/^\d+$/.test(entry) && (Number(entry) === postmaster || (await parentOf(entry)) === postmaster)) {
      used += await usedBy(Number(entry), OWN)
    }
  }
  // A process that ended meanwhile is in the figures of its parent.
  return used + (await usedBy(postmaster, CHILDREN))
}

/** Fields after the name of the program, which may hold any character: 13 and 14 are its own time, 15 and 16 its children's. */
const [OWN, CHILDREN] = [13, 15]

async function statOf(pid: number | string): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

async function usedBy(pid: number, first: number): Promise<number> {
  const stat = await statOf(pid)
  return (Number(stat[first - 2] ?? 0) + Number(stat[first - 1] ?? 0)) / 100
}

async function parentOf(pid: string): Promise<number> {
  return Number((await statOf(pid))[1])
}
