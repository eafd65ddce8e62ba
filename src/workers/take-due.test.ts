import { strict as assert } from 'node:assert'
import { startService, test } from '../../test/service/service.ts'
import { createTakeDue } from './take-due.ts'

test('what fails is put off, so that what is due behind it is done', async (t) => {
  const { pool } = await startService(t)
  await pool`create table tasks (id integer primary key, due_at timestamptz not null)`
  await pool`insert into tasks values (1, now() - interval '2 seconds'), (2, now() - interval '1 second')`
  const done: number[] = []
  const takeDue = createTakeDue<{ id: number }>({
    pool,
    async lock(database) {
      const [due] = await database<{ id: number; topLevelId: number }[]>`
        select id, 1 as top_level_id from tasks where due_at <= now() order by due_at limit 1 for update skip locked
      `
      return due
    },
    async work(database, { id }) {
      if (id === 1) throw new Error('It is broken.')
      await database`delete from tasks where id = ${id}`
      done.push(id)
    },
    async putOff(database, { id }) {
      await database`update tasks set due_at = now() + interval '1 hour' where id = ${id}`
    }
  })
  await assert.rejects(takeDue(), /It is broken/)
  assert.deepEqual(await takeDue(), { isMoreDue: false })
  assert.deepEqual(done, [2])
})
