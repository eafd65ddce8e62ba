import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { createBareDatabase } from '../../test/database/databases.ts'
import { startAddress } from '../../test/peers/address.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { type CopiedRow, copyRows } from './copy-rows.ts'
import { connect, isDatabaseUnavailable, type Pool, SOCKET_PORT } from './database.ts'

const NOTES = { table: 'notes', columns: ['id', 'text'] }

async function openNotes(t: Parameters<typeof atEnd>[0]): Promise<Pool> {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'copy test', connectionsMax: 2 })
  atEnd(t, () => pool.close(1))
  await pool`create table notes (id bigint primary key, text text)`
  return pool
}

/** So many batches of a thousand rows; what `at` gives for a batch happens before it. */
async function* batches(count: number, at: (batch: number) => unknown = () => undefined): AsyncGenerator<CopiedRow[]> {
  for (let batch = 0; batch < count; batch++) {
    await at(batch)
    yield Array.from({ length: 1_000 }, (_, index) => [batch * 1_000 + index, `note ${index}`])
  }
}

async function expectUsable(pool: Pool): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    const [row] = await pool<[{ count: number }]>`select count(*) as count from notes`
    assert.equal(row.count, 0)
  }
}

test('rows arrive as they are, whatever characters they hold', async (t) => {
  const pool = await openNotes(t)
  const texts = ['plain', 'tab\there', 'line\nfeed\r', 'back\\slash', '\\N', '\\.', '', 'é 😀', '"quoted"', null]
  await copyRows(
    pool,
    NOTES,
    (async function* () {
      yield texts.map((text, id) => [id, text] as const)
    })()
  )
  const rows = await pool<{ text: string | null }[]>`select text from notes order by id`
  assert.deepEqual(
    rows.map(({ text }) => text),
    texts
  )
})

test('a source that fails in the middle leaves nothing, and the connection can be used again', async (t) => {
  const pool = await openNotes(t)
  const failing = batches(50, (batch) => {
    if (batch === 30) throw new Error('the source broke')
  })
  await assert.rejects(
    pool.begin((database) => copyRows(database, NOTES, failing)),
    /the source broke/
  )
  await expectUsable(pool)
})

test('a row that the table refuses, first, in the middle or last, is told, and leaves nothing', async (t) => {
  const pool = await openNotes(t)
  for (const bad of [0, 15, 30]) {
    const repeated = (async function* () {
      for await (const rows of batches(30)) yield rows
    })()
    async function* source(): AsyncGenerator<CopiedRow[]> {
      let batch = 0
      for await (const rows of repeated) {
        if (batch === bad)
          yield [
            [0, 'again'],
            [0, 'and again']
          ]
        batch++
        yield rows
      }
      if (batch === bad) yield [[0, 'again']]
    }
    await assert.rejects(
      pool.begin((database) => copyRows(database, NOTES, source())),
      { code: '23505' }
    )
    await expectUsable(pool)
  }
})

test('a connection that is cut during a COPY ends it', async (t) => {
  const pool = await openNotes(t)
  const cut = batches(400, async (batch) => {
    if (batch === 100) {
      await pool`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database() and query like 'copy%'
      `
    }
  })
  await assert.rejects(pool.begin((database) => copyRows(database, NOTES, cut)))
  await expectUsable(pool)
})

test('a server that closes the connection during a COPY counts as a database that is not there', async (t) => {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const { socketFolder, user, database: name } = database.url
  const address = await startAddress(t, { path: join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`) })
  const url = `postgres://${user}@127.0.0.1:${address.port}/${name}`
  const pool = connect({ url, applicationName: 'copy test', connectionsMax: 2 })
  atEnd(t, () => pool.close(0))
  await pool`create table notes (id bigint primary key, text text)`
  for (const last of [0, 100]) {
    const cut = batches(200, async (batch) => {
      if (batch !== last) return
      address.cut()
      // By its answer, the end of the other connection has been read too.
      await eventually(() => pool`select 1`)
    })
    await assert.rejects(
      pool.begin((database) => copyRows(database, NOTES, cut)),
      isDatabaseUnavailable
    )
    await expectUsable(pool)
  }
})
