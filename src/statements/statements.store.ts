import type { MessageTypeId } from '../credits/credit.ts'
import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { Sums, UseSums } from './figures.store.ts'

/** The balance of one message type over a month. */
export interface MonthBalance extends Sums {
  messageType: MessageTypeId
  opening: number
  closing: number
}

/** What credits moved for within a month, with the name of an account below. */
export interface MonthUse extends UseSums {
  otherName: string
}

export interface Statement {
  accountId: number
  /** YYYY-MM. */
  month: string
  issuerId: number
  number: number
  closedAt: Date
  accountName: string
  issuerName: string
  issuerAddress: string
}

const columns = (sql: Sql) => sql`
  account_id, to_char(month, 'YYYY-MM') as month, issuer_id, number, closed_at, account_name, issuer_name, issuer_address
`

export async function findStatement(sql: Sql, accountId: number, month: string): Promise<Statement | undefined> {
  const [row] = await sql<Statement[]>`
    select ${columns(sql)}
    from statements
    where account_id = ${accountId}
      and month = ${`${month}-01`}::date
  `
  return row
}

/** The last statement of an account before a month. */
export async function findLastStatement(sql: Sql, accountId: number, before: string): Promise<Statement | undefined> {
  const [row] = await sql<Statement[]>`
    select ${columns(sql)}
    from statements
    where account_id = ${accountId}
      and month < ${`${before}-01`}::date
    order by statements.month desc
    limit 1
  `
  return row
}

export async function countStatements(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from statements
    where account_id = ${accountId}
  `
  return row.count
}

/** Newest first. */
export async function listStatementsOfPage(sql: Sql, accountId: number, window: PageWindow): Promise<Statement[]> {
  const rows = await sql<Statement[]>`
    select ${columns(sql)}
    from statements
    where account_id = ${accountId}
    order by statements.month ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

export async function listBalances(
  sql: Sql,
  accountId: number,
  months: readonly string[]
): Promise<(MonthBalance & { month: string })[]> {
  return sql<(MonthBalance & { month: string })[]>`
    select to_char(month, 'YYYY-MM') as month, message_type, opening, added, removed, used, refunded, closing
    from statement_balances
    where account_id = ${accountId}
      and month = any(${months.map((month) => `${month}-01`)}::date[])
    order by statement_balances.month desc, message_type
  `
}

export async function listUses(sql: Sql, accountId: number, month: string): Promise<MonthUse[]> {
  return sql<MonthUse[]>`
    select message_type, other_id, other_name, country, sender, added, removed, used, refunded
    from statement_uses
    where account_id = ${accountId}
      and month = ${`${month}-01`}::date
    order by message_type, other_id, country, sender
  `
}

/** The last month of which every account has its statement. */
export async function findLastClosed(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<[{ month: string | null }]>`
    select to_char(max(month), 'YYYY-MM') as month
    from statement_months
  `
  return row.month ?? undefined
}

export async function insertClosedMonth(sql: Sql, month: string): Promise<void> {
  await sql`
    insert into statement_months (month)
    values (${`${month}-01`}::date)
    on conflict do nothing
  `
}

/**
 * Whether a transaction that began before a moment may still write. The time of an entry is that of the beginning of its
 * transaction. A transaction that another role of the server keeps to itself is not seen.
 */
export async function hasOlderTransaction(sql: Sql, moment: Date): Promise<boolean> {
  const [row] = await sql<[{ isOpen: boolean }]>`
    select exists (
      select
      from pg_stat_activity
      where datname = current_database()
        and backend_type = 'client backend'
        and pid <> pg_backend_pid()
        and xact_start < ${moment}
    ) or exists (
      select
      from pg_prepared_xacts
      where database = current_database()
    ) as is_open
  `
  return row.isOpen
}

/** Accounts with credits that have no statement of a month, of all accounts: for workers. */
export async function listWithoutStatement(
  sql: Sql,
  { month, afterId, limit }: { month: string; afterId: number; limit: number }
): Promise<number[]> {
  const rows = await sql<{ accountId: number }[]>`
    select distinct account_id
    from credit_balances
    where account_id > ${afterId}
      and not exists (
        select
        from statements
        where statements.account_id = credit_balances.account_id
          and month = ${`${month}-01`}::date
      )
    order by account_id
    limit ${limit}
  `
  return rows.map(({ accountId }) => accountId)
}

/** Locks the numbers of an issuer until the transaction ends, and returns the last one; undefined if another process has them. */
export async function lockSeries(sql: Sql, issuerId: number): Promise<number | undefined> {
  await sql`
    insert into statement_series (issuer_id)
    values (${issuerId})
    on conflict do nothing
  `
  const [row] = await sql<{ lastNumber: number }[]>`
    select last_number
    from statement_series
    where issuer_id = ${issuerId}
    for update skip locked
  `
  return row?.lastNumber
}

/** The types of credits that an account has or had. */
export async function listMessageTypes(sql: Sql, accountId: number): Promise<MessageTypeId[]> {
  const rows = await sql<{ messageType: MessageTypeId }[]>`
    select message_type
    from credit_balances
    where account_id = ${accountId}
    order by message_type
  `
  return rows.map(({ messageType }) => messageType)
}

/** The names of accounts below one: the company, else the number of the account. */
export async function listNamesBelow(sql: Sql, parentId: number): Promise<{ id: number; name: string }[]> {
  return sql<{ id: number; name: string }[]>`
    select id, social_reason as name
    from accounts
    where parent_id = ${parentId}
  `
}

/** Stores a statement with its number. The caller has locked the numbers of the issuer. */
export async function insertStatement(
  sql: Sql,
  statement: Omit<Statement, 'closedAt'>,
  { balances, uses }: { balances: readonly MonthBalance[]; uses: readonly MonthUse[] }
): Promise<void> {
  const { accountId, issuerId, number } = statement
  const month = `${statement.month}-01`
  await sql`
    update statement_series
    set last_number = ${number}
    where issuer_id = ${issuerId}
  `
  await sql`
    insert into statements (account_id, month, issuer_id, number, account_name, issuer_name, issuer_address)
    values (
      ${accountId}, ${month}::date, ${issuerId}, ${number}, ${statement.accountName}, ${statement.issuerName},
      ${statement.issuerAddress}
    )
  `
  const amounts = (rows: readonly (Sums & Partial<MonthBalance>)[], name: keyof Sums | 'opening' | 'closing') =>
    rows.map((row) => row[name] ?? 0)
  await sql`
    insert into statement_balances (
      account_id, month, message_type, opening, added, removed, used, refunded, closing
    )
    select ${accountId}, ${month}::date, *
    from unnest(
      ${balances.map(({ messageType }) => messageType)}::smallint[], ${amounts(balances, 'opening')}::bigint[],
      ${amounts(balances, 'added')}::bigint[], ${amounts(balances, 'removed')}::bigint[],
      ${amounts(balances, 'used')}::bigint[], ${amounts(balances, 'refunded')}::bigint[],
      ${amounts(balances, 'closing')}::bigint[]
    )
  `
  await sql`
    insert into statement_uses (
      account_id, month, message_type, other_id, other_name, country, sender, added, removed, used, refunded
    )
    select ${accountId}, ${month}::date, *
    from unnest(
      ${uses.map(({ messageType }) => messageType)}::smallint[], ${uses.map(({ otherId }) => otherId)}::bigint[],
      ${uses.map(({ otherName }) => otherName)}::text[], ${uses.map(({ country }) => country)}::text[],
      ${uses.map(({ sender }) => sender)}::text[], ${amounts(uses, 'added')}::bigint[],
      ${amounts(uses, 'removed')}::bigint[], ${amounts(uses, 'used')}::bigint[], ${amounts(uses, 'refunded')}::bigint[]
    )
  `
}
