import { strict as assert } from 'node:assert'
import type { Pool } from '../../src/database/database.ts'
import { eventually } from '../checks/eventually.ts'

/** Until so many wait for a lock in the database. */
export async function untilWaiting(pool: Pool, count: number): Promise<void> {
  await eventually(async () => {
    const [row] = await pool<[{ waiting: number }]>`
      select count(*) as waiting
      from pg_stat_activity
      where wait_event_type = 'Lock'
        and datname = current_database()
    `
    assert.equal(row.waiting, count)
  })
}
