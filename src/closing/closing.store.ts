import type { Sql } from '../database/database.ts'

/** An account that is being closed. */
export interface ClosingAccount {
  id: number
  /** Whether no request that came before the closing can still be at work. */
  isSettled: boolean
}

/** Covers all accounts: for workers. */
export async function listClosingAccounts(sql: Sql, settledSeconds: number): Promise<ClosingAccount[]> {
  return sql<ClosingAccount[]>`
    select id, standing_since < now() - make_interval(secs => ${settledSeconds}) as is_settled
    from accounts
    where is_closing
    order by id
  `
}

/** Messages of an account that may still have something to cancel, oldest first. */
export async function listLiveMessageIds(
  sql: Sql,
  { accountId, afterId, limit }: { accountId: number; afterId: number; limit: number }
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id
    from messages
    where account_id = ${accountId}
      and id > ${afterId}
      and (
        state in ('scheduled', 'sending')
        or id in (select message_id from rcs_waits where account_id = ${accountId} and step = 'report')
      )
    order by id
    limit ${limit}
  `
  return rows.map(({ id }) => id)
}

/** What closed sub-accounts have left, with the account above that it returns to. */
export interface LeftCredits {
  accountId: number
  parentId: number
  messageType: 1 | 2
  available: number
}

/** Covers all accounts: for workers. Refunds may come long after the closing. */
export async function listLeftCredits(sql: Sql, limit: number): Promise<LeftCredits[]> {
  return sql<LeftCredits[]>`
    select account_id, parent_id, message_type, available
    from accounts
    join credit_balances on credit_balances.account_id = accounts.id
    where standing = 'closed'
      and parent_id is not null
      and available > 0
    order by account_id, message_type
    limit ${limit}
  `
}

/** Accounts that were closed this long ago and still have people or senders, the oldest first. */
export async function listLongClosed(sql: Sql, { days, limit }: { days: number; limit: number }): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id
    from accounts
    where standing = 'closed'
      and standing_since < now() - make_interval(days => ${days})
      and (
        exists (select from memberships where memberships.account_id = accounts.id)
        or exists (select from senders where senders.account_id = accounts.id)
      )
    order by standing_since
    limit ${limit}
  `
  return rows.map(({ id }) => id)
}
