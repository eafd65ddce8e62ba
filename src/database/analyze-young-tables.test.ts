import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { createBareDatabase } from '../../test/database/databases.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { createAnalyzeYoungTables } from './analyze-young-tables.ts'
import { connect, type Sql } from './database.ts'

const rowsKnown = async (sql: Sql, name: string) => {
  const [row] = await sql<{ rows: number }[]>`select reltuples::integer as rows from pg_class where relname = ${name}`
  return row?.rows
}

/** The one connection of a pool reports its rows now, instead of within a second. */
const reportNow = (sql: Sql) => sql`select pg_stat_force_next_flush()`

test('a table that is analysed during its first insert is analysed again after the commit', async (t) => {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'analyze test', connectionsMax: 2 })
  atEnd(t, () => pool.close(1))
  await pool`create table growing (id integer) with (autovacuum_enabled = off)`
  await pool.begin(async (sql) => {
    await sql`insert into growing select generate_series(1, 5000)`
    await pool`analyze growing`
    assert.equal(await rowsKnown(pool, 'growing'), 0)
  })
  const analyze = createAnalyzeYoungTables()
  await eventually(async () => {
    await analyze(pool)
    assert.equal(await rowsKnown(pool, 'growing'), 5_000)
  })
})

test('a table that grows from nothing is analysed, small ones are left alone, and large ones are left to autovacuum', async (t) => {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'analyze test', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  await pool`create table growing (id integer) with (autovacuum_enabled = off)`
  await pool`create table small (id integer) with (autovacuum_enabled = off)`
  await pool`insert into small values (1)`
  const analyze = createAnalyzeYoungTables()
  const grow = async (rows: number) => {
    await pool`insert into growing select generate_series(1, ${rows})`
    await reportNow(pool)
    await analyze(pool)
    return rowsKnown(pool, 'growing')
  }
  assert.equal(await grow(10), -1)
  assert.equal(await grow(1_990), 2_000)
  assert.equal(await grow(100), 2_000)
  assert.equal(await grow(17_900), 20_000)
  assert.equal(await grow(80_000), 20_000)
  assert.equal(await rowsKnown(pool, 'small'), -1)
  const [statistics] =
    await pool`select histogram_bounds::text::integer[] as bounds from pg_stats where tablename = 'growing'`
  assert.equal(statistics?.bounds.length, 11, 'as few as a young table needs')
  const [setting] = await pool`show default_statistics_target`
  assert.equal(setting?.defaultStatisticsTarget, '100')
})

test('two processes that analyse the same young tables at once do not disturb each other', async (t) => {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pools = [1, 2].map(() => connect({ url: database.url, applicationName: 'analyze test', connectionsMax: 1 }))
  for (const pool of pools) atEnd(t, () => pool.close(1))
  const processes = pools.map((pool) => {
    const analyze = createAnalyzeYoungTables()
    return () => analyze(pool)
  })
  const [pool] = pools
  assert.ok(pool)
  const names = ['first', 'second', 'third']
  for (const name of names) await pool.unsafe(`create table ${name} (id integer) with (autovacuum_enabled = off)`)
  for (const rows of [500, 1_500, 7_000]) {
    for (const name of names) await pool`insert into ${pool(name)} select generate_series(1, ${rows})`
    await reportNow(pool)
    await Promise.all(processes.map((analyze) => analyze()))
  }
  for (const name of names) assert.equal(await rowsKnown(pool, name), 9_000)
})

test('a table that fills and empties is not analysed each time it is full', async (t) => {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'analyze test', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  await pool`create table queue (id integer) with (autovacuum_enabled = off)`
  const analyze = createAnalyzeYoungTables()
  const fill = async (rows: number) => {
    await pool`insert into queue select generate_series(1, ${rows})`
    await reportNow(pool)
    await analyze(pool)
    return rowsKnown(pool, 'queue')
  }
  assert.equal(await fill(500), 500)
  await pool`truncate queue`
  await pool`analyze queue`
  assert.equal(await fill(500), 0)
  assert.equal(await fill(1_000), 0)
  assert.equal(await fill(1_000), 2_500)
})
