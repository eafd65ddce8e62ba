import type { Sql } from '../database/database.ts'
import type { Carrier } from './carrier.ts'
import { deleteStatuses, upsertStatuses } from './statuses.store.ts'

/** A process that has said nothing for so long is not counted on; it tells every second. */
export const STATUS_SECONDS = 5
const GONE_SECONDS = 60

/** Tells how the RCS carriers of this process are doing. SMPP tells by its binds. */
export async function publishStatuses(
  sql: Sql,
  { owner, carriers }: { owner: string; carriers: Iterable<Carrier> }
): Promise<void> {
  const statuses = [...carriers].flatMap((carrier) => {
    const { isUp, rcs } = carrier.status()
    return rcs ? [{ carrier: carrier.name, owner, isUp, rcs }] : []
  })
  await upsertStatuses(sql, statuses)
}

/** This process stops: nothing goes through it any more. */
export async function withdrawStatuses(sql: Sql, { owner }: { owner: string }): Promise<void> {
  await deleteStatuses(sql, { owner, seconds: GONE_SECONDS })
}
