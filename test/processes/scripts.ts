import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { SURROUNDINGS } from './process.ts'

/** The exit code of a script and all that it said. */
interface Ended {
  code: number | null
  output: string
}

/** Runs one of `scripts/` as an operator does, with these settings. */
export async function runScript(name: string, settings: Record<string, string>, ...args: string[]): Promise<Ended> {
  return startScript(name, settings, ...args).ended
}

/** The same for a script that gets a signal while it runs. */
export function startScript(
  name: string,
  settings: Record<string, string>,
  ...args: string[]
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../scripts', name), ...args], {
    env: { ...SURROUNDINGS, ...settings },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, output })))
  return { child, ended }
}
