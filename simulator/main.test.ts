import { strict as assert } from 'node:assert'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../test/checks/eventually.ts'
import { atEnd } from '../test/service/cleanup.ts'
import { Caller } from './rbm/rbm.samples.ts'
import { bindForeign, ERRORS, tryBind, waitForReceipts } from './smpp/foreign-client.ts'

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

test('the simulator runs an RBM platform too, for which rules begin with rcs', async (t) => {
  const received: string[] = []
  const url = await startListener(t, received)
  const faults = await writeFaults(t, 'refuse binds 1 times\nrcs refuse next 1 messages with 503\n')
  const simulator = start(t, ['--faults', faults, '--rbm-token', 'token', '--webhook', url])
  const address = await addressOf(simulator)
  const { serviceAccount, ...carrier } = JSON.parse(/rcs carrier (.*)\n/.exec(simulator.output())?.[1] ?? '')
  const { baseUrl, agentId } = carrier
  assert.deepEqual(carrier, { name: 'rcs', type: 'rbm', agentId, baseUrl, webhookToken: 'token' })
  const caller = new Caller({
    url: baseUrl,
    agentId,
    serviceAccount: JSON.parse(await readFile(serviceAccount, 'utf8'))
  })
  await caller.renew()
  assert.deepEqual(await caller.sendMany('+33612345678', 2), [503, 200])
  assert.equal((await tryBind(t, address)).answer.command_status, ERRORS.ESME_RBINDFAIL)
  await eventually(() => assert.deepEqual(received, ['a challenge', 'DELIVERED']))
  simulator.child.stdin.write('rcs refuse messages with 429\nrcs be nice\nhelp\n')
  await eventually(() => assert.match(simulator.output(), /Line 1, word 2: "be" is not understood.*\nbehave\n/))
  assert.match(simulator.output(), /\nrcs refuse messages with <http>\n/)
  assert.deepEqual(await caller.sendMany('+33612345678', 1), [429])
  simulator.child.stdin.write('behave\n')
  await eventually(async () => assert.equal((await caller.send('+33612345678')).status, 200))
  simulator.child.kill('SIGTERM')
  assert.deepEqual(await simulator.exit, [0, null])
  await assert.rejects(readFile(serviceAccount), { code: 'ENOENT' })
})

/** Answers challenges, and keeps what kind of events came. */
async function startListener(t: TestContext, received: string[]): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { secret, message } = JSON.parse(text)
    received.push(secret ? 'a challenge' : message.attributes.event_type)
    response.end(secret)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a key can be put where it is asked for, and a webhook may come later', async (t) => {
  const faults = await writeFaults(t, '')
  const key = `${faults}.json`
  const simulator = start(t, ['--rbm-key', key, '--webhook', 'http://127.0.0.1:1/'])
  await addressOf(simulator)
  assert.equal(JSON.parse(await readFile(key, 'utf8')).type, 'service_account')
  await eventually(() => assert.match(simulator.output(), /events wait until http:\/\/127.0.0.1:1\/ answers/))
  simulator.child.kill('SIGTERM')
  assert.deepEqual(await simulator.exit, [0, null])
})

test('a rule for RCS with an error stops the start too', async (t) => {
  const simulator = start(t, ['--faults', await writeFaults(t, 'behave\nrcs behave well\n')])
  assert.deepEqual(await simulator.exit, [1, null])
  assert.match(
    simulator.output(),
    /can't start: Line 2, word 3: "well" is not understood; expected the end of the line/
  )
})
