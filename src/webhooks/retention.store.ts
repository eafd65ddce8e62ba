import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'

export async function deleteOldEvents(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'events', column: 'created_at' }, retention)
}

/** The history of deliveries; one that is still to be tried is kept. */
export async function deleteOldDeliveries(sql: Sql, retention: Retention): Promise<number> {
  const kept = { table: 'webhook_deliveries', column: 'created_at' }
  return deleteOld(sql, { ...kept, isOver: sql`status in ('succeeded', 'failed')` }, retention)
}
