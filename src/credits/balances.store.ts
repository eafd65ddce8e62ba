import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Part } from '../database/sql.ts'
import { type Balance, type BalanceKey, isSameBalance } from './balance.ts'
import type { MessageTypeId } from './credit.ts'

/** Locks balances until the transaction ends, in the one order of all transactions. A missing balance is made. */
export async function lockBalances(sql: Sql, keys: readonly BalanceKey[]): Promise<Balance[]> {
  const accountIds = keys.map(({ accountId }) => accountId)
  const messageTypes = keys.map(({ messageType }) => messageType)
  const locked = await lockExistingBalances(sql, keys)
  const isComplete = keys.every((key) => locked.some((balance) => isSameBalance(balance, key)))
  if (isComplete) return locked

  await sql`
    insert into credit_balances (account_id, message_type)
    select account_id, message_type
    from unnest(${accountIds}::bigint[], ${messageTypes}::smallint[]) as wanted (account_id, message_type)
    order by account_id, message_type
    on conflict do nothing
  `
  return lockExistingBalances(sql, keys)
}

/** The same, without making those that are missing. */
export async function lockExistingBalances(sql: Sql, keys: readonly BalanceKey[]): Promise<Balance[]> {
  const accountIds = keys.map(({ accountId }) => accountId)
  const messageTypes = keys.map(({ messageType }) => messageType)
  const [messageType] = messageTypes
  if (messageType !== undefined && messageTypes.every((type) => type === messageType)) {
    // One walk along the index, in the order of all transactions.
    return sql<Balance[]>`
      select account_id, message_type, available
      from credit_balances
      where account_id = any(${accountIds})
        and message_type = ${messageType}
      order by account_id
      for no key update
    `
  }
  return sql<Balance[]>`
    select account_id, message_type, available
    from credit_balances
    where (account_id, message_type) in (
      select account_id, message_type
      from unnest(${accountIds}::bigint[], ${messageTypes}::smallint[]) as wanted (account_id, message_type)
    )
    order by account_id, message_type
    for no key update
  `
}

/** The payer of each account now: itself, or its parent. */
export async function listPayers(
  sql: Sql,
  accountIds: readonly number[]
): Promise<{ accountId: number; payerId: number }[]> {
  return sql`
    select id as account_id, case credits_mode when 'parent' then parent_id else id end as payer_id
    from accounts
    where id = any(${accountIds as number[]})
  `
}

/** The balance that pays for an account, and its owner. */
export interface PayerBalance extends Balance {
  spenderId: number
}

/**
 * The balances that pay for these accounts. If wanted, they are locked until the transaction ends, in the one order of
 * all transactions. A balance that was never used does not exist yet, and is left out.
 */
export async function listPayerBalances(
  sql: Sql,
  {
    spenderIds,
    messageType,
    isLocked
  }: { spenderIds: readonly number[]; messageType: MessageTypeId; isLocked: boolean }
): Promise<PayerBalance[]> {
  if (isLocked) return lockPayerBalances(sql, spenderIds, messageType)
  // Each balance by its key, whatever the planner knows: a young table looks as if all of it could be read as well.
  return sql<PayerBalance[]>`
    select accounts.id as spender_id, balance.account_id, message_type, available
    from accounts
    cross join lateral (
      select account_id, message_type, available
      from credit_balances
      where account_id = case credits_mode when 'parent' then parent_id else accounts.id end
        and message_type = ${messageType}
      offset 0
    ) as balance
    where accounts.id = any(${spenderIds as number[]})
  `
}

async function lockPayerBalances(
  sql: Sql,
  spenderIds: readonly number[],
  messageType: MessageTypeId
): Promise<PayerBalance[]> {
  return sql<PayerBalance[]>`
    select accounts.id as spender_id, credit_balances.account_id, message_type, available
    from accounts
    join credit_balances
      on credit_balances.account_id = case credits_mode when 'parent' then parent_id else accounts.id end
      and message_type = ${messageType}
    where accounts.id = any(${spenderIds as number[]})
    order by credit_balances.account_id
    for no key update of credit_balances
  `
}

/** A balance as it is expected at the end of a transaction. */
export interface Forecast {
  payerId: number
  available: number
}

/**
 * A query for a part of another statement: by how much each balance is above its forecast. Null for a balance that does
 * not exist. Each balance is looked up by its key: by an equality, PostgreSQL may read those of all accounts.
 */
export function forecastDifferences(sql: Sql, forecasts: readonly Forecast[], messageType: MessageTypeId): Part {
  return sql`
    select position, credit_balances.available - forecast as difference
    from unnest(
      ${numberArray(forecasts.map(({ payerId }) => payerId))}::bigint[],
      ${numberArray(forecasts.map(({ available }) => available))}::bigint[]
    ) with ordinality as given (payer_id, forecast, position)
    left join credit_balances on account_id = any(array[payer_id]) and message_type = ${messageType}
  `
}

/** The reserved credits of all accounts, by type. */
export async function listReserved(sql: Sql): Promise<{ messageType: number; reserved: number }[]> {
  return sql`
    select message_type, sum(reserved)::double precision as reserved
    from credit_balances
    group by message_type
  `
}
