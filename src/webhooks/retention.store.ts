import type { Sql } from '../database/database.ts'
import { deleteOldest, type Retention } from '../database/delete-old.ts'

export async function deleteOldEvents(sql: Sql, retention: Retention): Promise<number> {
  return deleteOldest(sql, { table: 'events', column: 'created_at', order: 'id' }, retention)
}

/** The history of deliveries; one that is still to be tried is kept. */
export async function deleteOldDeliveries(sql: Sql, retention: Retention): Promise<number> {
  const kept = { table: 'webhook_deliveries', column: 'created_at', order: 'id' }
  return deleteOldest(sql, { ...kept, isOver: sql`status in ('succeeded', 'failed')` }, retention)
}
