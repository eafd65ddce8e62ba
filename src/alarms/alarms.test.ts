import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { fillDisk, makeSmallDisk, type SmallDisk } from '../../test/database/small-disk.ts'
import { magic } from '../../test/messages/rcs.ts'
import { send, startDelivering, untilSummary } from '../../test/messages/sending.ts'
import { startReceiver } from '../../test/peers/receiver.ts'
import { carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { readCarriersFile } from '../carriers/carriers-file.ts'
import { RoutingTable } from '../carriers/routing-table.ts'
import { ENDED_CERTIFICATE, TEST_CERTIFICATE, TEST_KEY } from '../carriers/smpp/certificate.samples.ts'
import { writeMail } from '../mail/kinds.ts'
import { endForgotten, endUnseen, keepTroubles } from './alarms.store.ts'
import { mailAlarms } from './mail-alarms.ts'
import { raiseAlarms } from './raise-alarms.ts'
import { createMachineWatches, createWatches, type WatchSettings } from './watches.ts'

const log = pino({ level: 'silent' })

/** A way to look for the troubles of a service. */
function watch(service: TestService, { carriers, settings: own }: { carriers: string; settings: WatchSettings }) {
  const routing = new RoutingTable(readCarriersFile(carriers))
  return (settings: Partial<WatchSettings> = {}) => {
    const parts = { routing, suspended: { ids: () => [] }, settings: { ...own, ...settings } }
    const watches = [...createWatches(parts), ...createMachineWatches(parts)]
    return raiseAlarms({ pool: service.pool, watches, tell: mailAlarms, log })
  }
}

/** Nothing is beyond these. */
const CALM: WatchSettings = {
  queueSeconds: 3_600,
  diskPercent: 0,
  databaseFolder: undefined,
  databaseGigabytes: 1_000,
  expiryDays: 14,
  certificateFiles: []
}

/** A service whose only carrier is a port that nobody listens on. */
async function startWatched(t: TestContext, settings: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-alarms-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const [carriers, certificate] = [join(folder, 'carriers.json'), join(folder, 'cert.pem')]
  await writeFile(certificate, TEST_CERTIFICATE)
  await writeFile(join(folder, 'ca.pem'), TEST_CERTIFICATE)
  const tls = { ca: 'ca.pem' }
  const main = { name: 'main', type: 'smpp', host: '127.0.0.1', port: 1, tls, systemId: 'x', password: 'y' }
  await writeFile(
    carriers,
    JSON.stringify({ carriers: [main], routes: [{ channel: 'sms', prefix: '', carriers: ['main'] }] })
  )
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: carriers, ...settings } })
  const calm = { ...CALM, databaseFolder: folder, certificateFiles: [certificate] }
  const look = (given?: Partial<WatchSettings>) => watch(service, { carriers, settings: calm })(given)
  /** As if everything that is wrong had begun earlier. */
  const later = () => service.pool`update alarms set since = since - interval '5 minutes'`
  return { service, look, later, folder, certificate, carriers }
}

/** What was told of each kind: the events, the mails and the notices of an account. */
async function toldOf({ pool }: TestService, account: TestAccount): Promise<Record<string, string>> {
  const mails = await pool<{ facts: Record<string, string> }[]>`
    select facts from mails where recipient = ${account.email} and kind = 'alarm'
  `
  const notices: Record<string, string>[] = (await account.expect(200).get('/notices?limit=100')).body.items
  const events = await eventually(async () => {
    const { items } = (await account.expect(200).get('/events?types=alarms&limit=100')).body
    assert.equal(items.length, mails.length)
    return items as { data: Record<string, string> }[]
  })
  const kinds = new Set(mails.map(({ facts }) => facts.kind ?? ''))
  const count = (list: readonly unknown[]) => `${list.length}`
  return Object.fromEntries(
    [...kinds].map((kind) => {
      const of = (state: string) => [
        events.filter(({ data }) => data.kind === kind && data.state === state),
        mails.filter(({ facts }) => facts.kind === kind && facts.state === state)
      ]
      const noticed = notices.filter(({ subject }) => subject === kind)
      return [kind, [...of('raised'), noticed, ...of('over')].map(count).join(' ')]
    })
  )
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

test('a queue, a disk, the database and certificates raise alarms, each told once by event, mail and notice', async (t) => {
  const { service, look, later, folder, certificate } = await startWatched(t)
  const { operator } = service
  await operator.expect(200).get('/events')
  await send(operator, { recipients: ['+33639980001'] })
  const disk = await makeSmallDisk(t, 4)
  const low = { queueSeconds: 0, databaseGigabytes: 0.001, expiryDays: 1_000_000, ...(await lowDisk(t, disk)) }
  for (const _ of [1, 2]) {
    await look(low)
    await later()
  }
  await look(low)
  const open = await alarmsOf(operator, '?open=true')
  const named = open.map(({ kind, name, bound }) => [kind, name, bound])
  assert.deepEqual(
    named.sort(([a, b], [c, d]) => `${a}${b}`.localeCompare(`${c}${d}`)),
    [
      ['carrier_down', 'main', null],
      ['certificate_expires', certificate, 1_000_000],
      ['certificate_expires', 'ca.pem (main)', 1_000_000],
      ['database_large', 'database', 0.001],
      ['disk_low', low.databaseFolder ?? folder, low.diskPercent],
      ['queue_old', 'transactional', 0]
    ]
  )
  for (const { kind, value } of open)
    assert.ok(kind === 'carrier_down' ? value === null : typeof value === 'number', `${kind}`)
  await low.free()
  await look({ databaseFolder: low.databaseFolder, diskPercent: disk ? low.diskPercent : 0 })
  assert.deepEqual(await kindsOf(operator), ['carrier_down'])
  // Raised by event, mail and notice, and over by event and mail.
  assert.deepEqual(await toldOf(service, operator), {
    carrier_down: '1 1 1 0 0',
    certificate_expires: '2 2 2 2 2',
    database_large: '1 1 1 1 1',
    disk_low: '1 1 1 1 1',
    queue_old: '1 1 1 1 1'
  })

  // What can't be looked at is not over.
  await look({ expiryDays: 1_000_000 })
  await rm(certificate)
  await look()
  const left = (await alarmsOf(operator, '?open=true')).map(({ kind, name }) => [kind, name])
  assert.deepEqual(left.sort(), [
    ['carrier_down', 'main'],
    ['certificate_expires', certificate]
  ])
})

/** A disk that is filled, or a bound that no disk meets where there is none of our own. */
async function lowDisk(t: TestContext, disk: SmallDisk | undefined) {
  t.diagnostic(disk ? `a real disk, ${disk.kind}` : 'no disk of our own here: a bound that every disk is below')
  if (!disk) return { databaseFolder: undefined, diskPercent: 101, free: async () => undefined }
  const [program = '', ...parameters] = disk.command(['sleep', '600'])
  const holder = spawn(program, parameters, { stdio: 'ignore' })
  atEnd(t, () => void holder.kill('SIGKILL'))
  const databaseFolder = disk.folderSeenBy(holder.pid ?? 0)
  const free = await eventually(async () => {
    const { type } = await statfs(databaseFolder)
    assert.equal(type, TMPFS, 'it is mounted')
    return fillDisk(databaseFolder)
  })
  return { databaseFolder, diskPercent: 10, free }
}

const TMPFS = 0x01021994

test('a webhook whose receiver is gone is told to its account, and to no other', async (t) => {
  const settings = { CHAPPE_ROLES: 'api,webhooks', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  const { service, look } = await startWatched(t, settings)
  const { pool, operator } = service
  const [account, stranger] = [await service.newAccount(), await service.newAccount()]
  const { url } = await startReceiver(t, () => 410)
  await account.expect(200).get('/events')
  await account.expect(200).put('/webhooks', { webhooks: [{ type: 'stops', url }] })
  await account.expect(200).post('/stops', { recipient: '+33639980001' })
  await eventually(async () => {
    await look()
    const told = (await alarmsOf(account)).map(({ kind, name, value }) => [kind, name, value])
    assert.deepEqual(told, [['webhook_disabled', url, null]])
  })
  assert.deepEqual([await alarmsOf(stranger), await alarmsOf(operator)], [[], []])

  assert.deepEqual(await toldOf(service, account), { webhook_disabled: '1 1 1 0 0' })

  // However many there are: none is over before it is.
  const added = await pool`
    insert into webhooks (account_id, id, type, url, method, batch_size, is_active, disabled_reason)
    select account_id, nextval('webhook_ids'), 'replies', 'https://hooks.example/' || number, method, 1, false, 'gone'
    from webhooks, generate_series(1, 101) as number
    where account_id = ${account.id}
  `
  await look()
  await look()
  const counts = async () => {
    const [row] = await pool`select count(*) filter (where over_at is null) as open, count(over_at) as over from alarms
      where kind = 'webhook_disabled'`
    return row
  }
  assert.deepEqual(await counts(), { open: added.count + 1, over: 0 })
  const seen = { kinds: ['webhook_disabled'], scope: { prefix: '' }, troubles: [] } as const
  await pool`update alarms set seen_at = now() - interval '2 hours'`
  assert.deepEqual(await endUnseen(pool, { ...seen, isWhole: false }), [], 'a look that saw only some ends nothing')
  await endForgotten(pool)
  assert.deepEqual(await counts(), { open: added.count + 1, over: 0 })
  await pool`delete from webhooks where url like 'https://hooks.example/%'`
  await account.expect(200).put('/webhooks', { webhooks: [{ type: 'stops', url }] })
  await look()
  assert.deepEqual(await counts(), { open: 0, over: added.count + 1 })
})

test('a key that ends is told until it is replaced; at its end it is not over', async (t) => {
  const { service, look } = await startWatched(t)
  const { pool } = service
  const account = await service.newAccount()
  await account.expect(200).get('/events')
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const newKey = async (name: string, days: number) =>
    (await account.expect(200).post('/keys', { name, scopes: ['read'], expires_at: inDays(days) })).body
  const [soon, dying] = [await newKey('soon', 5), await newKey('dying', 3)]
  await newKey('unused', 5)
  // Each is used.
  for (const { apikey } of [soon, dying, await newKey('later', 60)]) {
    await service.anonymous.as({ 'x-api-key': apikey }).expect(200).get('/users/credits')
  }
  await eventually(
    async () => {
      await look()
      const told = (await alarmsOf(account)).map(({ kind, name, value }) => [kind, name, value])
      assert.deepEqual(told.sort(), [
        ['key_expires', 'dying', 2],
        ['key_expires', 'soon', 4]
      ])
    },
    { withinMs: 40_000 }
  )

  await pool`update api_keys set expires_at = now() - interval '1 minute' where id = ${dying.id}`
  await account.expect(200).post(`/keys/${soon.id}/rotate`, {})
  await look()
  const [open, ...others] = await alarmsOf(account, '?open=true')
  assert.deepEqual([open?.name, open?.value, others], ['dying', -1, []])
  assert.deepEqual(await toldOf(service, account), { key_expires: '2 2 2 1 1' })
  const facts = { company: 'X', state: 'raised', kind: 'key_expires', name: 'dying', bound: '14' }
  const sentences = (['en', 'fr'] as const).map((language) =>
    ['-1', '0', '1', '2'].map((value) => writeMail('alarm', language, { ...facts, value })?.text.split('\n')[0])
  )
  assert.deepEqual(sentences, [
    ['has ended', 'ends within a day', 'ends in 1 day', 'ends in 2 days'].map((end) => `The API key dying ${end}.`),
    ['a expiré', 'expire sous 24 heures', 'expire dans 1 jour', 'expire dans 2 jours'].map(
      (end) => `La clé d’API dying ${end}.`
    )
  ])
  await account.expect(200).delete(`/keys/${dying.id}`)
  await look()
  assert.deepEqual(await kindsOf(account), [])
})

test('processes look by themselves: one with the role api at everything, each of the others at its certificates', async (t) => {
  const { service, folder, carriers } = await startWatched(t)
  const { operator } = service
  const [key, ended] = [join(folder, 'key.pem'), join(folder, 'ended.pem')]
  await writeFile(key, TEST_KEY)
  await writeFile(ended, ENDED_CERTIFICATE)
  const settings = { CHAPPE_ALARMS: 'true', CHAPPE_CARRIERS: carriers }
  const tls = { CHAPPE_SMPP_TLS_PORT: '0', CHAPPE_SMPP_TLS_KEY: key, CHAPPE_SMPP_TLS_CERT: ended }
  await service.startPeer(t, { settings: { ...settings, ...tls, CHAPPE_ROLES: 'smpp' } })
  await eventually(
    async () => {
      const told = (await alarmsOf(operator)).map(({ kind, name }) => [kind, name])
      assert.deepEqual(told, [['certificate_expires', ended]])
    },
    { withinMs: 60_000 }
  )
  await service.startPeer(t, { settings })
  const seesCarrier = async () =>
    assert.equal((await service.pool`select from alarms where subject = 'main'`).length, 1)
  await eventually(seesCarrier, { withinMs: 60_000 })
  assert.deepEqual(await kindsOf(operator), ['certificate_expires'], 'another process on the machine does not end it')
})

test('deliveries far below those of the past week raise an alarm for their carrier and country', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const look = watch(service, { carriers: service.file.path, settings: CALM })
  const { pool, operator } = service
  await operator.expect(200).get('/events')
  for (const country of ['FR', 'BE', 'DE']) {
    await pool`
      insert into carrier_figures (span, begins_at, carrier, country, delivered, undelivered)
      values ('hour', now() - interval '1 day', 'main', ${country}, 950, 50)
    `
  }
  // In the last hour, by receipts: of France few are delivered, of Belgium all, of Germany too few to tell.
  const [delivered, undelivered] = [magic('13', 30), magic('01', 30)]
  const belgium = Array.from({ length: 55 }, (_, index) => `+3247012${String(index).padStart(4, '0')}`)
  const recipients = [...delivered, ...undelivered, ...belgium, '+4915112345678']
  const id = await send(operator, { recipients })
  await untilSummary(operator, id, { delivered: 86, failed: 30 }, { withinMs: 30_000 })
  const [alarm, ...others] = await eventually(
    async () => {
      await look()
      const alarms = await alarmsOf(operator)
      assert.notEqual(alarms.length, 0)
      return alarms
    },
    { withinMs: 40_000 }
  )
  assert.deepEqual([others, alarm?.kind, alarm?.name], [[], 'delivery_rate_low', 'main FR'])
  assert.deepEqual([alarm?.value, alarm?.bound], [50, 95])
  // An hour later, France is reached again.
  await pool`update carrier_figures set begins_at = begins_at - interval '70 minutes' where span = 'five'`
  await look()
  assert.deepEqual(await kindsOf(operator), [])
  assert.deepEqual(await toldOf(service, operator), { delivery_rate_low: '1 1 1 1 1' })
})
