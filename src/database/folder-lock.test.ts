import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { createBareDatabase } from '../../test/database/databases.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect } from './database.ts'
import { lockFolder } from './folder-lock.ts'

test('a Chappe that lost its folder to another one leaves the other’s database running', async (t) => {
  const { url, drop } = await createBareDatabase()
  atEnd(t, drop)
  const lost: string[] = []
  const server = { url, ensureRunning: async () => undefined, stop: async () => undefined }
  const lock = await lockFolder(server, '/the/folder', {
    onLost: (reason) => lost.push(reason),
    onWaiting: (reason) => assert.fail(reason)
  })
  const other = connect({ url, applicationName: 'the other', connectionsMax: 2 })
  atEnd(t, () => other.close(1))
  // It gets the lock in the moment in which the first loses its connection.
  const taken = other`select pg_advisory_lock(7267, 1)`.execute()
  await eventually(async () => {
    const [row] = await other`
      select count(*)::int as waiting from pg_locks
      where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())
    `
    assert.equal(row?.waiting, 1)
  })
  await other`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = ${`chappe ${process.pid} holds the folder`}
  `
  await taken
  await eventually(() => assert.match(lost[0] ?? '', /Another Chappe.* is running on the folder \/the\/folder/))
  await lock.release(async () => assert.fail('the database is not ours to stop'))
})
