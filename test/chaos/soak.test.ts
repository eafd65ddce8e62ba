import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

/** CI does not soak for long, but the soak must start, finish and report. */
test('test/chaos/soak.ts starts, finishes and reports on a tiny size', async () => {
  const parameters = [join(import.meta.dirname, 'soak.ts'), '--minutes', '0.1', '--chunk', '20']
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  assert.equal(code, 0, output)
  assert.match(output, /recipients, \d+ by RCS[\s\S]+resident memory, MB +\d+[\s\S]+recipients, MB +\d+/)
})
