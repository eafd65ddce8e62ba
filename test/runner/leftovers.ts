import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * Processes that a run leaves behind, when it is broken off or when a test is at fault: services, the PostgreSQL servers that
 * these start apart from themselves, browsers. Each is known by the run's folder in its arguments or environment.
 */

/** A server that was stopped is seen for a moment more. */
const GRACE_MS = 1_000
const PATIENCE_MS = 5_000

/** Ends them all and says what they were. Knows of none where there is no /proc. */
export async function endLeftovers(folder: string): Promise<string[]> {
  const ended = new Set<string>()
  const startedAt = Date.now()
  while (Date.now() < startedAt + PATIENCE_MS) {
    const left = await listProcesses(folder)
    if (left.length === 0) break
    if (Date.now() > startedAt + GRACE_MS) {
      for (const { pid, command } of left) {
        ended.add(command)
        // SIGQUIT: PostgreSQL ends its own processes and frees its shared memory.
        kill(pid, command.includes('postgres') ? 'SIGQUIT' : 'SIGKILL')
      }
    }
    await sleep(50)
  }
  return [...ended]
}

async function listProcesses(folder: string): Promise<{ pid: number; command: string }[]> {
  const names = await readdir('/proc').catch(() => [])
  const found = await Promise.all(
    names
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid)
      .map(async (pid) => {
        const [command, environment] = await Promise.all(
          ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => ''))
        )
        return { pid, command: (command ?? '').replaceAll('\0', ' ').trim(), environment }
      })
  )
  // A zombie has neither arguments nor environment.
  return found.filter(({ command, environment }) => `${command} ${environment}`.includes(folder))
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended meanwhile.
  }
}
