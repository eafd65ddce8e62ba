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

test('processes that start at once apply each migration once', async (t) => {
  const open = await bareDatabase(t)
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(open())))
  const all = (await readMigrations()).map(({ name }) => name)
  assert.deepEqual(applied.flat().sort(), all)
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

const newer = (name: string, text: string) => ({ name, checksum: name, text })

test('a database of a newer version is used if its migrations work with this one, and refused in a sentence otherwise', async (t) => {
  const pool = (await bareDatabase(t))()
  const own = [newer('0200_own.sql', 'create table one (id int)')]
  await migrate(pool, own)
  await migrate(pool, [
    ...own,
    newer('0201_more.sql', 'alter table one add column name text'),
    newer(
      '0203_less.sql',
      '-- allow drop (works with 0200_own.sql): nothing reads it since.\nalter table one drop column id'
    )
  ])
  assert.deepEqual(await migrate(pool, own), [])
  // An older version goes on migrating: its migrations and those of the newer one are a set, not a row.
  assert.deepEqual(await migrate(pool, [...own, newer('0202_aside.sql', 'select 1')]), ['0202_aside.sql'])
  const refused = /does not know the migration 0203_less.sql, which works only with versions that know 0200_own.sql/
  await assert.rejects(migrate(pool, [newer('0201_more.sql', '')]), refused)
  await pool`delete from schema_migrations`
  await migrate(pool, [newer('0009_old.sql', 'select 1')])
  await assert.rejects(migrate(pool), /does not know the migration 0009_old.sql, and cannot work with it/)
})

test('a database from before the rule gets the column that tells what works with a migration', async (t) => {
  const pool = (await bareDatabase(t))()
  await pool`create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())`
  await pool`insert into schema_migrations (name, checksum) values ('0110_price_floors.sql', 'a')`
  const own = [{ name: '0110_price_floors.sql', checksum: 'a', text: '' }, newer('0111_next.sql', 'select 1')]
  assert.deepEqual(await migrate(pool, own), ['0111_next.sql'])
  const rows = await pool`select name, works_with from schema_migrations order by name`
  assert.deepEqual(
    rows.map(({ name, worksWith }) => [name, worksWith]),
    [
      ['0110_price_floors.sql', null],
      ['0111_next.sql', []]
    ]
  )
})

test('a migration gives way to whoever uses a table, tries again, and says so in the end', async (t) => {
  const open = await bareDatabase(t)
  const pool = open()
  const first = newer('0200_one.sql', 'create table one (id int)')
  await migrate(pool, [first])
  const all = [first, newer('0201_more.sql', 'create table two (id int); alter table one add column name text')]
  const other = open()
  let migrating: Promise<string[]> | undefined
  await other.begin(async (database) => {
    await database`select from one`
    await assert.rejects(migrate(pool, all, { patienceMs: 0 }), /another program, such as a dump or a long report/)
    assert.equal((await other`select to_regclass('two') as two`)[0]?.two, null)
    migrating = migrate(pool, all)
    // Behind a migration that waits, readers wait too, but only until it gives way.
    await open()`select from one`
  })
  assert.deepEqual(await migrating, ['0201_more.sql'])
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
