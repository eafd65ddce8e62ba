import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { SOCKET_PORT } from '../../src/database/database.ts'
import { openReadReplicas } from '../../src/database/read-replicas.ts'
import { eventually } from '../checks/eventually.ts'
import { createDatabase } from '../database/databases.ts'
import { type Replication, startReplication } from '../database/replication.ts'
import { mobiles, send } from '../messages/sending.ts'
import { startAddress } from '../peers/address.ts'
import { atEnd } from '../service/cleanup.ts'
import { addPerson } from '../service/people.ts'
import { startService, type TestAccount, type TestService, test } from '../service/service.ts'

/*
 * One primary and one standby for all promises: to make them takes longer than most of the tests.
 */

/** Each GET whose answer may be some seconds old. Nothing on this list decides anything. */
const MAY_LAG = [
  '/margins',
  '/accounts/extract',
  '/audit',
  '/audit/extract',
  '/calendar',
  '/alarms',
  '/contacts',
  '/notices',
  '/carriers/history',
  '/carriers/unmatched',
  '/consents/extract',
  '/contactlists/{id}/contacts-extract',
  '/conversations',
  '/messages',
  '/messages/replies',
  '/messages/replies/extract',
  '/messages/{id}/consents',
  '/messages/{id}/opt-outs',
  '/messages/{id}/recipients/rcs',
  '/messages/{id}/recipients/rcs/extract',
  '/messages/{id}/recipients/sms',
  '/messages/{id}/recipients/sms/extract',
  '/messages/{id}/recipients/{recipient_id}/timeline',
  '/messages/{id}/results',
  '/messages/{id}/results/extract',
  '/segments/{id}/count',
  '/stats/compare',
  '/stats/credits/extract',
  '/stats/daily',
  '/stats/messages',
  '/stats/messages/extract',
  '/stats/period',
  '/stops/rates',
  '/subaccount/extract',
  '/subaccount/{id}/credits/history',
  '/users/credits/history',
  '/webhooks/deliveries'
]

/** Each GET that is always answered by the primary. */
const CURRENT = [
  '/carrier-costs',
  '/credit-prices',
  '/accounts',
  '/accounts/{id}',
  '/accounts/{id}/hosts',
  '/accounts/{id}/limits',
  '/accounts/{id}/people',
  '/accounts/{id}/sender-mode',
  '/accounts/{id}/senders/{sender_id}/proof',
  '/agents',
  '/agents/grants',
  '/auth/oidc',
  '/auto-replies',
  '/auto-replies/{id}',
  '/auto-replies/{id}/answers',
  '/automations',
  '/automations/{id}',
  '/automations/{id}/runs',
  '/carriers',
  '/carriers/queue',
  '/carriers/{name}/capture',
  '/consent-keywords',
  '/canned-replies',
  '/canned-replies/{id}',
  '/consents',
  '/consents/by-number/{number}',
  '/consents/keywords',
  '/contactlists',
  '/contactlists/{id}',
  '/contactlists/{id}/contacts',
  '/contactlists/{id}/rcs',
  '/contacts/by-number/{number}',
  '/contacts/{id}',
  '/countries/rules',
  '/credit-requests',
  '/credit-requests/received',
  '/drafts',
  '/drafts/{id}',
  '/events',
  '/events/stream',
  '/keys',
  '/limits',
  '/look',
  '/messages/{id}',
  '/messages/{id}/departure',
  '/messages/{id}/forecast',
  '/messages/{id}/form',
  '/messages/{id}/rcs',
  '/models',
  '/segments',
  '/segments/{id}',
  '/models/rcs',
  '/models/rcs/{id}',
  '/models/{id}',
  '/numbers',
  '/people',
  '/people/invitations',
  '/pictures',
  '/price-lists',
  '/price-lists/accounts',
  '/price-lists/{id}/versions/{version}',
  '/routes',
  '/routes/explain',
  '/sender-lists',
  '/sender-requests',
  '/senders',
  '/senders/check',
  '/senders/{id}',
  '/senders/{id}/proof',
  '/smpp/binds',
  '/smpp/credentials',
  '/smpp/server',
  '/statements',
  '/statements/{month}',
  '/statements/{month}/extract',
  '/stops/all',
  '/stops/operator',
  '/subaccount',
  '/subaccount/paginate',
  '/subaccount/{id}',
  '/subaccount/{id}/credits',
  '/subaccount/{id}/limits',
  '/subaccount/{id}/overview',
  '/subaccount/{id}/people',
  '/subaccount/{id}/sender-mode',
  '/subaccount/{id}/senders/{sender_id}/proof',
  '/subaccount/{id}/user',
  '/trials',
  '/trials/{id}',
  '/users/credits',
  '/users/me',
  '/users/prices',
  '/users/me/accounts',
  '/users/me/second-factor',
  '/users/me/sessions',
  '/webhooks'
]

const LAG_SECONDS = 5

test('read replicas', async (t) => {
  const replication = await startReplication(t, {
    isSynchronous: false,
    // A statement that is in the way of the replay is cancelled at once.
    standbySettings: { max_standby_streaming_delay: '0' }
  })
  const { primary, standby } = replication
  const urlOf = (port: number, name = 'chappe') => `postgres://chappe:hidden-word@127.0.0.1:${port}/${name}`
  const urls = { primary: urlOf(primary.address.port), standby: urlOf(standby.address.port) }
  const other = await otherDatabase(t)
  const service = await startService(t, {
    databaseUrl: urls.primary,
    settings: {
      CHAPPE_READ_URL: `${urls.standby}  ${urlOf(other.port, other.name)}`,
      CHAPPE_READ_LAG_SECONDS: String(LAG_SECONDS)
    }
  })
  const account = await service.newAccount({ credits: 1_000 })
  const world = { replication, service, account, urls }

  await t.test('every GET says whether its answer may be some seconds old', async () => {
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document
    const reads = Object.entries(document.paths).flatMap(([path, { get }]) => (get ? [{ path, ...get }] : []))
    const paths = (mayLag: boolean) => reads.filter((read) => (read['x-may-lag'] ?? false) === mayLag)
    assert.deepEqual(
      paths(true)
        .map(({ path }) => path)
        .sort(),
      MAY_LAG.toSorted()
    )
    assert.deepEqual(
      paths(false)
        .map(({ path }) => path)
        .sort(),
      CURRENT.toSorted()
    )
  })

  await t.test('a replica answers every one of these reads, and a server of another database none', () =>
    answersAll(world)
  )
  await t.test('what the replica has not heard of is read from the primary', () => hasNotHeard(world))
  await t.test('a replica that is behind is left out, which is said once, and comes back by itself', () =>
    isBehind(world)
  )
  await t.test('a statement that a replica cancels, or that it takes with it, is repeated on the primary', (t) =>
    cancels(t, world)
  )
  await t.test('a replica that is silent is left out, and comes back by itself', () => isSilent(world))
  await t.test('a replica that was promoted is left out', async () => {
    await replication.promote()
    await untilSaid(service, /left out.*it was promoted/)
    await account.expect(200).get('/messages')
  })
  assert.ok(!service.logLines.some((line) => line.includes('hidden-word')), 'no password is in the log')
})

interface World {
  replication: Replication
  service: TestService
  account: TestAccount
  urls: { primary: string; standby: string }
}

interface Document {
  paths: Record<string, { get?: { 'x-may-lag'?: boolean } }>
}

async function answersAll({ replication, service, account }: World): Promise<void> {
  const { operator, url } = service
  await untilSaid(service, /left out.*another database/)
  const sub = await account.newSubAccount({ credits: 10 })
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'List' })
  const rules = [{ type: 'list', op: 'in', list_id: list.id }]
  const { body: segment } = await account.expect(200).post('/segments', { name: 'Segment', match: 'all', rules })
  const id = await send(account, { recipients: mobiles(2) })
  const { body: page } = await account.expect(200).get(`/messages/${id}/recipients/sms`)
  const ids: Record<string, string | number> = {
    '/contactlists/{id}/contacts-extract': list.id,
    '/segments/{id}/count': segment.id,
    '/subaccount/{id}/credits/history': sub.id
  }
  await untilReplayed(replication)
  for (const path of MAY_LAG) {
    const asker = path.startsWith('/accounts') || path.startsWith('/carriers') ? operator : account
    const called = path
      .replace('{recipient_id}', String(page.items?.[0]?.recipient_id ?? page.items?.[0]?.id))
      .replace('{id}', String(ids[path] ?? id))
      .replace(/compare$/, `compare?messages=${id}`)
    await eventually(
      async () => {
        const before = await readsOf(url)
        const { status } = await asker.get(called)
        // The message is no RCS. The primary says so too.
        assert.equal(status, path.includes('/rcs') ? 404 : 200, path)
        const after = await readsOf(url)
        assert.ok(after.answered > before.answered, `${path} is read from the replica`)
        assert.equal(after.repeated, before.repeated, `${path} is read from the replica alone`)
      },
      { withinMs: 20_000 }
    )
  }
  const ready = await fetch(`${url}/health/ready`)
  assert.match(await ready.text(), /"replicas":"1 of 2 used"/)
}

async function hasNotHeard({ replication: { standby }, service, account }: World): Promise<void> {
  const person = await addPerson(service, { accountId: account.id, role: 'owner' })
  const countOf = async (asker: Pick<TestAccount, 'expect'>) => (await asker.expect(200).get('/messages')).body
  await eventually(async () => {
    await standby.sql`select pg_wal_replay_resume()`
    await eventually(() => assertUsed(service, 1))
    await standby.sql`select pg_wal_replay_pause()`
    const before = await countOf(account)
    const id = await send(account, { recipients: mobiles(1) })
    const { body } = await account.expect(200).get(`/messages/${id}/recipients/sms`)
    assert.equal(body.meta.totalItems, 1)
    const { text } = await account.expect(200).get(`/messages/${id}/recipients/sms/extract`)
    assert.match(text, /\+33612/)
    assert.deepEqual(await countOf(account), before, 'the replica has not heard of it')
    await person.expect(200).post('/messages/sms', { recipients: mobiles(1), content: 'Bonjour' })
    assert.notDeepEqual(await countOf(person), before, 'who has just sent something sees it')
  })
}

async function isBehind({ replication: { standby }, service, account }: World): Promise<void> {
  await send(account, { recipients: mobiles(1) })
  await untilSaid(service, /left out.*more than 5 s behind/)
  await assertUsed(service, 0)
  const before = await readsOf(service.url)
  await account.expect(200).get('/messages')
  assert.deepEqual(await readsOf(service.url), before)
  // The replay that goes on may cancel the very statement that lets it.
  await eventually(() => standby.sql`select pg_wal_replay_resume()`)
  await eventually(() => assertUsed(service, 1))
  const said = service.logLines.map(lineOf).filter((line) => /left out.*behind/.test(line))
  assert.equal(said.length, 1, said.join(''))
}

async function cancels(t: TestContext, { replication, service, urls }: World): Promise<void> {
  const { primary, standby } = replication
  const results: string[] = []
  const replicas = openReadReplicas({
    primaryUrl: urls.primary,
    urls: [urls.standby],
    lagMaxSeconds: 60,
    applicationName: 'replicas test',
    log: { info: () => undefined, warn: () => undefined } as never,
    onRead: (_, result) => results.push(result)
  })
  atEnd(t, () => replicas.close(0))
  await eventually(async () => {
    await replicas.look()
    assert.ok(replicas.replicas[0]?.isUsable)
  })
  const open = () => {
    const sql = replicas.databaseFor({ topLevelId: 1, personId: null }, service.pool)
    assert.ok(sql)
    return sql
  }
  const sql = open()
  const slow = sql`
    select case when pg_is_in_recovery() then pg_sleep(60) end, pg_is_in_recovery() as is_standby
    from accounts
    limit 1
  `.execute()
  await eventually(async () => {
    const rows = await standby.sql`select from pg_stat_activity where wait_event = 'PgSleep'`
    assert.equal(rows.length, 1)
  })
  await primary.sql.unsafe('begin; lock table accounts in access exclusive mode; commit')
  assert.equal((await slow)[0]?.isStandby, false)
  assert.deepEqual(results, ['repeated'])
  const isStandby = async () => (await sql`select pg_is_in_recovery() as is_standby`)[0]?.isStandby
  assert.equal(await isStandby(), false, 'the rest of that request is read from the primary')

  const cut = open()
  assert.equal((await cut`select pg_is_in_recovery() as is_standby`)[0]?.isStandby, true)
  await standby.address.close()
  assert.equal((await cut`select pg_is_in_recovery() as is_standby`)[0]?.isStandby, false)
  assert.deepEqual(results, ['repeated', 'answered', 'repeated'])
  await standby.address.open()
  await eventually(() => assertUsed(service, 1), { withinMs: 30_000 })
}

async function isSilent({ replication: { standby }, service, account }: World): Promise<void> {
  standby.address.silence()
  const waiting = account.expect(200).get('/messages')
  await untilSaid(service, /left out.*did not answer within 2 s/)
  // This one waits for nobody. The first is answered when its connection is given up.
  await account.expect(200).get('/messages')
  await waiting
  standby.address.hear()
  await eventually(() => assertUsed(service, 1), { withinMs: 30_000 })
}

/** The server that all tests share: a PostgreSQL with a database of Chappe, and no replica of ours. */
async function otherDatabase(t: TestContext): Promise<{ port: number; name: string }> {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const address = await startAddress(t, { path: join(database.url.socketFolder, `.s.PGSQL.${SOCKET_PORT}`) })
  return { port: address.port, name: database.name }
}

async function readsOf(url: string): Promise<{ answered: number; repeated: number }> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const sum = (result: string) =>
    metrics
      .split('\n')
      .filter((line) => line.startsWith('chappe_replica_reads_total{') && line.includes(`result="${result}"`))
      .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)
  return { answered: sum('answered'), repeated: sum('repeated') }
}

async function untilReplayed({ primary, standby }: Replication): Promise<void> {
  const [row] = await primary.sql<[{ lsn: string }]>`select pg_current_wal_flush_lsn()::text as lsn`
  await eventually(async () => {
    const [{ isThere }] = await standby.sql<[{ isThere: boolean }]>`
      select pg_last_wal_replay_lsn() >= ${row.lsn}::pg_lsn as is_there
    `
    assert.ok(isThere)
  })
}

async function untilSaid({ logLines }: TestService, sentence: RegExp): Promise<void> {
  const isSaid = () => logLines.some((line) => sentence.test(lineOf(line)))
  await eventually(() => assert.ok(isSaid(), String(sentence)), { withinMs: 30_000 })
}

/** How many replicas the service reads from. */
async function assertUsed({ url }: TestService, count: number): Promise<void> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.equal(metrics.match(/^chappe_replica_used\{replica="127.0.0.1:\d+"\} 1$/gm)?.length ?? 0, count)
}

/** The message before the reason. */
function lineOf(line: string): string {
  const { msg, reason } = JSON.parse(line)
  return `${msg}: ${reason}`
}
