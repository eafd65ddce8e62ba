import { strict as assert } from 'node:assert'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { atEnd } from '../test/cleanup.ts'
import { eventually } from '../test/eventually.ts'
import { bindForeign, ERRORS, tryBind, waitForReceipts } from './foreign-client.ts'

interface Simulator {
  child: ChildProcessWithoutNullStreams
  exit: Promise<unknown[]>
  output(): string
}

function start(t: TestContext, parameters: string[]): Simulator {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), '--port', '0', ...parameters])
  const exit = once(child, 'close')
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  atEnd(t, async () => {
    child.kill('SIGKILL')
    await exit
  })
  return { child, exit, output: () => output }
}

async function writeFaults(t: TestContext, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-simulator-'))
  atEnd(t, () => rm(folder, { recursive: true }))
  const file = join(folder, 'faults.txt')
  await writeFile(file, text)
  return file
}

function addressOf({ output }: Simulator): Promise<{ host: string; port: number }> {
  return eventually(() => {
    const [, host = '', port] = /running at smpp:\/\/([\d.]+):(\d+)\n/.exec(output()) ?? []
    assert.ok(port, output())
    return { host, port: Number(port) }
  })
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`the simulator runs alone, says where, takes rules while it runs, and stops on ${signal}`, async (t) => {
    const faults = await writeFaults(t, '# a bad start\nrefuse binds 1 times\n')
    const simulator = start(t, ['--faults', faults])
    const address = await addressOf(simulator)
    assert.match(simulator.output(), /01 {2}undelivered\n/)
    assert.equal((await tryBind(t, address)).answer.command_status, ERRORS.ESME_RBINDFAIL)
    const client = await bindForeign(t, address)
    simulator.child.stdin.write('ids from 4711\nids decimal\nhelp\n')
    await eventually(() =>
      assert.match(simulator.output(), /Line 1, word 2: "decimal" is not understood.*\nbehave\nreset\n/)
    )
    assert.equal((await client.submit('33612345678', 'Bonjour')).message_id, '4711')
    await waitForReceipts(client, 1)
    simulator.child.kill(signal)
    assert.deepEqual(await simulator.exit, [0, null])
    await client.closed
  })
}

test('a fault file with an error stops the start with a sentence', async (t) => {
  const simulator = start(t, ['--faults', await writeFaults(t, 'behave\nbehave well\n')])
  assert.deepEqual(await simulator.exit, [1, null])
  assert.equal(
    simulator.output(),
    `The simulator can't start: Line 2, word 2: "well" is not understood; expected the end of the line.\n`
  )
})
