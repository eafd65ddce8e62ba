import type { Pool } from '../database/database.ts'
import { deleteHiddenContacts, findHiddenList, putLast } from './contact-lists.store.ts'

/** Small enough that each delete is short, under any load. */
const BATCH = 5_000

/** Removes a batch of the contacts of a deleted list; each is a transaction of its own, so that no lock is held for long. */
export async function emptyHiddenLists(pool: Pool): Promise<{ isMoreDue: boolean }> {
  return pool.begin(async (pool) => {
    const list = await findHiddenList(pool)
    if (!list) return { isMoreDue: false }
    const isMoreDue = await deleteHiddenContacts(pool, list, BATCH)
    // Another transaction holds the remaining contacts, perhaps for minutes: other lists go first.
    if (!isMoreDue) await putLast(pool, list)
    return { isMoreDue }
  })
}
