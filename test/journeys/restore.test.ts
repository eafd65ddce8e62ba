import { strict as assert } from 'node:assert'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { backUp, restore } from '../../src/backup/backup.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/database/embedded-server.ts'
import { eventually } from '../checks/eventually.ts'
import { assertLedgerHolds } from '../checks/ledger.ts'
import { holdTable } from '../database/hold-table.ts'
import { magic, sendRcs, startRcsWorld, tellEvents, untilRcsSummary } from '../messages/rcs.ts'
import { mobiles, readMessage, send, untilReady, untilSummary } from '../messages/sending.ts'
import { startStream } from '../messages/stream.ts'
import { startReceiver } from '../peers/receiver.ts'
import { atEnd } from '../service/cleanup.ts'
import { startService, type TestAccount, type TestService, test } from '../service/service.ts'

/* A backup is taken while everything is sent that a service sends, and restored some time later. */

/** The disk need not be waited for: no test takes the power away. */
const QUICK = { fsync: 'off', shared_buffers: '32MB', max_wal_size: '256MB' }
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()

async function startServer(t: TestContext, folder: string): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer(folder, { serverSettings: QUICK })
  atEnd(t, () => server.stop())
  return server
}

/** What leaves by itself, and later finds whom it is for. Returns the phones that get it. */
async function scheduleAll({ operator }: TestService): Promise<string[]> {
  const newList = async (phones: readonly string[]): Promise<number> => {
    const { id } = (await operator.expect(200).post('/contactlists', { name: 'Clients' })).body
    const contacts = phones.map((tel) => ({ tel }))
    await operator.expect(200).post('/contacts', { contactlist_id: id, contacts })
    return id
  }
  const [toSegment, toAutomation, toTrial] = ['+336141', '+336142', '+336143'].map((prefix) => mobiles(4, prefix))
  const rules = [{ type: 'list', op: 'in', list_id: await newList(toSegment ?? []) }]
  const { id: segment } = (await operator.expect(200).post('/segments', { name: 'All', match: 'all', rules })).body
  const later = { content: 'Bonjour', segments: [segment], scheduleAt: TOMORROW }
  await operator.expect(200).post('/messages/sms/contactlist', later)
  const contactlist = [await newList(toAutomation ?? [])]
  const daily = { name: 'Daily', schedule: '0 10 * * *', contactlist, sms: { content: 'Bonjour' } }
  await operator.expect(200).post('/automations', daily)
  const variants = [{ sms: { content: 'A' } }, { sms: { content: 'B' } }]
  const trial = { name: 'Trial', decide_by: 'hand', share: 100, contactlist: [await newList(toTrial ?? [])] }
  await operator.expect(200).post('/trials', { ...trial, variants, scheduleAt: TOMORROW })
  return [...(toSegment ?? []), ...(toAutomation ?? []), ...(toTrial ?? [])]
}

/** All of it is due in some seconds, and nobody begins it before it is let go. */
async function holdDue({ pool }: TestService): Promise<() => Promise<unknown>> {
  const due = pool`now() + interval '10 seconds'`
  await pool`update departures set due_at = ${due}`
  await pool`update automations set next_at = ${due}`
  await pool`update trials set due_at = ${due}`
  const held = await Promise.all(['departures', 'automations', 'trials'].map((table) => holdTable(pool, table)))
  return () => Promise.all(held.map(({ release }) => release()))
}

const listIds = async ({ pool }: TestService): Promise<Set<number>> =>
  new Set((await pool<{ id: number }[]>`select id from messages`).map(({ id }) => id))

test('a backup under load is restored with all that was in it; what came later is lost, and nothing is sent twice', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-restore-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  // As root, PostgreSQL runs as another user, who must pass.
  await chmod(folder, 0o711)
  const [data, backup, later] = [join(folder, 'data'), join(folder, 'backup'), join(folder, 'later')]
  const world = await startRcsWorld(t, { smscFaults: 'delay answers 20ms' })
  const { smsc, rbm } = world
  const receiver = await startReceiver(t)
  const startOn = async (server: EmbeddedServer): Promise<TestService> => {
    const settings = { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: world.file.path, CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
    const service = await startService(t, { databaseUrl: server.url, settings })
    await untilReady(service)
    await tellEvents(rbm, service)
    return service
  }
  const server = await startServer(t, data)
  const before = await startOn(server)
  const account: TestAccount = before.operator
  await account.expect(200).put('/webhooks', { webhooks: [{ type: 'sms_status', url: receiver.url, batch_size: 10 }] })
  const [reached = '', offline = '', fresh = ''] = [...magic('13'), ...magic('08'), ...magic('14')]
  await untilRcsSummary(account, await sendRcs(account, [reached]), { delivered: 1 })
  const waiting = await sendRcs(account, [offline])
  await untilRcsSummary(account, waiting, { sent: 1 })
  const scheduled = await send(account, { recipients: mobiles(1, '+336144'), scheduleAt: TOMORROW })
  const phones = await scheduleAll(before)
  const stream = startStream([before], account)
  const untilMore = async () => {
    const count = stream.answered().length
    await eventually(
      () => {
        stream.check()
        assert.ok(stream.answered().length >= count + 10)
      },
      { withinMs: 60_000 }
    )
  }
  await untilMore()
  // The carrier is full: what is accepted now waits, and is tried again and again while the files are copied.
  smsc.apply('refuse submits with ESME_RMSGQFUL')
  const letGo = await holdDue(before)
  await untilMore()
  const kept = stream.answered()
  await backUp({ dataFolder: data, to: backup })
  const unsure = stream.answered().length
  assert.deepEqual((await readdir(backup)).sort(), ['backup.json', 'postgres'])

  // All of it leaves after the backup.
  smsc.apply('behave')
  await letGo()
  await untilMore()
  const unsent = async () => {
    const numbers = await before.pool<{ phone: string }[]>`select phone from recipients where message_id = any(${kept})`
    return [...phones, ...numbers.map(({ phone }) => phone)].filter((phone) => !smsc.accepted.has(phone.slice(1)))
  }
  await eventually(async () => assert.deepEqual(await unsent(), []), { withinMs: 60_000, everyMs: 200 })
  const lostRcs = await sendRcs(account, magic('15'))
  await untilRcsSummary(account, lostRcs, { delivered: 1 })
  const ids = await stream.stop()
  await before.stop()
  await server.stop()
  const posted = new Set(receiver.posts.map(({ body }) => body.id))

  const { held } = await restore({ from: backup, dataFolder: later, hold: { isHoldingScheduled: false } })
  assert.ok(held)
  const { messages, departures, automations, trialsFailed } = held
  assert.ok(messages > 1, 'the RCS, and what waited for the carrier')
  assert.deepEqual([departures, automations, trialsFailed], [1, 1, 1])
  const after = await startOn(await startServer(t, later))
  const restored = await listIds(after)
  assert.deepEqual(
    kept.filter((id) => !restored.has(id)),
    [],
    'all that was answered before the backup is there'
  )
  const firstLost = ids.findIndex((id) => !restored.has(id))
  assert.ok(firstLost >= kept.length && firstLost <= unsure, `${kept.length} ${firstLost} ${unsure}`)
  assert.deepEqual(
    ids.slice(firstLost).filter((id) => restored.has(id)),
    [],
    'what was accepted after it is lost'
  )
  await after.operator.expect(404).get(`/messages/${lostRcs}`)
  assert.equal((await readMessage(after.operator, scheduled)).state, 'scheduled')
  assert.ok((await readMessage(after.operator, waiting)).paused_at, 'its SMS may have left')

  // What is sent now overtakes whatever would leave by itself, and has ids that nobody knows.
  const sms = await send(after.operator, { recipients: mobiles(2, '+336145') })
  await untilSummary(after.operator, sms, { delivered: 2 }, { withinMs: 30_000 })
  await untilRcsSummary(after.operator, await sendRcs(after.operator, [fresh]), { delivered: 1 })
  assert.equal(rbm.received.get(fresh)?.length, 1, 'the platform does not take it for a repeat')
  const untilTold = () => {
    const post = receiver.posts.find(({ body }) =>
      body.data.some((record: { message_id: number }) => record.message_id === sms)
    )
    assert.ok(post && !posted.has(post.body.id))
  }
  await eventually(untilTold, { withinMs: 30_000 })
  assert.deepEqual(smsc.repeated(), [], 'nobody got an SMS twice')
  for (const phone of [reached, offline]) assert.equal(rbm.received.get(phone)?.length, 1, phone)
  const bySequence = Map.groupBy(receiver.records(), ({ sequence }) => sequence)
  for (const records of bySequence.values()) {
    assert.equal(
      new Set(records.map((record) => JSON.stringify(record))).size,
      1,
      'an event that comes again is the same'
    )
  }
  await assertLedgerHolds(after.pool)
  t.diagnostic(`${ids.length} sends, ${ids.length - firstLost} lost, held: ${JSON.stringify(held)}`)
})
