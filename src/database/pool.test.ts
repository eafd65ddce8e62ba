import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/checks/eventually.ts'
import { createBareDatabase } from '../../test/database/databases.ts'
import { startAddress } from '../../test/peers/address.ts'
import { newDataFolder, postmasterPid } from '../../test/processes/process.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect, isDatabaseUnavailable, type Pool, SOCKET_PORT } from './database.ts'
import { startEmbeddedServer } from './embedded-server.ts'

const LANES = 10
const RESTARTS = 8

test('when the server dies under transactions, each of them ends, and the next ones work', async (t) => {
  const folder = await newDataFolder(t)
  const server = await startEmbeddedServer(folder)
  atEnd(t, () => server.stop())
  const pool = connect({ url: server.url, applicationName: 'pool test', connectionsMax: 20 })
  atEnd(t, () => pool.close(0))
  await pool`create table tallies (id int primary key, count int not null)`
  await pool`insert into tallies select id, 0 from generate_series(0, 3) as id`

  let isOver = false
  let [done, failed] = [0, 0]
  const turns: number[] = []
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    while (!isOver) {
      turns[lane] = (turns[lane] ?? 0) + 1
      try {
        await pool.begin(async (pool) => {
          await pool`select count from tallies where id = ${lane % 4} for update`
          await pool`update tallies set count = count + 1 where id = ${lane % 4}`
          await pool`select sum(count) from tallies where id <> ${lane}`
        })
        done++
      } catch {
        failed++ // As it should while the server is away.
        await sleep(5)
      }
    }
  })
  for (let restart = 0; restart < RESTARTS; restart++) {
    const doneBefore = done
    await eventually(() => assert.ok(done > doneBefore + 50))
    const pid = await postmasterPid(folder)
    assert.ok(pid)
    process.kill(pid, 'SIGQUIT')
    await sleep(20 + restart * 10)
    await server.ensureRunning()
    const turnsBefore = [...turns]
    await eventually(() => {
      for (const [lane, turn] of turnsBefore.entries())
        assert.ok((turns[lane] ?? 0) > turn, `lane ${lane} waits for ever`)
    })
  }
  isOver = true
  await Promise.all(lanes)
  assert.ok(failed > 0, 'no transaction was under way when the server died: this test has shown nothing')
  const [row] = await pool<[{ sum: number }]>`select sum(count) from tallies`
  // A commit whose answer was lost counts as failed here, and may have been done.
  assert.ok(row.sum >= done && row.sum <= done + failed, `${row.sum} stored, ${done} answered, ${failed} failed`)
})

async function open(t: TestContext, connectionsMax: number): Promise<Pool> {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'pool test', connectionsMax })
  atEnd(t, () => pool.close(1))
  return pool
}

test('a statement that was prepared before its table changed goes on working', async (t) => {
  const pool = await open(t, 1)
  await pool`create table notes (id integer primary key)`
  const list = () => pool`select * from notes`
  await pool`insert into notes values (1)`
  assert.deepEqual(Array.from(await list()), [{ id: 1 }])
  await pool`alter table notes alter id type text, add text text`
  for (let turn = 0; turn < 3; turn++) assert.deepEqual(Array.from(await list()), [{ id: '1', text: null }])
})

test('a connection that is cut fails all its statements, and no others', async (t) => {
  const pool = await open(t, 2)
  await pool`create table notes (id integer primary key)`
  let pid = 0
  const { promise: isUnderWay, resolve } = Promise.withResolvers<void>()
  const cut = pool.begin(async (database) => {
    const [row] = await database<[{ pid: number }]>`select pg_backend_pid() as pid`
    pid = row.pid
    const statements = [
      database`insert into notes values (1)`.execute(),
      database`select pg_sleep(60)`.execute(),
      database`insert into notes values (2)`.execute(),
      database`insert into notes values (3)`.execute()
    ]
    resolve()
    const results = await Promise.allSettled(statements)
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'rejected']
    )
    for (const result of results.slice(1)) {
      assert.ok(result.status === 'rejected' && isDatabaseUnavailable(result.reason), String(result.status))
    }
  })
  await isUnderWay
  await eventually(async () => {
    const [row] = await pool`select query from pg_stat_activity where pid = ${pid}`
    assert.match(row?.query, /pg_sleep/)
  })
  const isCut = assert.rejects(cut, isDatabaseUnavailable)
  await pool`select pg_terminate_backend(${pid})`
  await isCut
  assert.equal((await pool`select from notes`).length, 0)
})

test('a statement that takes too long fails alone', async (t) => {
  const pool = await open(t, 1)
  await assert.rejects(
    pool.begin(async (database) => {
      await database`set local statement_timeout = '50ms'`
      await database`select pg_sleep(60)`
    }),
    { code: '57014' }
  )
  assert.equal((await pool`select 1`).length, 1)
})

test('closing waits for what runs, refuses what comes, and cuts what takes too long', async (t) => {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const patient = connect({ url: database.url, applicationName: 'pool test', connectionsMax: 1 })
  const last = patient`select pg_sleep(0.2)`.execute()
  const waiting = patient`select 1`.execute()
  const closed = patient.close(60)
  await assert.rejects(async () => patient`select 1`, { code: 'CONNECTION_ENDED' })
  await Promise.all([last, waiting, closed])

  const impatient = connect({ url: database.url, applicationName: 'pool test', connectionsMax: 1 })
  await impatient`select 1`
  const cut = assert.rejects(impatient`select pg_sleep(60)`.execute(), isDatabaseUnavailable)
  await impatient.close(0)
  await cut
})

test('all channels of a pool are listened to on one connection, which is renewed when it is cut', async (t) => {
  const pool = await open(t, 2)
  const heard: string[] = []
  const listenings: string[] = []
  const listen = (channel: string) =>
    pool.listen(
      channel,
      (payload) => void heard.push(`${channel} ${payload}`),
      () => void listenings.push(channel)
    )
  await Promise.all([listen('first_channel'), listen('second_channel')])
  await listen('third_channel')
  assert.deepEqual(listenings, ['first_channel', 'second_channel', 'third_channel'])
  const listeners = () =>
    pool`select pid from pg_stat_activity where datname = current_database() and query like 'listen %'`
  const [listener, ...others] = await listeners()
  assert.deepEqual(others, [])
  await pool`select pg_notify('second_channel', 'x')`
  await eventually(() => assert.deepEqual(heard, ['second_channel x']))

  await pool`select pg_terminate_backend(${listener?.pid}::int)`
  await eventually(() => assert.equal(listenings.length, 6))
  assert.deepEqual(listenings.slice(3), listenings.slice(0, 3), 'each is told of the gap')
  await pool`select pg_notify('third_channel', 'y')`
  await eventually(() => assert.deepEqual(heard, ['second_channel x', 'third_channel y']))
  assert.equal((await listeners()).length, 1)
})

test('a first connection that is cut while it is opened does not keep a pool from listening', async (t) => {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const { socketFolder, user, database: name } = database.url
  const address = await startAddress(t, { path: join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`) })
  const url = `postgres://${user}@127.0.0.1:${address.port}/${name}`
  const pool = connect({ url, applicationName: 'pool test', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  address.silence()
  const heard: string[] = []
  const listening = pool.listen(
    'channel',
    (payload) => void heard.push(payload),
    () => undefined
  )
  await eventually(() => assert.equal(address.connectionCount, 1))
  address.cut()
  address.hear()
  await listening
  await pool`select pg_notify('channel', 'x')`
  await eventually(() => assert.deepEqual(heard, ['x']))
})
