import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { SURROUNDINGS } from './process.ts'

/** Runs one of `scripts/` as an operator does, with these settings. Returns its exit code and all that it said. */
export async function runScript(
  name: string,
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
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
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}
