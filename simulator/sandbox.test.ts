import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { atEnd } from '../test/cleanup.ts'
import { bindForeign, ERRORS, tryBind, waitForReceipts } from './foreign-client.ts'
import { startSandbox } from './sandbox.ts'

test('the sandbox is a carriers file for a carrier that runs, and the phones behind it', async (t) => {
  const lines: string[] = []
  const sandbox = await startSandbox({ log: (line) => lines.push(line) })
  atEnd(t, () => sandbox.stop())
  const { carriers, routes } = sandbox.carriers
  assert.deepEqual(routes, [{ channel: 'sms', prefix: '', carriers: ['sandbox'] }])
  const [{ port, ...carrier } = {}, ...others] = carriers
  assert.deepEqual(others, [])
  assert.deepEqual(carrier, {
    name: 'sandbox',
    type: 'smpp',
    host: '127.0.0.1',
    systemId: 'sandbox',
    password: 'sandbox',
    sessions: 1,
    window: 500
  })
  const address = { host: '127.0.0.1', port: Number(port) }
  const { answer } = await tryBind(t, address, { systemId: 'sandbox', password: 'guessed' })
  assert.equal(answer.command_status, ERRORS.ESME_RINVPASWD)
  const client = await bindForeign(t, address, { systemId: 'sandbox', password: 'sandbox' })
  await client.submit('33612345678', 'Bonjour')
  await waitForReceipts(client, 1)
  assert.equal(sandbox.phones.inboxOf('+33612345678')[0]?.content, 'Bonjour')
  assert.deepEqual(lines, ['bind_transceiver of sandbox: ESME_RINVPASWD', 'bind_transceiver of sandbox: ESME_ROK'])
  await sandbox.stop()
  await client.closed
})
