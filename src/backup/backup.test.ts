import { strict as assert } from 'node:assert'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { mobiles, readMessage, send, untilReady, untilSummary } from '../../test/messages/sending.ts'
import { carriersFile, carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, type TestService, test } from '../../test/service/service.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../database/embedded-server.ts'
import { backUp, restore } from './backup.ts'

/** The disk need not be waited for: no test takes the power away. */
const QUICK = { fsync: 'off', shared_buffers: '32MB', max_wal_size: '256MB' }

async function startServer(t: TestContext, folder: string): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer(folder, { serverSettings: QUICK })
  atEnd(t, () => server.stop())
  return server
}

async function startOn(t: TestContext, server: EmbeddedServer, carriers: string): Promise<TestService> {
  const settings = { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: carriers }
  const service = await startService(t, { databaseUrl: server.url, settings })
  await untilReady(service)
  return service
}

test('a backup that is taken while messages leave is restored with all that was in it, and sends nothing again', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-backup-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  // As root, PostgreSQL runs as another user, who must pass.
  await chmod(folder, 0o711)
  const [data, backup, later] = ['data', 'backup', 'later'].map((name) => join(folder, name)) as [
    string,
    string,
    string
  ]
  const smsc = await startSmsc(t)
  const { path } = await carriersFile(t, [carrierTo(smsc)])
  const server = await startServer(t, data)
  const before = await startOn(t, server, path)
  const delivered = await send(before.operator, { recipients: mobiles(3) })
  await untilSummary(before.operator, delivered, { delivered: 3 })
  // The carrier is full: these wait, and are tried again and again while the files are copied.
  smsc.apply('refuse submits with ESME_RMSGQFUL')
  const phones = mobiles(5, '+336130')
  const waiting = await send(before.operator, { recipients: phones })
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString()
  const scheduled = await send(before.operator, { recipients: mobiles(1, '+336140'), scheduleAt })
  const { rows } = await backUp({ dataFolder: data, to: backup })
  assert.deepEqual([rows.messages, rows.recipients], [3, 9])
  assert.deepEqual((await readdir(backup)).sort(), ['backup.json', 'postgres'])

  // They leave after the backup, and another message is sent that it does not have.
  smsc.apply('behave')
  await untilSummary(before.operator, waiting, { delivered: 5 }, { withinMs: 30_000 })
  const lost = await send(before.operator, { recipients: mobiles(1, '+336150') })
  await untilSummary(before.operator, lost, { delivered: 1 })
  await assert.rejects(backUp({ dataFolder: data, to: backup }), /is there already/)
  await assert.rejects(restore({ from: backup, dataFolder: data, isSending: false }), /has a database already/)
  await assert.rejects(restore({ from: data, dataFolder: later, isSending: false }), /is no backup/)
  await before.stop()
  await server.stop()

  const { held } = await restore({ from: backup, dataFolder: later, isSending: false })
  assert.deepEqual(held, { messages: 1, departures: 0, automations: 0 })
  const after = await startOn(t, await startServer(t, later), path)
  assert.equal((await readMessage(after.operator, delivered)).summary.delivered, 3)
  assert.equal((await readMessage(after.operator, scheduled)).state, 'scheduled')
  await after.operator.expect(404).get(`/messages/${lost}`)
  // What is sent now overtakes whatever would leave by itself.
  const fresh = await send(after.operator, { recipients: mobiles(2, '+336160') })
  await untilSummary(after.operator, fresh, { delivered: 2 })
  const paused = await readMessage(after.operator, waiting)
  assert.deepEqual([paused.summary.waiting, paused.paused_at !== null], [5, true])
  for (const phone of phones) assert.ok(smsc.accepted.has(phone.slice(1)), phone)
  assert.deepEqual(smsc.repeated(), [], 'nobody got a message twice')
})

test('a folder that is a backup of another version is refused, and no data folder is made', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-backup-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'backup.json'), JSON.stringify({ format: 2, takenAt: '', rows: {} }))
  const later = join(folder, 'later')
  await assert.rejects(restore({ from: folder, dataFolder: later, isSending: false }), /of another version/)
  await assert.rejects(readdir(later))
})
