import type { Pool } from './database/database.ts'
import {
  type DistributeOptions,
  distributeTables,
  type MoveOptions,
  undistributeTables
} from './database/distribute.ts'
import { dropStatistics, restoreStatistics } from './database/id-ranges.store.ts'
import { fillPhoneAccounts, truncatePhoneAccounts } from './recipients/phone-accounts.store.ts'
import { queueHiddenRecipients } from './retention/retention.store.ts'
import { dropNumbering, numberAtCoordinator } from './webhooks/events.store.ts'

/*
 * A database is moved to a Citus cluster, and back. A phone leads to its accounts in another way there, recipients of removed
 * messages leave one by one there, instead of with their range, and events get their transactions from a trigger.
 */

const rows = {
  async begin(sql) {
    await fillPhoneAccounts(sql)
    await dropStatistics(sql)
    await queueHiddenRecipients(sql)
    await numberAtCoordinator(sql)
  },
  async end(sql) {
    await truncatePhoneAccounts(sql)
    await restoreStatistics(sql)
    await dropNumbering(sql)
  }
} satisfies Parameters<typeof distributeTables>[1]['rows']

export async function distribute(pool: Pool, options: DistributeOptions): Promise<void> {
  await distributeTables(pool, { ...options, rows })
}

export async function undistribute(pool: Pool, options: MoveOptions): Promise<void> {
  await undistributeTables(pool, { ...options, rows })
}
