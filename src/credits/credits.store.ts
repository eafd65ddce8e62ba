import type { Sql } from '../database/database.ts'
import type { BalanceKey } from './balance.ts'
import type { MessageTypeId } from './credit.ts'
import { eurosOf, unitPriceOf } from './credit-money.store.ts'

export interface CreditsRow {
  accountId: number
  messageType: MessageTypeId
  label: string
  price: string
  /** The price of a credit that is set for the account, and its currency; null without one. */
  unitPrice: string | null
  currency: string | null
  available: number
}

/** The credits that each account can spend, per message type: its parent's in the mode `parent`. */
export async function listSpendableCredits(sql: Sql, accountIds: readonly number[]): Promise<CreditsRow[]> {
  return sql<CreditsRow[]>`
    select accounts.id as account_id, message_types.id as message_type, label,
      ${eurosOf(sql, sql`accounts.id`)} as price, unit_price, currency, coalesce(available, 0) as available
    from accounts
    cross join message_types
    ${unitPriceOf(sql, sql`accounts.id`)}
    left join credit_balances
      on credit_balances.account_id = case credits_mode when 'parent' then parent_id else accounts.id end
      and credit_balances.message_type = message_types.id
    where accounts.id = any(${accountIds as number[]})
    order by message_types.id
  `
}

/** The credits that an account can spend on messages of a type now. */
export async function findSpendable(sql: Sql, { accountId, messageType }: BalanceKey): Promise<number> {
  const rows = await listSpendableCredits(sql, [accountId])
  return rows.find((row) => row.messageType === messageType)?.available ?? 0
}

/** An account's own credits, per message type, whatever its mode. */
export async function listOwnCredits(sql: Sql, accountId: number): Promise<CreditsRow[]> {
  return sql<CreditsRow[]>`
    select ${accountId}::bigint as account_id, id as message_type, label,
      ${eurosOf(sql, sql`${accountId}::bigint`)} as price, unit_price, currency, coalesce(available, 0) as available
    from message_types
    ${unitPriceOf(sql, sql`${accountId}::bigint`)}
    left join credit_balances
      on credit_balances.account_id = ${accountId}
      and credit_balances.message_type = message_types.id
    order by id
  `
}
