import type { Sql } from '../database/database.ts'
import type { Standing } from './account.ts'

/** An account from which nothing may leave, and why. */
export interface SuspendedAccount {
  id: number
  standing: Standing
  standingReason: string
}

/** Accounts that are suspended or being closed, and the sub-accounts of suspended ones. Covers all accounts: for processes. */
export async function listSuspendedAccounts(sql: Sql): Promise<SuspendedAccount[]> {
  return sql<SuspendedAccount[]>`
    with above as (
      select id, standing, standing_reason
      from accounts
      where standing = 'suspended' or is_closing
    )
    select id, standing, standing_reason
    from above
    union all
    select accounts.id, above.standing, above.standing_reason
    from above
    join accounts on accounts.parent_id = above.id
    where accounts.standing = 'open'
  `
}
