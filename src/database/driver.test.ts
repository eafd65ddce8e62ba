import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/checks/eventually.ts'
import { newDataFolder, postmasterPid } from '../../test/processes/process.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect } from './database.ts'
import { startEmbeddedServer } from './embedded-server.ts'

const LANES = 10
const RESTARTS = 8

test('when the server dies under transactions, each of them ends, and the next ones work', async (t) => {
  const folder = await newDataFolder(t)
  const server = await startEmbeddedServer(folder)
  atEnd(t, () => server.stop())
  const pool = connect({ url: server.url, applicationName: 'driver test', connectionsMax: 20 })
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
