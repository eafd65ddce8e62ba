import { strict as assert } from 'node:assert'
import type { Pool } from '../../src/database/database.ts'
import { eventually } from '../checks/eventually.ts'
import { holdTable } from './hold-table.ts'
import { untilWaiting } from './waiting.ts'

/**
 * Lets a worker fail once at a message that it makes, and another process come first: its statement waits for the row that the
 * worker has locked, and is done before the worker puts its work off.
 */
export async function overtake(
  { pool, logLines }: { pool: Pool; logLines: readonly string[] },
  { begin, statement }: { begin(): Promise<unknown>; statement(): Promise<unknown> }
): Promise<void> {
  await pool.begin(async (sql) => {
    await sql`create table held ()`
    await sql`create function stumble() returns trigger language plpgsql as
      'begin perform from held; raise exception ''stumbled''; end'`
    await sql`create trigger stumble before insert on messages for each row execute function stumble()`
  })
  const held = await holdTable(pool, 'held')
  await begin()
  await untilWaiting(pool, 1)
  const overtaking = statement()
  await untilWaiting(pool, 2)
  await held.release()
  await overtaking
  await eventually(() => assert.ok(logLines.some((line) => line.includes('stumbled'))))
  await pool`drop trigger stumble on messages`
}
