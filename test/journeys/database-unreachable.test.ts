import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import { SOCKET_PORT } from '../../src/database/database.ts'
import { eventually } from '../checks/eventually.ts'
import { createDatabase } from '../database/databases.ts'
import { untilReady } from '../messages/sending.ts'
import { assertAllArrived, startUnderLoad } from '../messages/steady-sends.ts'
import { startAddress } from '../peers/address.ts'
import { atEnd } from '../service/cleanup.ts'
import { test } from '../service/service.ts'

/** What a statement may take, the time to find out that nobody answers, and as much again for a busy machine: no request waits longer. */
const ANSWER_MAX_MS = 90_000

test('the database refuses connections, then takes them and is silent: 503 in time, readiness red, and all goes on by itself', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const { socketFolder, user, database: name } = database.url
  const address = await startAddress(t, { path: join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`) })
  const load = await startUnderLoad(t, `postgres://${user}@127.0.0.1:${address.port}/${name}`)
  const { service, account, sends } = load
  const readiness = async () => (await fetch(`${service.url}/health/ready`)).status

  await address.close()
  await eventually(async () => assert.equal(await readiness(), 503))
  await sends.untilRefused(20)
  await address.open()
  await sends.untilMore(20)
  await untilReady(service)

  address.silence()
  await eventually(async () => assert.equal(await readiness(), 503), { withinMs: 5_000 })
  await sends.untilRefused(6)
  const refused = await account.expect(503).get('/messages')
  assert.deepEqual([refused.body.code, refused.headers.get('retry-after')], ['unavailable', '2'])
  assert.equal((await fetch(`${service.url}/health/live`)).status, 200)
  // What was on its way arrives after all, with nobody there any more who waits for the answer.
  address.hear()
  await sends.untilMore(20)
  await untilReady(service)

  await assertAllArrived(t, load)
  assert.ok(sends.slowestMs < ANSWER_MAX_MS, `the slowest answer took ${sends.slowestMs} ms`)
  await eventually(async () => {
    const rows = await service.pool<{ state: string }[]>`
      select state from pg_stat_activity where datname = current_database() and xact_start < now() - interval '5 seconds'
    `
    assert.deepEqual([...rows], [], 'no transaction is left behind')
  })
})
