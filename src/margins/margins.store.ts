import type { MessageTypeId } from '../credits/credit.ts'
import type { Sql } from '../database/database.ts'

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

/**
 * The account that bought the credits of an account from the operator: its parent, or itself at the top level and as a
 * sub-account of the operator.
 */
function buyerOf(sql: Sql): ReturnType<Sql> {
  return sql`
    coalesce(
      (select parents.id from accounts as parents where parents.id = accounts.parent_id and not parents.is_operator),
      accounts.id
    )
  `
}

/**
 * Sales of the operator, by the account that bought: its sub-accounts spend credits that it bought. `other_id` is the account that
 * sent, as in the costs: a sub-account of the operator may spend the operator's own credits.
 */
export async function listSoldByOperator(sql: Sql, days: Days): Promise<Sold[]> {
  return sql<Sold[]>`
    select buyer.id as account_id, buyer.social_reason as name, message_type, credit_figures.country,
      sum(used - refunded)::bigint as credits, money.currency, sum((used - refunded)::numeric * money.amount)::text as revenue,
      null as cost_currency, null as cost
    from credit_figures
    join accounts on accounts.id = credit_figures.other_id
    join accounts as buyer on buyer.id = ${buyerOf(sql)}
    ${moneyOf(sql, { figures: sql`credit_figures`, accountId: sql`buyer.id`, name: sql`money` })}
    where day between ${days.first}::date and ${days.last}::date
      and (used <> 0 or refunded <> 0)
    group by buyer.id, message_type, credit_figures.country, money.currency
    order by buyer.id, message_type, credit_figures.country
  `
}

/** Sales of a parent to its sub-accounts. The parent's own price of a credit is what it costs. */
export async function listSoldByParent(sql: Sql, parentId: number, days: Days): Promise<Sold[]> {
  const figures = sql`credit_figures`
  return sql<Sold[]>`
    select accounts.id as account_id, accounts.social_reason as name, message_type, credit_figures.country,
      sum(used - refunded)::bigint as credits, money.currency, sum((used - refunded)::numeric * money.amount)::text as revenue,
      cost.currency as cost_currency, sum((used - refunded)::numeric * cost.amount)::text as cost
    from credit_figures
    join accounts on accounts.id = credit_figures.account_id
    ${moneyOf(sql, { figures, accountId: sql`accounts.id`, name: sql`money` })}
    ${moneyOf(sql, { figures, accountId: sql`${parentId}::bigint`, name: sql`cost` })}
    where accounts.parent_id = ${parentId}
      and day between ${days.first}::date and ${days.last}::date
      and (used <> 0 or refunded <> 0)
    group by accounts.id, message_type, credit_figures.country, money.currency, cost.currency
    order by accounts.id, message_type, credit_figures.country
  `
}

/** The price of a credit at the end of the day of a row. */
function moneyOf(
  sql: Sql,
  { figures, accountId, name }: Record<'figures' | 'accountId' | 'name', ReturnType<Sql>>
): ReturnType<Sql> {
  return sql`
    left join lateral (
      select currency, amount
      from credit_money
      where credit_money.account_id = ${accountId}
        and credit_money.message_type = ${figures}.message_type
        and valid_from < (day + 1)::timestamp at time zone 'UTC'
      order by valid_from desc
      limit 1
    ) as ${name} on true
  `
}

/** What carriers cost for the messages of a top-level account and its sub-accounts to a country. */
export interface Cost extends Pick<Sold, 'accountId' | 'name' | 'messageType' | 'country' | 'currency'> {
  /** Empty for units without a cost. */
  costCurrency: string
  units: number
  amount: string
}

/** By the currency that credits of the account were sold in on the day, as sales are. */
export async function listCostsByAccount(sql: Sql, days: Days): Promise<Cost[]> {
  return sql<Cost[]>`
    select buyer.id as account_id, buyer.social_reason as name, message_type, cost_figures.country, money.currency,
      cost_figures.currency as cost_currency, sum(units)::bigint as units, sum(cost_figures.amount)::text as amount
    from cost_figures
    join accounts on accounts.id = cost_figures.account_id
    join accounts as buyer on buyer.id = ${buyerOf(sql)}
    ${moneyOf(sql, { figures: sql`cost_figures`, accountId: sql`buyer.id`, name: sql`money` })}
    where day between ${days.first}::date and ${days.last}::date
    group by buyer.id, message_type, cost_figures.country, money.currency, cost_figures.currency
  `
}
