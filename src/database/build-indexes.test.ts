import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { createDatabase, type TestDatabase } from '../../test/database/databases.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { test } from '../../test/service/service.ts'
import { createBuildIndexes } from './build-indexes.ts'
import { connect, type Pool } from './database.ts'
import { migrate, readMigrations } from './migrate.ts'

function open(t: TestContext, { url }: TestDatabase): Pool {
  const pool = connect({ url, applicationName: 'indexes test', connectionsMax: 4 })
  atEnd(t, () => pool.close(1))
  return pool
}

/** A process of its own: its turns, and the indexes it made. */
function builder(pool: Pool, { url }: TestDatabase) {
  const made: string[] = []
  const log = { info: (_: object, text: string) => text === 'index is made' && made.push(text) }
  const openLong = () => connect({ url, applicationName: 'indexes test, long', connectionsMax: 1, hasTimeLimit: false })
  return { made, build: createBuildIndexes(pool, { openLong, log: log as never }) }
}

const insertMessage = (pool: Pool, id: number) => pool`
  insert into messages (account_id, id, channel, category, state, content, sender, scheduled_at, recipients_count,
    segments_count, credits_required, name)
  values (1, ${id}, 'sms', 'transactional', 'sent', 'x', '', now(), 0, 0, 0, 'Sale')
`

const readIndex = async (pool: Pool) =>
  (await pool`select indisvalid as is_valid from pg_index where indexrelid = to_regclass('messages_campaigns')`)[0]
    ?.isValid

test('a database with messages gets its indexes while messages are written, by one process at a time', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pool = open(t, database)
  assert.equal(await readIndex(pool), true)
  // As before the migration, with a message.
  await pool`drop index messages_campaigns`
  await pool`delete from schema_migrations where name like '0076%'`
  await insertMessage(pool, 1)
  const migrations = await readMigrations()
  assert.equal((await migrate(pool, migrations)).length, 1)
  assert.equal(await readIndex(pool), undefined)

  const [one, other] = [builder(pool, database), builder(open(t, database), database)]
  const { promise: written, resolve: commit } = Promise.withResolvers<void>()
  const { promise: isWriting, resolve: writing } = Promise.withResolvers<void>()
  const transaction = pool.begin(async (sql) => {
    await insertMessage(sql as Pool, 2)
    writing()
    await written
  })
  await isWriting
  // It waits for the open transaction; meanwhile others write.
  const building = one.build()
  await eventually(async () => assert.equal(await readIndex(pool), false))
  await insertMessage(pool, 3)
  await other.build()
  assert.deepEqual([one.made, other.made], [[], []])
  // Cut off, it leaves an index that is of no use.
  await Promise.all([
    assert.rejects(building, /canceling statement/),
    pool`select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'indexes test, long' and state = 'active'`
  ])
  assert.equal(await readIndex(pool), false)
  commit()
  await transaction
  await other.build()
  await one.build()
  assert.equal(await readIndex(pool), true)
  assert.deepEqual([one.made.length, other.made.length], [0, 1])
})
