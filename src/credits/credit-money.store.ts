import type { Sql } from '../database/database.ts'
import type { MessageTypeId } from './credit.ts'

/** The price of a credit of an account. */
export interface CreditMoney {
  accountId: number
  messageType: MessageTypeId
  currency: string
  /** In millionths. */
  amount: number
  validFrom: Date
}

export async function insertCreditMoney(
  sql: Sql,
  { accountId, messageType, currency, amount }: Omit<CreditMoney, 'validFrom'>
): Promise<void> {
  await sql`
    insert into credit_money (account_id, message_type, valid_from, currency, amount)
    values (${accountId}, ${messageType}, clock_timestamp(), ${currency}, ${amount})
  `
}

/** The price of a credit of the account in euros, or of its message type where it has none in euros. */
export function eurosOf(sql: Sql, accountId: ReturnType<Sql>): ReturnType<Sql> {
  return sql`
    coalesce(
      (
        select case currency when 'EUR' then amount::numeric / 1000000 end
        from credit_money
        where credit_money.account_id = ${accountId}
          and credit_money.message_type = message_types.id
        order by valid_from desc
        limit 1
      ),
      price
    )
  `
}

/** Joins `unit_price` and `currency`: the price of a credit of the account, as a decimal number; null without one. */
export function unitPriceOf(sql: Sql, accountId: ReturnType<Sql>): ReturnType<Sql> {
  return sql`
    left join lateral (
      select trim_scale(amount::numeric / 1000000)::text as unit_price, currency
      from credit_money
      where credit_money.account_id = ${accountId}
        and credit_money.message_type = message_types.id
      order by valid_from desc
      limit 1
    ) as own_price on true
  `
}

/**
 * The prices of now: of one account, of the sub-accounts of one, or of all accounts that buy from the operator. Those are the
 * top-level accounts, and its own sub-accounts.
 */
export async function listCreditMoney(
  sql: Sql,
  of: { accountId: number } | { parentId: number } | 'buyers'
): Promise<(CreditMoney & { name: string })[]> {
  const isOf =
    of === 'buyers'
      ? sql`(parent_id is null or parent_id in (select id from accounts where is_operator))`
      : 'accountId' in of
        ? sql`accounts.id = ${of.accountId}`
        : sql`parent_id = ${of.parentId}`
  return sql<(CreditMoney & { name: string })[]>`
    select distinct on (account_id, message_type) account_id, message_type, currency, amount, valid_from,
      social_reason as name
    from credit_money
    join accounts on accounts.id = account_id
    where ${isOf}
    order by account_id, message_type, valid_from desc
  `
}

/** Whether the credits of any account have a price in money. */
export async function hasMoneyPrices(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ hasPrices: boolean }]>`select exists (select from credit_money) as has_prices`
  return row.hasPrices
}
