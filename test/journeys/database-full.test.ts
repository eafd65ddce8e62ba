import { strict as assert } from 'node:assert'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { connect } from '../../src/database/database.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { fillDisk, makeSmallDisk, type SmallDisk } from '../database/small-disk.ts'
import { decideDoubts, untilReady } from '../messages/sending.ts'
import { startSends } from '../messages/steady-sends.ts'
import { isAlive, postmasterPid, startProcess } from '../processes/process.ts'
import { createApiClient } from '../service/api-client.ts'
import { atEnd } from '../service/cleanup.ts'
import { fileForm } from '../service/file-form.ts'
import { OPERATOR, startService, test } from '../service/service.ts'

const DISK_MEGABYTES = 250
/** Not one of the steady sends. */
const OTHER = '+33612999999'

test('on a full disk sends are refused clearly and readiness is red, reading goes on, and with room again all goes on by itself', async (t) => {
  const disk = await makeSmallDisk(t, DISK_MEGABYTES)
  t.diagnostic(
    disk ? `a real disk, ${disk.kind}` : 'no disk of our own here: the server is made to say that it is full'
  )
  await (disk ? onRealDisk(t, disk) : onPretence(t))
})

async function onRealDisk(t: TestContext, disk: SmallDisk): Promise<void> {
  const data = join(disk.folder, 'data')
  const main = [process.execPath, join(import.meta.dirname, '../../src/main.ts')]
  const settings = {
    CHAPPE_DATA: data,
    CHAPPE_ADMIN_EMAIL: OPERATOR.email,
    CHAPPE_ADMIN_API_KEY: OPERATOR.apiKey,
    CHAPPE_LOG: 'error'
  }
  const child = startProcess(t, settings, disk.command(main))
  atEnd(t, async () => {
    child.child.kill('SIGTERM')
    await child.exit
  })
  const url = await child.url
  const account = await createApiClient(url, { 'x-api-key': OPERATOR.apiKey })
  const readiness = async () => {
    const answer = await fetch(`${url}/health/ready`)
    return { status: answer.status, text: await answer.text() }
  }
  const seen = disk.folderSeenBy(child.child.pid ?? 0)
  const socketFolder = join(seen, 'data', 'socket')
  const superuser = connect({
    url: { socketFolder, user: 'postgres', database: 'chappe' },
    applicationName: 'superuser',
    connectionsMax: 1
  })
  atEnd(t, () => superuser.close(0))
  const sends = startSends(t, account)
  await sends.untilMore(20)

  const makeRoom = await fillDisk(seen)
  await sends.untilRefused(20)
  await eventually(async () => {
    const { body } = await account.expect(503).post('/messages/sms', { recipients: [OTHER], content: 'Non' })
    assert.deepEqual(
      [body.code, body.error],
      ['unavailable', 'The database can’t store anything right now; ask again later.']
    )
    const { status, text } = await readiness()
    assert.equal(status, 503)
    assert.match(text, /its disk is full/)
  })
  await account.expect(200).get('/messages')
  const upload = await account.post('/contacts/file', fileForm('x'.repeat(100_000)))
  assert.deepEqual([upload.status, upload.body.error], [503, 'There is no room for the file right now.'])
  assert.deepEqual(await readdir(join(seen, 'data', 'uploads')), [], 'and nothing of the file is left')

  // Sooner or later its log needs another segment, and PostgreSQL goes down. It can't come up again without room.
  const pid = await postmasterPid(join(seen, 'data'))
  assert.ok(pid)
  await eventually(async () => {
    await superuser`select pg_switch_wal(), pg_logical_emit_message(true, 'more', 'log')`.catch(() => undefined)
    assert.ok(!isAlive(pid))
  })
  assert.equal((await readiness()).status, 503)
  await sends.untilRefused(10)

  await makeRoom()
  await sends.untilMore(20)
  await untilReady({ url })
  await sends.stop()
  t.diagnostic(`${sends.acknowledged.size} acknowledged, ${sends.refusedCount} answered 503`)
  const pool = connect({
    url: { socketFolder, user: 'chappe', database: 'chappe' },
    applicationName: 'outside',
    connectionsMax: 2
  })
  atEnd(t, () => pool.close(1))
  await decideDoubts({ pool })
  await assertInvariants({ pool })
  // The other was perhaps asked for when there was a little room again.
  const rows = await pool<{ phone: string; id: number }[]>`
    select phone, message_id as id
    from recipients
    where phone <> ${OTHER}
  `
  const stored = new Map(rows.map(({ phone, id }) => [phone, id]))
  assert.equal(rows.length, stored.size, 'nothing is stored twice')
  assert.deepEqual(
    [...sends.acknowledged].filter(([phone, id]) => stored.get(phone) !== id),
    [],
    'all that was acknowledged is there'
  )
}

/** Without a disk of our own: the tables refuse as they would on a full one. */
async function onPretence(t: TestContext): Promise<void> {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'all' } })
  const sends = startSends(t, service.operator)
  await sends.untilMore(20)
  await service.pool.unsafe(`
    create function refuse() returns trigger language plpgsql
      as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger refuse before insert on messages execute function refuse()
  `)
  await sends.untilRefused(20)
  const body = { recipients: [OTHER], content: 'Non' }
  const refused = await service.operator.expect(503).post('/messages/sms', body)
  assert.equal(refused.body.error, 'The database can’t store anything right now; ask again later.')
  await service.operator.expect(200).get('/messages')
  await service.pool`drop trigger refuse on messages`
  await sends.untilMore(20)
  await untilReady(service)
  await sends.stop()
  const rows = await service.pool<{ id: number }[]>`select id from messages`
  const stored = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    [...sends.acknowledged.values()].filter((id) => !stored.has(id)),
    []
  )
  await decideDoubts(service)
  await assertInvariants(service)
}
