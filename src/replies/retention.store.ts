import type { Sql } from '../database/database.ts'
import { deleteOldest, type Retention } from '../database/delete-old.ts'

export async function deleteOldReplies(sql: Sql, retention: Retention): Promise<number> {
  return deleteOldest(sql, { table: 'replies', column: 'created_at', order: 'id' }, retention)
}
