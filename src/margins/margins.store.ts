import type { MessageTypeId } from '../credits/credit.ts'
import type { Sql } from '../database/database.ts'

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

/** The prices of now: of one account, of the sub-accounts of one, or of all top-level accounts. */
export async function listCreditMoney(
  sql: Sql,
  of: { accountId: number } | { parentId: number } | 'top-level'
): Promise<(CreditMoney & { name: string })[]> {
  const isOf =
    of === 'top-level'
      ? sql`parent_id is null`
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

export interface Days {
  first: string
  last: string
}

/** Credits that messages of an account took to a country, and their price in one currency. */
export interface Sold {
  accountId: number
  name: string
  messageType: MessageTypeId
  /** Empty where it is unknown. */
  country: string
  credits: number
  /** Null without a price. Sums of millionths, as text: they may be larger than numbers are exact. */
  currency: string | null
  revenue: string | null
  /** What these credits cost the parent itself; null for the operator, and without a price. */
  costCurrency: string | null
  cost: string | null
}

/** Sales of the operator, by top-level account: its sub-accounts spend credits that it bought. */
export async function listSoldByOperator(sql: Sql, days: Days): Promise<Sold[]> {
  return sql<Sold[]>`
    select seller.id as account_id, seller.social_reason as name, message_type, credit_figures.country,
      sum(used - refunded)::bigint as credits, money.currency, sum((used - refunded) * money.amount)::text as revenue,
      null as cost_currency, null as cost
    from credit_figures
    join accounts on accounts.id = credit_figures.account_id
    join accounts as seller on seller.id = coalesce(accounts.parent_id, accounts.id)
    ${moneyOf(sql, sql`seller.id`, sql`money`)}
    where day between ${days.first}::date and ${days.last}::date
      and (used <> 0 or refunded <> 0)
    group by seller.id, message_type, credit_figures.country, money.currency
    order by seller.id, message_type, credit_figures.country
  `
}

/** Sales of a parent to its sub-accounts. The parent's own price of a credit is what it costs. */
export async function listSoldByParent(sql: Sql, parentId: number, days: Days): Promise<Sold[]> {
  return sql<Sold[]>`
    select accounts.id as account_id, accounts.social_reason as name, message_type, credit_figures.country,
      sum(used - refunded)::bigint as credits, money.currency, sum((used - refunded) * money.amount)::text as revenue,
      cost.currency as cost_currency, sum((used - refunded) * cost.amount)::text as cost
    from credit_figures
    join accounts on accounts.id = credit_figures.account_id
    ${moneyOf(sql, sql`accounts.id`, sql`money`)}
    ${moneyOf(sql, sql`${parentId}::bigint`, sql`cost`)}
    where accounts.parent_id = ${parentId}
      and day between ${days.first}::date and ${days.last}::date
      and (used <> 0 or refunded <> 0)
    group by accounts.id, message_type, credit_figures.country, money.currency, cost.currency
    order by accounts.id, message_type, credit_figures.country
  `
}

/** The price of a credit at the end of the day. */
function moneyOf(sql: Sql, accountId: ReturnType<Sql>, name: ReturnType<Sql>) {
  return sql`
    left join lateral (
      select currency, amount
      from credit_money
      where credit_money.account_id = ${accountId}
        and credit_money.message_type = credit_figures.message_type
        and valid_from < (day + 1)::timestamp at time zone 'UTC'
      order by valid_from desc
      limit 1
    ) as ${name} on true
  `
}

/** What carriers cost for the messages of a top-level account and its sub-accounts to a country. */
export interface Cost {
  accountId: number
  messageType: MessageTypeId
  country: string
  /** Empty for units without a cost. */
  currency: string
  units: number
  amount: string
}

export async function listCostsByAccount(sql: Sql, days: Days): Promise<Cost[]> {
  return sql<Cost[]>`
    select coalesce(parent_id, accounts.id) as account_id, message_type, cost_figures.country, currency,
      sum(units)::bigint as units, sum(amount)::text as amount
    from cost_figures
    join accounts on accounts.id = cost_figures.account_id
    where day between ${days.first}::date and ${days.last}::date
    group by coalesce(parent_id, accounts.id), message_type, cost_figures.country, currency
  `
}
