import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { mobiles, send, startDelivering, untilSummary } from '../../test/messages/sending.ts'
import { carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { startService, test } from '../../test/service/service.ts'
import { deleteEndedCaptures, upsertCaptured } from '../carriers/captures.store.ts'

interface Bind {
  slot: number
  process: string
  pdus: { direction: string; command: string; status: string; destination: string | null; sm_length: number | null }[]
}

const PATH = '/carriers/main/capture'

test('the PDUs of all binds of a carrier are seen from any process, never a text, a password or a whole number', async (t) => {
  const smsc = await startSmsc(t, { record: true })
  const service = await startDelivering(t, [carrierTo(smsc, { sessions: 2, password: 'hidden7' })])
  const { operator, pool } = service
  await eventually(() => assert.equal(smsc.sessionCount, 2))
  const numbers = mobiles(20)
  const content = 'Nothing of this text is kept'
  await untilSummary(operator, await send(operator, { recipients: numbers, content }), { delivered: 20 })
  assert.deepEqual((await operator.expect(200).get(PATH)).body.binds, [], 'nothing is kept before it is asked for')

  const { operator: elsewhere } = await service.startPeer(t, {
    settings: { CHAPPE_ROLES: 'api', CHAPPE_CARRIERS: service.file.path }
  })
  const { body: begun } = await elsewhere.expect(200).put(PATH, { minutes: 15 })
  assert.equal(Date.parse(begun.ends_at) - Date.parse(begun.began_at), 15 * 60_000)
  const seen = async (): Promise<Bind[]> => (await elsewhere.expect(200).get(PATH)).body.binds
  await eventually(async () => {
    smsc.apply('enquire')
    assert.deepEqual(
      (await seen()).map(({ slot }) => slot),
      [1, 2]
    )
  })
  // Each bind is made again, with its password.
  smsc.apply('reset')
  const isBind = ({ command }: { command: string }) => command === 'bind_transceiver'
  await eventually(async () => {
    const binds = await seen()
    assert.ok(binds.length === 2 && binds.every(({ pdus }) => pdus.some(isBind)))
  })
  await eventually(() => assert.equal(smsc.sessionCount, 2))
  await untilSummary(operator, await send(operator, { recipients: numbers, content }), { delivered: 20 })
  smsc.apply('refuse next 1 submits with ESME_RINVDSTADR')
  await untilSummary(operator, await send(operator, { recipients: [numbers[0]], content }), { failed: 1 })
  const kept = await eventually(async () => {
    const binds = await seen()
    const all = binds.flatMap(({ pdus }) => pdus)
    assert.equal(binds.length, 2)
    const [bind] = binds
    assert.ok(bind && bind.pdus.length <= 100)
    const submits = all.filter(({ command, direction }) => command === 'submit_sm' && direction === 'out')
    assert.equal(submits.length, 21)
    assert.ok(submits.every(({ destination, sm_length: length }) => /^336•+\d\d$/.test(destination ?? '') && length))
    assert.equal(all.filter(({ command }) => command === 'deliver_sm').length, 20)
    assert.ok(all.some(({ command, status }) => command === 'submit_sm_resp' && status === 'ESME_RINVDSTADR'))
    return JSON.stringify([binds, await pool`select * from captured_pdus`])
  })
  for (const secret of [content, 'Nothing', 'hidden7', 'chappe', ...numbers.map((number) => number.slice(1))]) {
    assert.ok(!kept.includes(secret), secret)
  }

  await pool`update carrier_captures set ends_at = now()`
  assert.deepEqual((await elsewhere.expect(200).get(PATH)).body, {
    carrier: 'main',
    began_at: null,
    ends_at: null,
    binds: []
  })
  await eventually(async () => assert.deepEqual(await pool`select from captured_pdus`, []))
  await eventually(async () => assert.deepEqual(await pool`select from carrier_captures`, []))
})

test('a capture is given more time, is ended, leaves nothing behind, and is in the audit trail', async (t) => {
  const { operator, pool } = await startService(t)
  const [{ name }] = (await operator.expect(200).get('/carriers')).body
  const path = `/carriers/${name}/capture`
  const { body: begun } = await operator.expect(200).put(path, { minutes: 5 })
  const { body: longer } = await operator.expect(200).put(path, { minutes: 10 })
  assert.equal(longer.began_at, begun.began_at)
  assert.ok(longer.ends_at > begun.ends_at)
  const row = { carrier: name, slot: 1, owner: '6c9bd1c4-6a4e-4f0e-9a53-0d6f6f1d7a55', pdus: [] }
  await upsertCaptured(pool, row)
  assert.equal((await operator.expect(200).get(path)).body.binds.length, 1)
  // A process that stores while the capture is ended finds it gone, or what it stored goes too.
  const ends = pool.begin(async (database) => {
    await database`delete from carrier_captures`
    const stores = upsertCaptured(pool, { ...row, slot: 2 })
    await eventually(async () => {
      const [{ count }] = await database<[{ count: number }]>`
        select count(*)::integer as count from pg_locks where not granted
      `
      assert.ok(count > 0)
    })
    await database`delete from captured_pdus`
    return { stores }
  })
  await (await ends).stores
  assert.deepEqual(await pool`select from captured_pdus`, [])

  await operator.expect(200).put(path, { minutes: 1 })
  await upsertCaptured(pool, row)
  const { body: ended } = await operator.expect(200).put(path, { minutes: 0 })
  assert.deepEqual([ended.began_at, ended.binds], [null, []])
  assert.deepEqual(await pool`select from captured_pdus`, [])
  await operator.expect(200).put(path, { minutes: 0 })
  // One that ended unseen shows nothing of its PDUs to the next.
  await operator.expect(200).put(path, { minutes: 1 })
  await upsertCaptured(pool, row)
  await pool`update carrier_captures set ends_at = now()`
  assert.deepEqual((await operator.expect(200).put(path, { minutes: 1 })).body.binds, [])
  await upsertCaptured(pool, row)
  await pool`update carrier_captures set ends_at = now()`
  await pool.begin(deleteEndedCaptures)
  assert.deepEqual(await pool`select from captured_pdus`, [])

  const { body: trail } = await operator.expect(200).get('/audit?operation=changeCarrierCapture')
  assert.equal(trail.items.length, 6, 'an end of nothing is no entry')
  assert.deepEqual(trail.items.at(-1).changes[0], {
    field: 'captured_until',
    hidden: false,
    before: null,
    after: begun.ends_at
  })
})

test('only the operator captures, only carriers with binds, and for a quarter of an hour at most', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const carriers: { name: string; sessions: number }[] = (await operator.expect(200).get('/carriers')).body
  const bound = carriers.find(({ sessions }) => sessions > 0)?.name
  const unbound = carriers.find(({ sessions }) => sessions === 0)?.name
  const account = await newAccount()
  await account.expect(403).put(`/carriers/${bound}/capture`, { minutes: 1 })
  await account.expect(403).get(`/carriers/${bound}/capture`)
  await operator.expect(404).put('/carriers/nobody/capture', { minutes: 1 })
  await operator.expect(404).get('/carriers/nobody/capture')
  await operator.expect(409).put(`/carriers/${unbound}/capture`, { minutes: 1 })
  for (const minutes of [16, -1, 1.5, '1', null])
    await operator.expect(400).put(`/carriers/${bound}/capture`, { minutes })
  assert.deepEqual(await pool`select from carrier_captures`, [])
})
