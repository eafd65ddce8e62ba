import { hideListsOf } from '../contacts/contact-lists.store.ts'
import type { Pool } from '../database/database.ts'
import { deleteOldMemberships, eraseLeftPeople } from '../people/erasures.store.ts'
import { listLongClosed } from './closing.store.ts'

/**
 * Removes the personal data of accounts that were closed for as long as data is kept: people who belong to no other account
 * lose their name, email and password, and contact lists are emptied.
 */
export async function erasePeople(pool: Pool, { days, limit }: { days: number; limit: number }): Promise<number> {
  const accountIds = await listLongClosed(pool, { days, limit })
  if (accountIds.length === 0) return 0
  await pool.begin(async (database) => {
    await hideListsOf(database, accountIds)
    await eraseLeftPeople(database, await deleteOldMemberships(database, accountIds))
  })
  return accountIds.length
}
