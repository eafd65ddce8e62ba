import { strict as assert } from 'node:assert'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { parseCarriersFile } from '../src/carriers/carriers-file.ts'
import { atEnd } from '../test/service/cleanup.ts'
import { Caller } from './rbm/rbm.samples.ts'
import { describeSandbox, startSandbox } from './sandbox.ts'
import { bindForeign, ERRORS, tryBind, waitForReceipts } from './smpp/foreign-client.ts'

test('the sandbox is a carriers file for carriers that run, and the phones behind them', async (t) => {
  const lines: string[] = []
  const sandbox = await startSandbox({ log: (line) => lines.push(line) })
  atEnd(t, () => sandbox.stop())
  const { carriers, routes } = sandbox.carriers
  assert.deepEqual(routes, [
    { channel: 'sms', prefix: '', carriers: ['sandbox'] },
    { channel: 'rcs', prefix: '', carriers: ['sandbox-rcs'] }
  ])
  const [{ port, ...carrier } = {}, rcs = {}, ...others] = carriers
  assert.deepEqual(others, [])
  assert.deepEqual(carrier, {
    name: 'sandbox',
    type: 'smpp',
    host: '127.0.0.1',
    systemId: 'sandbox',
    password: 'sandbox',
    sessions: 1,
    window: 500,
    numbers: ['36111', '38111']
  })
  const address = { host: '127.0.0.1', port: Number(port) }
  const { answer } = await tryBind(t, address, { systemId: 'sandbox', password: 'guessed' })
  assert.equal(answer.command_status, ERRORS.ESME_RINVPASWD)
  const client = await bindForeign(t, address, { systemId: 'sandbox', password: 'sandbox' })
  await client.submit('33612345678', 'Bonjour')
  await waitForReceipts(client, 1)
  assert.equal(sandbox.phones.inboxOf('+33612345678')[0]?.content, 'Bonjour')
  assert.deepEqual(lines, ['bind_transceiver of sandbox: ESME_RINVPASWD', 'bind_transceiver of sandbox: ESME_ROK'])
  const { serviceAccount, baseUrl, webhookToken, managementUrl, ...rest } = rcs as Record<string, string>
  assert.deepEqual(rest, { name: 'sandbox-rcs', type: 'rbm', agentId: 'sandbox@rbm.goog', brand: 'sandbox' })
  assert.equal(managementUrl, baseUrl)
  assert.match(webhookToken ?? '', /^[0-9a-f]{32}$/)
  const key = JSON.parse(await readFile(serviceAccount ?? '', 'utf8'))
  const caller = new Caller({ url: baseUrl ?? '', agentId: rest.agentId ?? '', serviceAccount: key })
  await caller.renew()
  assert.equal((await caller.send('+33612345678')).status, 200)
  assert.deepEqual(
    sandbox.phones.inboxOf('+33612345678').map(({ channel }) => channel),
    ['rcs', 'sms']
  )
  await sandbox.stop()
  await client.closed
  await assert.rejects(readFile(serviceAccount ?? ''), { code: 'ENOENT' })
})

test('it tells the service what happens to RCS messages, once it knows where that is', async (t) => {
  const sandbox = await startSandbox()
  atEnd(t, () => sandbox.stop())
  assert.equal(await sandbox.setService('http://127.0.0.1:1'), false)
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    asked.push(request.url ?? '')
    response.end(JSON.parse(text).secret)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => server.close())
  assert.equal(await sandbox.setService(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), true)
  assert.deepEqual(asked, ['/carriers/rbm/sandbox-rcs/events'])
})

test('a process that does not deliver knows the same carriers, with nobody behind them', async (t) => {
  const { carriers, stop } = await describeSandbox()
  atEnd(t, stop)
  const file = parseCarriersFile(JSON.stringify(carriers), { path: 'the sandbox', folder: '.' })
  assert.deepEqual(
    file.carriers.map(({ name, kind }) => [name, kind.name]),
    [
      ['sandbox', 'smpp'],
      ['sandbox-rcs', 'rbm']
    ]
  )
  assert.equal(file.carriers[1]?.traits.agentId, 'sandbox@rbm.goog')
  assert.deepEqual(file.routes, carriers.routes)
})
