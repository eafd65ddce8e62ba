import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'

/** Old opt-outs leave the figures; the STOPs themselves stay. */
export async function deleteOldOptOuts(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'opt_outs', column: 'created_at', isIndexed: true }, retention)
}
