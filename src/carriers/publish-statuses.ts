import type { Sql } from '../database/database.ts'
import type { Carrier } from './carrier.ts'
import { deleteStatuses, upsertStatuses } from './statuses.store.ts'

/** Each process publishes every second: a status that is older than this is not counted on. */
export const STATUS_SECONDS = 5
const DELETE_AFTER_SECONDS = 60

/** Publishes how the carriers of this process are doing. A carrier with binds publishes each bind with its lease. */
export async function publishStatuses(
  sql: Sql,
  { owner, carriers }: { owner: string; carriers: Iterable<Carrier> }
): Promise<void> {
  const statuses = [...carriers].flatMap((carrier) => {
    const { isUp, traffic } = carrier.status()
    return traffic ? [{ carrier: carrier.name, owner, isUp, traffic }] : []
  })
  await upsertStatuses(sql, statuses)
}

/** This process stops: nothing goes through it any more. */
export async function withdrawStatuses(sql: Sql, { owner }: { owner: string }): Promise<void> {
  await deleteStatuses(sql, { owner, seconds: DELETE_AFTER_SECONDS })
}
