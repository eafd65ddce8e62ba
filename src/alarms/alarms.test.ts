import { strict as assert } from 'node:assert'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { send } from '../../test/messages/sending.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { readCarriersFile } from '../carriers/carriers-file.ts'
import { RoutingTable } from '../carriers/routing-table.ts'
import { TEST_CERTIFICATE } from '../carriers/smpp/certificate.samples.ts'
import { writeMail } from '../mail/kinds.ts'
import { keepTroubles } from './alarms.store.ts'
import { mailAlarms } from './mail-alarms.ts'
import { raiseAlarms } from './raise-alarms.ts'
import { createWatches, type WatchSettings } from './watches.ts'

const log = pino({ level: 'silent' })

/** A service whose only carrier is a port that nobody listens on, and a way to look for its troubles. */
async function startWatched(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-alarms-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const [carriers, certificate] = [join(folder, 'carriers.json'), join(folder, 'cert.pem')]
  await writeFile(certificate, TEST_CERTIFICATE)
  const main = { name: 'main', type: 'smpp', host: '127.0.0.1', port: 1, systemId: 'x', password: 'y' }
  await writeFile(
    carriers,
    JSON.stringify({ carriers: [main], routes: [{ channel: 'sms', prefix: '', carriers: ['main'] }] })
  )
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: carriers } })
  const routing = new RoutingTable(readCarriersFile(carriers))
  const calm: WatchSettings = {
    queueSeconds: 3_600,
    diskPercent: 0,
    databaseFolder: folder,
    databaseGigabytes: 1_000,
    expiryDays: 14,
    certificateFiles: [certificate]
  }
  const look = (settings: Partial<WatchSettings> = {}) => {
    const watches = createWatches({ routing, suspended: { ids: () => [] }, settings: { ...calm, ...settings } })
    return raiseAlarms({ pool: service.pool, watches, tell: mailAlarms, log })
  }
  /** As if everything that is wrong had begun earlier. */
  const later = () => service.pool`update alarms set since = since - interval '5 minutes'`
  return { service, look, later, folder, certificate }
}

const alarmsOf = async (account: TestAccount, query = ''): Promise<Record<string, unknown>[]> =>
  (await account.expect(200).get(`/alarms${query}`)).body.items

const kindsOf = async (account: TestAccount, query = '?open=true') =>
  (await alarmsOf(account, query)).map(({ kind }) => kind).sort()

async function mailsTo({ pool }: TestService, { email }: TestAccount): Promise<(string | undefined)[]> {
  const mails = await pool<{ kind: string; facts: Record<string, string> }[]>`
    select kind, facts from mails where recipient = ${email} order by facts ->> 'state' desc
  `
  return mails.map(({ kind, facts }) => writeMail(kind, 'en', facts)?.subject)
}

test('a carrier that stays down is told once by page, event and mail, and once when it is over', async (t) => {
  const { service, look, later } = await startWatched(t)
  const { operator } = service
  await operator.expect(200).get('/events')
  await look()
  assert.deepEqual(await alarmsOf(operator), [], 'a moment is no alarm')
  await later()
  await Promise.all([look(), look()])
  await look()
  const [alarm, ...others] = await alarmsOf(operator)
  assert.deepEqual(others, [])
  assert.deepEqual([alarm?.kind, alarm?.name, alarm?.over_at], ['carrier_down', 'main', null])
  assert.deepEqual(await alarmsOf(operator, '?open=false'), [])

  // Who pauses a carrier knows that it does not send.
  await operator.expect(200).put('/carriers/main/sending', { sending: 'paused' })
  await look()
  await look()
  assert.deepEqual(await alarmsOf(operator, '?open=true'), [])
  const [over] = await alarmsOf(operator, '?open=false')
  assert.equal(over?.id, alarm?.id)
  assert.ok(over?.over_at)
  await eventually(async () => {
    const { items } = (await operator.expect(200).get('/events?types=alarms')).body
    const told = items.map(({ data }: { data: Record<string, unknown> }) => [data.alarm_id, data.state, data.kind])
    assert.deepEqual(told, [
      [alarm?.id, 'raised', 'carrier_down'],
      [alarm?.id, 'over', 'carrier_down']
    ])
  })
  assert.deepEqual(await mailsTo(service, operator), [
    'operator@test.example: Nothing can be sent through the carrier main. (Chappe)',
    'operator@test.example: over: Nothing can be sent through the carrier main. (Chappe)'
  ])

  const notices: Record<string, unknown>[] = (await operator.expect(200).get('/notices')).body.items
  assert.deepEqual(
    notices.map(({ kind, subject, name }) => [kind, subject, name]),
    [['alarm', 'carrier_down', 'main']]
  )

  // It happens again, and is another alarm.
  await operator.expect(200).put('/carriers/main/sending', { sending: 'on' })
  await look()
  await later()
  await look()
  assert.notEqual((await alarmsOf(operator, '?open=true'))[0]?.id, alarm?.id)
})

test('what was wrong before all processes were away begins anew, and what nobody looks at is over', async (t) => {
  const { service, look, later } = await startWatched(t)
  const { operator, pool } = service
  await look()
  await later()
  await pool`update alarms set seen_at = now() - interval '2 minutes'`
  await look()
  assert.deepEqual(await alarmsOf(operator), [], 'a start, before carriers are bound')
  await later()
  await look()
  assert.deepEqual(await kindsOf(operator), ['carrier_down'])
  await pool`update alarms set seen_at = now() - interval '2 minutes', since = now()`
  await look()
  assert.deepEqual(await kindsOf(operator), ['carrier_down'], 'what is raised lasts')

  const of = { accountId: operator.id, kind: 'disk_low', value: 1, bound: 5 } as const
  await keepTroubles(pool, [
    { ...of, subject: 'raised', name: 'raised' },
    { ...of, subject: 'new', name: 'new' }
  ])
  await pool`update alarms set raised_at = now() where subject = 'raised'`
  await pool`update alarms set seen_at = now() - interval '2 hours' where kind = 'disk_low'`
  await look()
  const disks = (await alarmsOf(operator)).filter(({ kind }) => kind === 'disk_low')
  assert.deepEqual(
    disks.map(({ name, over_at: overAt }) => [name, overAt !== null]),
    [['raised', true]]
  )
})

test('a queue, a disk, the database and a certificate raise alarms at their bounds', async (t) => {
  const { service, look, later, folder, certificate } = await startWatched(t)
  const { operator } = service
  await send(operator, { recipients: ['+33639980001'] })
  const low = { queueSeconds: 0, diskPercent: 101, databaseGigabytes: 0.001, expiryDays: 1_000_000 }
  await look(low)
  await later()
  await look(low)
  const open = await alarmsOf(operator, '?open=true')
  const named = Object.fromEntries(open.map(({ kind, name, bound }) => [kind, [name, bound]]))
  assert.deepEqual(named, {
    carrier_down: ['main', null],
    queue_old: ['transactional', 0],
    disk_low: [folder, 101],
    database_large: ['database', 0.001],
    certificate_expires: [certificate, 1_000_000]
  })
  for (const { kind, value } of open)
    assert.ok(kind === 'carrier_down' ? value === null : typeof value === 'number', `${kind}`)
  await look()
  assert.deepEqual(await kindsOf(operator), ['carrier_down'])

  // What can't be looked at is not over.
  await look(low)
  await later()
  await look(low)
  await look({ ...low, certificateFiles: [join(folder, 'gone.pem')] })
  assert.ok((await kindsOf(operator)).includes('certificate_expires'))
})

test('disabled webhooks and keys that end are told to their account, and to no other', async (t) => {
  const { service, look } = await startWatched(t)
  const { pool, operator } = service
  const [account, stranger] = [await service.newAccount(), await service.newAccount()]
  const url = 'https://hooks.example/gone'
  await account.expect(200).put('/webhooks', { webhooks: [{ type: 'stops', url }] })
  await pool`
    update webhooks set is_active = false, disabled_reason = 'The receiver answered 410 Gone.'
    where account_id = ${account.id}
  `
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const newKey = async (name: string, days: number) =>
    (await account.expect(200).post('/keys', { name, scopes: ['read'], expires_at: inDays(days) })).body.id
  const ids = [await newKey('soon', 5), await newKey('later', 60)]
  await pool`update api_keys set last_used_at = now() where id in ${pool(ids)}`
  await newKey('unused', 5)
  await look()
  const told = (await alarmsOf(account)).map(({ kind, name, value }) => [kind, name, value])
  assert.deepEqual(told.sort(), [
    ['key_expires', 'soon', 4],
    ['webhook_disabled', url, null]
  ])
  assert.deepEqual([await alarmsOf(stranger), await alarmsOf(operator)], [[], []])
  await pool`update webhooks set is_active = true, disabled_reason = null where account_id = ${account.id}`
  await look()
  assert.deepEqual(await kindsOf(account), ['key_expires'])

  // A process looks by itself.
  await service.startPeer(t, { settings: { CHAPPE_ALARMS: 'true' } })
  await pool`update webhooks set is_active = false, disabled_reason = 'gone' where account_id = ${account.id}`
  await eventually(async () => assert.deepEqual(await kindsOf(account), ['key_expires', 'webhook_disabled']), {
    withinMs: 60_000
  })
})

test('deliveries far below those of the past week raise an alarm for their carrier and country', async (t) => {
  const { service, look } = await startWatched(t)
  const { pool, operator } = service
  const add = (span: string, country: string, [delivered, undelivered]: [number, number]) => pool`
    insert into carrier_figures (span, begins_at, carrier, country, delivered, undelivered)
    values (
      ${span}, now() - ${span === 'five' ? '10 minutes' : '1 day'}::interval, 'main', ${country}, ${delivered},
      ${undelivered}
    )
  `
  for (const country of ['FR', 'BE', 'DE']) await add('hour', country, [950, 50])
  await add('five', 'FR', [60, 40])
  await add('five', 'BE', [90, 10])
  // Too few to tell.
  await add('five', 'DE', [3, 7])
  await look()
  const [alarm, ...others] = await alarmsOf(operator)
  assert.deepEqual([others, alarm?.kind, alarm?.name], [[], 'delivery_rate_low', 'main FR'])
  assert.deepEqual([alarm?.value, alarm?.bound], [60, 95])
  await add('day', 'FR', [0, 0])
  await pool`update carrier_figures set delivered = 94, undelivered = 6 where span = 'five' and country = 'FR'`
  await look()
  assert.deepEqual(await kindsOf(operator), [])
})
