import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { connect, type Pool } from '../../src/database/database.ts'
import { migrate, readMigrations } from '../../src/database/migrate.ts'
import { PLACES } from '../../src/database/places.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { createBareDatabase } from '../database/databases.ts'
import { FALLBACK, magic, startRcsWorld, tellEvents } from '../messages/rcs.ts'
import { decideDoubts, mobiles, untilReady } from '../messages/sending.ts'
import { PER_SEND, startStream } from '../messages/stream.ts'
import { startReceiver } from '../peers/receiver.ts'
import { startNode } from '../processes/nodes.ts'
import { atEnd } from '../service/cleanup.ts'
import { OPERATOR, startService, test } from '../service/service.ts'
import RELEASE_BEFORE from './release-before.json' with { type: 'json' }

/*
 * Two releases at work on one database, under load: an upgrade, and the way back. The release before is the commit that
 * release-before.json names: after a release, name that one. A shallow clone or an archive does not have it, and skips that
 * test. So a second test has this release as the one before: the database is migrated further than it knows.
 */

const root = join(import.meta.dirname, '../..')
const CAMPAIGN = 300
const DELIVERED = 1
/** The recipients of each RCS and of each scheduled message. One of either is given to each release that joins. */
const PER_JOIN = 15
/** The release that takes a scheduled message is soon not alone any more. */
const SCHEDULE_MS = 4_000

interface Running {
  url: string
  stop(): Promise<unknown>
}

interface Journey {
  pool: Pool
  apiKey: string
  old: (carriersPath: string) => Promise<Running>
  fresh: (carriersPath: string) => Promise<Running>
}

/** The new release joins the old one, which goes; then the old one joins again, and the new one goes. */
async function upgradeAndGoBack(t: TestContext, { pool, apiKey, old, fresh }: Journey): Promise<void> {
  const { smsc, rbm, file } = await startRcsWorld(t, {
    smscFaults: 'delay answers 20ms',
    smpp: { sessions: 2, window: 10 }
  })
  const receiver = await startReceiver(t)
  const running: Running[] = []
  let joins = 0
  async function join(start: typeof old) {
    const joined = await start(file.path)
    await untilReady(joined)
    running.push(joined)
    await tellEvents(rbm, joined)
  }
  const ask = async (method: string, where: string, body: unknown) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const answer = await fetch(`${running.at(-1)?.url}${where}`, { method, headers, body: JSON.stringify(body) })
    assert.equal(answer.status, 200, await answer.text())
  }
  /** To the release that joined last: an RCS, and an SMS that another one may find due. */
  async function sendMore() {
    const contacts = magic('01', PER_JOIN, { from: joins * PER_JOIN }).map((recipient) => ({ recipient }))
    const scheduleAt = new Date(Date.now() + SCHEDULE_MS).toISOString()
    const recipients = mobiles(PER_JOIN, `+3362${joins++}`)
    await ask('POST', '/messages/rcs', { type: 'text', data: { text: 'Bonjour' }, contacts, fallback: FALLBACK })
    await ask('POST', '/messages/sms', { recipients, content: 'À plus tard', scheduleAt })
  }
  await join(old)
  const webhooks = ['sms_status', 'rcs_status'].map((type) => ({ type, url: receiver.url, batch_size: 50 }))
  await ask('PUT', '/webhooks', { webhooks })
  const phones = mobiles(CAMPAIGN, '+3361')
  await ask('POST', '/messages/sms', { recipients: phones, content: 'Bonjour' })
  const stream = startStream(running, { apiKey })
  const untilMore = async () => {
    const before = smsc.stats.accepted
    const hasMore = () => {
      stream.check()
      assert.ok(smsc.stats.accepted >= before + 5 * PER_SEND)
    }
    await eventually(hasMore, { withinMs: 60_000 })
  }

  await sendMore()
  for (const next of [fresh, old]) {
    await untilMore()
    await join(next)
    await sendMore()
    await untilMore()
    await running.shift()?.stop()
  }
  await untilMore()
  const ids = await stream.stop()

  const expected = CAMPAIGN + ids.length * PER_SEND + 2 * joins * PER_JOIN
  await decideDoubts({ pool })
  await eventually(
    async () => {
      const rows = await pool<{ phone: string; count: number; isDelivered: boolean }[]>`
        select phone, count(*) as count, bool_and(state = ${DELIVERED}) as is_delivered
        from recipients
        group by phone
      `
      assert.equal(rows.length, expected, 'all that was answered 200 is there')
      assert.deepEqual(
        rows.filter(({ count, isDelivered }) => count > 1 || !isDelivered),
        [],
        'once, and delivered'
      )
      const records = receiver.records().filter(({ deliver }) => deliver === DELIVERED)
      assert.equal(new Set(records.map(({ recipient }) => recipient)).size, expected, 'and its owner was told')
    },
    { withinMs: 60_000, everyMs: 200 }
  )
  await assertInvariants({ pool }, { smscs: [smsc] })
  assert.deepEqual(smsc.repeated(), [], 'no SMS was sent twice')
  const byRcs = [...rbm.received.values()].map((messages) => messages.length)
  assert.deepEqual([byRcs.length, byRcs.filter((count) => count !== 1)], [joins * PER_JOIN, []], 'nor any RCS')
  t.diagnostic(`${ids.length} sends, ${stream.repeats()} tried at another process`)
}

test('this release and one whose database has more in every table work together, in both orders, and lose nothing', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100_000 })
  const join = (carriersPath: string) =>
    service.startPeer(t, {
      settings: { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: carriersPath, CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
    })
  const newer = Object.keys(PLACES).map((table, index) => ({
    name: `${9000 + index}_${table}.sql`,
    checksum: table,
    text: `alter table ${table} add column newer text, add column fresh integer not null default 0`
  }))
  async function joinNewer(carriersPath: string) {
    const applied = await migrate(service.pool, [...(await readMigrations()), ...newer])
    assert.equal(applied.length, newer.length)
    return join(carriersPath)
  }
  await upgradeAndGoBack(t, { pool: service.pool, apiKey: account.apiKey, old: join, fresh: joinNewer })
  const [row] = await service.pool`select count(*) as count from recipients where newer is null and fresh = 0`
  assert.ok(row?.count > CAMPAIGN)
})

const run = promisify(execFile)

/** Runs git in this checkout; undefined if git does not work there. */
async function git(...args: string[]): Promise<string | undefined> {
  return run('git', ['-C', root, ...args]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined
  )
}

/** Why the release before can't be had here, if it can't: an archive and a shallow clone have no history. */
async function whyNoHistory(): Promise<string | undefined> {
  const top = await git('rev-parse', '--show-toplevel')
  if (top === undefined || (await realpath(top)) !== (await realpath(root))) return 'this is no clone'
  return (await git('rev-parse', '--is-shallow-repository')) === 'true' ? 'this clone is shallow' : undefined
}

/** The sources of the release before. */
async function checkOutBefore(t: TestContext): Promise<string> {
  const { commit, lastMigration } = RELEASE_BEFORE
  assert.equal(await git('merge-base', '--is-ancestor', commit, 'HEAD'), '', `${commit} is a commit before this one`)
  const migrations = await git('ls-tree', '--name-only', commit, 'src/database/migrations/')
  assert.equal(migrations?.split('\n').toSorted().at(-1), `src/database/migrations/${lastMigration}`)
  const folder = await mkdtemp(join(tmpdir(), 'chappe-before-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const archive = join(folder, 'release.tar')
  const parts = ['src', 'simulator', 'package.json']
  await run('git', ['-C', root, 'archive', '--output', archive, commit, ...parts])
  await run('tar', ['-xf', archive, '-C', folder])
  // The packages of this release.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

test('the release before and this one work on one database, in both orders, and lose nothing', async (t) => {
  const reason = await whyNoHistory()
  if (reason) return t.skip(`The release before is not here: ${reason}.`)
  const before = await checkOutBefore(t)
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'test', connectionsMax: 4 })
  atEnd(t, () => pool.close(1))
  const settings = { CHAPPE_ADMIN_API_KEY: OPERATOR.apiKey }
  const join = (root?: string) => (carriersPath: string) =>
    startNode(t, { databaseUrl: database.url }, { carriersPath, settings, ...(root && { root }) })
  await upgradeAndGoBack(t, { pool, apiKey: OPERATOR.apiKey, old: join(before), fresh: join() })
})
