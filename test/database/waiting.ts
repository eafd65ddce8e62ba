import { strict as assert } from 'node:assert'
import type { Pool } from '../../src/database/database.ts'
import { isDistributed } from '../../src/database/shape.ts'
import { eventually } from '../checks/eventually.ts'

const WAITING = `
  select count(*) as waiting
  from pg_stat_activity
  where wait_event_type = 'Lock'
    and datname = current_database()
`

/** Until so many wait for a lock in the database, on all nodes of a cluster. */
export async function untilWaiting(pool: Pool, count: number): Promise<void> {
  await eventually(async () => {
    const [row] = await pool.unsafe<[{ waiting: number }]>(WAITING)
    const [workers] = isDistributed()
      ? await pool<[{ waiting: number }]>`
          select sum(result::bigint)::bigint as waiting
          from run_command_on_workers(${WAITING})
        `
      : [{ waiting: 0 }]
    assert.equal(row.waiting + workers.waiting, count)
  })
}
