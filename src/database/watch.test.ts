import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/checks/eventually.ts'
import { createDatabase } from '../../test/database/databases.ts'
import { startAddress } from '../../test/peers/address.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect, isDatabaseUnavailable, liftStatementTimeout, SOCKET_PORT } from './database.ts'

async function connectThrough(t: TestContext) {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const { socketFolder, user, database: name } = database.url
  const address = await startAddress(t, { path: join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`) })
  const url = `postgres://${user}@127.0.0.1:${address.port}/${name}`
  const pool = connect({ url, applicationName: `watch test ${name}`, connectionsMax: 4 })
  atEnd(t, () => pool.close(0))
  const direct = connect({ url: database.url, applicationName: 'beside it', connectionsMax: 2 })
  atEnd(t, () => direct.close(0))
  return { address, pool, direct }
}

test('watched connections', { concurrency: true }, async (t) => {
  const tests = [
    t.test('when packets vanish, whoever waits is told within seconds, and all goes on by itself', async (t) => {
      const { address, pool } = await connectThrough(t)
      const heard: string[] = []
      await pool.listen('vanishing', (payload) => void heard.push(payload))
      await Promise.all(Array.from({ length: 4 }, () => pool`select pg_sleep(0.1)`))
      address.silence()
      const since = Date.now()
      const queries = Array.from({ length: 40 }, () => pool`select 1`)
      const transaction = pool.begin(async (pool) => {
        await pool`select 1`
        await pool`select 2`
      })
      for (const result of await Promise.allSettled([...queries, transaction])) {
        assert.ok(result.status === 'rejected' && isDatabaseUnavailable(result.reason), String(result.status))
      }
      assert.ok(Date.now() - since < 30_000, 'it took longer than any statement may')
      t.diagnostic(`told after ${((Date.now() - since) / 1000).toFixed(1)} s`)
      await assert.rejects(pool.check(), isDatabaseUnavailable)
      address.hear()
      await eventually(() => pool.check())
      // Whoever listens does so over the old connection, if all arrived before it was given up, or over a new one.
      await eventually(
        async () => {
          await pool.signal('vanishing')
          assert.ok(heard.length > 0)
        },
        { withinMs: 30_000, everyMs: 200 }
      )
    }),

    t.test('a server that works is never taken for one that is gone', async (t) => {
      const { pool, direct } = await connectThrough(t)
      await pool`create table slow (id int primary key)`
      await pool`insert into slow values (1)`
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
      const held = direct.begin(async (direct) => {
        await direct`select from slow for update`
        await isOver
      })
      const waiting = pool.begin(async (pool) => {
        await liftStatementTimeout(pool)
        return pool`update slow set id = 2 returning id`
      })
      const sleeping = pool`select pg_sleep(14)`.execute()
      await sleep(13_000)
      end()
      await held
      assert.deepEqual([...(await waiting)], [{ id: 2 }])
      await sleeping
    }),

    t.test(
      'what lies behind an address has moved without a word: connections to what was there are given up',
      async (t) => {
        const { address, pool } = await connectThrough(t)
        let listenings = 0
        const heard: string[] = []
        const onNotify = (payload: string) => void heard.push(payload)
        await pool.listen('stranded', onNotify, () => void listenings++)
        const pidOf = async () => (await pool<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid
        await Promise.all(Array.from({ length: 4 }, () => pool`select pg_sleep(0.1)`))
        const before = await pidOf()
        address.strand()
        await assert.rejects(pool`select 1`, isDatabaseUnavailable)
        // Also those that nobody waited for: the others find the new server at once.
        for (let time = 0; time < 4; time++) assert.notEqual(await pidOf(), before)
        await eventually(() => assert.equal(listenings, 2, 'who listens has been told of the gap'), {
          withinMs: 30_000
        })
        await pool.signal('stranded')
        await eventually(() => assert.equal(heard.length, 1))
      }
    )
  ]
  await Promise.all(tests)
})
