import { strict as assert } from 'node:assert'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createBareDatabase } from '../../test/database/databases.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect, type Pool } from './database.ts'
import { dumpSchema } from './dump-schema.ts'
import { migrate, readMigrations } from './migrate.ts'

async function bareDatabase(t: TestContext): Promise<() => Pool> {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  return () => {
    const pool = connect({ url: database.url, applicationName: 'test', connectionsMax: 2 })
    atEnd(t, () => pool.close(1))
    return pool
  }
}

test('processes that start at once migrate once', async (t) => {
  const open = await bareDatabase(t)
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(open())))
  const all = (await readMigrations()).map(({ name }) => name)
  assert.deepEqual(
    applied.filter((names) => names.length > 0),
    [all]
  )
})

test('a migration that fails leaves nothing behind', async (t) => {
  const pool = (await bareDatabase(t))()
  const broken = [
    { name: '0001_good.sql', checksum: 'a', text: 'create table good (id int)' },
    { name: '0002_bad.sql', checksum: 'b', text: 'create table bad (id int); select 1 / 0' }
  ]
  await assert.rejects(migrate(pool, broken), /division by zero/)
  const tables = await pool`select tablename from pg_tables where schemaname = 'public'`
  assert.deepEqual([...tables], [])
})

test('a migration that was edited after it was applied stops the start', async (t) => {
  const pool = (await bareDatabase(t))()
  await migrate(pool, [{ name: '0001_a.sql', checksum: 'a', text: 'select 1' }])
  await assert.rejects(migrate(pool, [{ name: '0001_a.sql', checksum: 'b', text: 'select 2' }]), /was changed after/)
})

test('a database of a newer version stops the start', async (t) => {
  const pool = (await bareDatabase(t))()
  await migrate(pool, [{ name: '0009_new.sql', checksum: 'a', text: 'select 1' }])
  await assert.rejects(migrate(pool), /last used by a newer one/)
})

test('schema.sql is what the migrations add up to', async (t) => {
  const pool = (await bareDatabase(t))()
  await migrate(pool)
  const written = await readFile(join(import.meta.dirname, 'schema.sql'), 'utf8')
  assert.equal(await dumpSchema(pool), written, 'run `npm run schema`')
})

test('every migration begins by saying why', async () => {
  for (const { name, text } of await readMigrations()) assert.match(text, /^-- [A-Z]/, name)
})
