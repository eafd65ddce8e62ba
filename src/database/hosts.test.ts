import { strict as assert } from 'node:assert'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { createDatabase } from '../../test/database/databases.ts'
import { startAddress } from '../../test/peers/address.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect, isDatabaseUnavailable, SOCKET_PORT } from './database.ts'
import { hostsOf } from './hosts.ts'

test('a URL names its hosts', () => {
  assert.deepEqual(hostsOf('postgres://user:p%40ss@one:5432,two:5433/db?sslmode=require'), ['one:5432', 'two:5433'])
  assert.deepEqual(hostsOf('postgresql://one/db'), ['one'])
  for (const url of ['postgres://', 'postgres://u@one:99999/db', 'postgres://one,,two/db', 'mysql://one/db']) {
    assert.equal(hostsOf(url), undefined, url)
  }
})

test('while no host can be used everybody is told so, without a storm of attempts; the first that can be is used', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const { socketFolder, user, database: name } = database.url
  const address = await startAddress(t, { path: join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`) })
  await address.close()
  // As a proxy does whose server is away.
  const closing = await startClosing(t)
  const url = `postgres://${user}@127.0.0.1:${closing.port},127.0.0.1:${address.port}/${name}`
  const pool = connect({ url, applicationName: 'hosts', connectionsMax: 3 })
  atEnd(t, () => pool.close(0))
  await pool
    .listen('anything', () => undefined)
    .then(
      () => assert.fail('nobody was there to listen to'),
      (error) => assert.ok(isDatabaseUnavailable(error), error.code)
    )
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => pool`select 1`))
  for (const result of results) {
    assert.ok(result.status === 'rejected' && isDatabaseUnavailable(result.reason), result.status)
  }
  assert.ok(closing.connections < 50, `${closing.connections} attempts`)
  await address.open()
  await eventually(async () => assert.equal((await pool`select 1`).length, 1))
  const before = closing.connections
  await Promise.all(Array.from({ length: 3 }, () => pool`select pg_sleep(0.1)`))
  assert.equal(closing.connections, before, 'the one that could be used is where the next look first')
})

async function startClosing(t: TestContext) {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => undefined)
    socket.resume().end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => new Promise((resolve) => server.close(resolve)))
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    }
  }
}
