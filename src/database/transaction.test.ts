import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createBareDatabase } from '../../test/database/databases.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect, type Database, type Pool, SOCKET_PORT } from './database.ts'

async function openNotes(t: TestContext): Promise<Pool> {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'transaction test', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  await pool`create table notes (id integer primary key)`
  return pool
}

const add = (database: Database, id: number) => database`insert into notes values (${id})`

async function listIds(pool: Pool): Promise<number[]> {
  return (await pool<{ id: number }[]>`select id from notes order by id`).map(({ id }) => id)
}

test('a transaction is stored as a whole, or not at all', async (t) => {
  const pool = await openNotes(t)
  assert.equal(
    await pool.begin(async (database) => {
      await Promise.all([add(database, 1), add(database, 2)])
      return 'stored'
    }),
    'stored'
  )
  await assert.rejects(
    pool.begin(async (database) => {
      await add(database, 3)
      throw new Error('no, after all')
    }),
    /no, after all/
  )
  assert.deepEqual(await listIds(pool), [1, 2])
})

test('of statements that travel together, the one that failed tells why; those behind it do nothing', async (t) => {
  const pool = await openNotes(t)
  for (let turn = 0; turn < 2; turn++) {
    const results = await pool
      .begin((database) =>
        Promise.allSettled([add(database, 1), add(database, 1), add(database, 2), database`select ${turn}::text`])
      )
      .catch((error) => error)
    assert.equal(results.code, '23505')
    assert.deepEqual(await listIds(pool), [])
  }
})

test('an error that the work has caught undoes the transaction all the same', async (t) => {
  const pool = await openNotes(t)
  await assert.rejects(
    pool.begin(async (database) => {
      await add(database, 1)
      await add(database, 1).catch(() => undefined)
    }),
    { code: '23505' }
  )
  assert.deepEqual(await listIds(pool), [])
})

test('a failed part is undone alone, at any depth', async (t) => {
  const pool = await openNotes(t)
  await pool.begin(async (database) => {
    await add(database, 1)
    await database.begin(async (database) => {
      await add(database, 2)
      await assert.rejects(
        database.begin(async (database) => {
          await add(database, 3)
          await add(database, 2)
        }),
        { code: '23505' }
      )
      await add(database, 4)
    })
    await assert.rejects(
      database.begin((database) => add(database, 1)),
      { code: '23505' }
    )
    await add(database, 5)
  })
  assert.deepEqual(await listIds(pool), [1, 2, 4, 5])
})

test('a constraint that is checked at the end fails the commit', async (t) => {
  const pool = await openNotes(t)
  await pool`create table links (id integer references notes deferrable initially deferred)`
  await assert.rejects(
    pool.begin((database) => database`insert into links values (7)`),
    { code: '23503' }
  )
  assert.equal((await pool`select from links`).length, 0)
})

test('a statement after the end of its transaction is refused, also one of a part of it', async (t) => {
  const pool = await openNotes(t)
  const kept: Database[] = []
  await pool.begin(async (database) => {
    kept.push(database)
    await database.begin(async (database) => {
      kept.push(database)
    })
  })
  for (const database of kept) {
    await assert.rejects(async () => add(database, 1), /after the end of its transaction/)
    await assert.rejects(
      database.begin((database) => add(database, 1)),
      /after the end of its transaction/
    )
    await assert.rejects(database`copy notes from stdin`.writable(), /after the end of its transaction/)
  }
  assert.deepEqual(await listIds(pool), [])
})

test('statements beside a COPY wait for its end, and one that nobody completes ends with its transaction', async (t) => {
  const pool = await openNotes(t)
  await pool.begin(async (database) => {
    const rows = await database`copy notes from stdin`.writable()
    const beside = database`select count(*)::integer as count from notes`.execute()
    rows.end('1\n2\n')
    assert.equal((await beside)[0]?.count, 2)
  })
  await assert.rejects(
    pool.begin(async (database) => {
      const rows = await database`copy notes from stdin`.writable()
      rows.write('3\n')
      throw new Error('forgotten')
    }),
    /forgotten/
  )
  assert.deepEqual(await listIds(pool), [1, 2])
})

test('what is to be done at the end is stored with the rest, after it; a failure there undoes all', async (t) => {
  const pool = await openNotes(t)
  const order: string[] = []
  await pool.begin(async (database) => {
    await database.atEnd(async (sql) => {
      await Promise.all([sql`insert into notes values (2)`, sql`insert into notes values (3)`])
      order.push('end')
    })
    await add(database, 1)
    order.push('work')
  })
  assert.deepEqual(order, ['work', 'end'])
  assert.deepEqual(await listIds(pool), [1, 2, 3])

  const endings: [work: (sql: Database) => Promise<unknown>, why: RegExp][] = [
    [(sql) => Promise.all([sql`insert into notes values (5)`, sql`insert into notes values (1)`]), /duplicate key/],
    [() => Promise.reject(new Error('a bug')), /a bug/]
  ]
  for (const [work, why] of endings) {
    await assert.rejects(
      pool.begin(async (database) => {
        await add(database, 4)
        await database.atEnd((sql) => work(sql as Database))
      }),
      why
    )
    assert.deepEqual(await listIds(pool), [1, 2, 3])
  }
})

test('the end of a savepoint comes before the end of its transaction, and is undone with it', async (t) => {
  const pool = await openNotes(t)
  await pool.begin(async (database) => {
    await database.begin((inner) => inner.atEnd((sql) => sql`insert into notes values (1)`))
    assert.equal((await database`select from notes`).length, 1)
    await database
      .begin(async (inner) => {
        await inner.atEnd((sql) => sql`insert into notes values (2)`)
        throw new Error('no, after all')
      })
      .catch(() => undefined)
  })
  assert.deepEqual(await listIds(pool), [1])
})

test('statements that travel with the begin: the transaction is whole', async (t) => {
  const pool = await openNotes(t)
  await pool.begin(
    async (database) => {
      await Promise.all([database`select 1`, database`select 2`])
      await add(database, 1)
    },
    { isReadFirst: true }
  )
  await assert.rejects(
    pool.begin(
      async (database) => {
        await database`select 1`
        await add(database, 2)
        throw new Error('no, after all')
      },
      { isReadFirst: true }
    ),
    /no, after all/
  )
  assert.deepEqual(await listIds(pool), [1])
})

/** A way to the server on which the next `begin` arrives misspelt, so that the server refuses it. */
async function startMisspelling(t: TestContext, socketFolder: string) {
  const state = { isNext: false }
  const way = createServer((client) => {
    const server = connectSocket(join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`))
    for (const [one, other] of [
      [client, server],
      [server, client]
    ] as const) {
      one.on('error', () => one.destroy())
      one.on('close', () => other.destroy())
    }
    client.on('data', (chunk: Buffer) => {
      const at = state.isNext ? chunk.indexOf('begin') : -1
      if (at >= 0) {
        state.isNext = false
        chunk.write('bigen', at)
      }
      server.write(chunk)
    })
    server.pipe(client)
  })
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  atEnd(t, () => void way.close())
  return { state, port: (way.address() as AddressInfo).port }
}

test('when a `begin` fails that reads travel with, nothing is written, and the connection goes on', async (t) => {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const { state, port } = await startMisspelling(t, database.url.socketFolder)
  const url = `postgres://chappe@127.0.0.1:${port}/${database.name}`
  const pool = connect({ url, applicationName: 'transaction test', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  await pool`create table notes (id integer primary key)`
  let hasWritten = false
  state.isNext = true
  await assert.rejects(
    pool.begin(
      async (database) => {
        await Promise.all([database`select 1`, database`select 2`])
        await add(database, 1)
        hasWritten = true
      },
      { isReadFirst: true }
    ),
    /syntax error/
  )
  assert.equal(hasWritten, false)
  state.isNext = true
  const writeAtEnd = async (database: Database) => {
    await database`select 1`
    await database.atEnd((sql) => sql`insert into notes values (2)`)
  }
  await assert.rejects(pool.begin(writeAtEnd, { isReadFirst: true }), /syntax error/)
  assert.deepEqual(await listIds(pool), [])
  await pool.begin((database) => add(database, 3), { isReadFirst: true })
  assert.deepEqual(await listIds(pool), [3])
})

test('work for after the commit is done once it is stored, of savepoints too, and not at all without a commit', async (t) => {
  const pool = await openNotes(t)
  const done: string[] = []
  await pool.begin(async (database) => {
    database.afterCommit(() => done.push('outer'))
    await add(database, 1)
    await database.begin(async (inner) => {
      inner.afterCommit(() => done.push('inner'))
      await add(inner, 2)
    })
    await database
      .begin(async (inner) => {
        inner.afterCommit(() => done.push('undone savepoint'))
        await add(inner, 2)
      })
      .catch(() => undefined)
    assert.deepEqual(done, [])
  })
  assert.deepEqual(done, ['outer', 'inner'])
  await assert.rejects(
    pool.begin(async (database) => {
      database.afterCommit(() => done.push('undone'))
      await add(database, 1)
    })
  )
  pool.afterCommit(() => done.push('at once'))
  assert.deepEqual(done, ['outer', 'inner', 'at once'])
})
