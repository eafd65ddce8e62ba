import type { Sql } from '../database/database.ts'
import type { Price } from './price.ts'

/** Tells processes that lists have changed, or the lists of accounts. */
export const PRICES_CHANGED = 'chappe_prices'

export async function findPriceRegisterVersion(sql: Sql): Promise<number> {
  const [row] = await sql<[{ version: number }]>`select version from price_register`
  return row.version
}

/** Part of every change of prices. Changes wait here for each other, so versions are in order. */
export async function raisePriceRegisterVersion(sql: Sql): Promise<void> {
  await sql`update price_register set version = version + 1`
  await sql`select pg_notify(${PRICES_CHANGED}, '')`
}

/** A version of a list, as far as sends look for the one in force. */
export interface VersionDate {
  listId: number
  id: number
  validFrom: Date
  isDefault: boolean
}

/**
 * Covers these lists and the default, the version that begins last first; of two that begin together, the newer first. For
 * processes.
 */
export async function listVersionDates(sql: Sql, listIds: readonly number[]): Promise<VersionDate[]> {
  return sql<VersionDate[]>`
    select list_id, price_versions.id, valid_from, is_default
    from price_versions
    join price_lists on price_lists.id = list_id
    where is_default
      or list_id = any(${listIds as number[]}::bigint[])
    order by list_id, valid_from desc, number desc
  `
}

/** The list of an account. */
export interface CountingList {
  accountId: number
  listId: number
  /** A sub-account that spends its parent's credits pays as its parent does: its own list rests. */
  isResting: boolean
  /** Whether the parent of the account chose it, and not the operator, which may be the parent too. */
  isByParent: boolean
}

/** Covers all accounts: for processes. */
export async function listAssignedLists(sql: Sql): Promise<CountingList[]> {
  return sql<CountingList[]>`
    select account_id, list_id, accounts.credits_mode = 'parent' as is_resting, parents.id is not null as is_by_parent
    from account_price_lists
    join accounts on accounts.id = account_id
    left join accounts as parents on parents.id = accounts.parent_id and parents.id = set_by and not parents.is_operator
  `
}

export async function listPricesOf(sql: Sql, versionId: number): Promise<Price[]> {
  return sql<Price[]>`
    select kind, prefix, credits
    from prices
    where version_id = ${versionId}
    order by kind, prefix
  `
}

export interface PriceList {
  accountId: number
  id: number
  name: string
  isDefault: boolean
  createdAt: Date
  /** How many accounts have it. */
  accounts: number
}

export interface PriceVersion {
  listId: number
  number: number
  id: number
  validFrom: Date
  createdAt: Date
  madeBy: string
  pricesCount: number
}

export async function listPriceLists(sql: Sql, { of }: { of: number }): Promise<PriceList[]> {
  return sql<PriceList[]>`
    select account_id, id, name, is_default, created_at,
      (select count(*)::integer from account_price_lists where list_id = price_lists.id) as accounts
    from price_lists
    where account_id = ${of}
    order by id
  `
}

/** The newest first. */
export async function listPriceVersions(sql: Sql, listIds: readonly number[]): Promise<PriceVersion[]> {
  if (listIds.length === 0) return []
  return sql<PriceVersion[]>`
    select list_id, number, id, valid_from, created_at, made_by, prices_count
    from price_versions
    where list_id = any(${listIds as number[]}::bigint[])
    order by list_id, number desc
  `
}

/** The versions of all lists of an account, and the prices of these. */
export async function countStored(sql: Sql, accountId: number): Promise<{ versions: number; prices: number }> {
  const [row] = await sql<[{ versions: number; prices: number }]>`
    select count(*) as versions, coalesce(sum(prices_count), 0)::bigint as prices
    from price_versions
    join price_lists on price_lists.id = list_id
    where account_id = ${accountId}
  `
  return row
}

/** Locks the list until the transaction ends: its versions follow one another. */
export async function lockPriceList(
  sql: Sql,
  { of, id }: { of: number; id: number }
): Promise<Pick<PriceList, 'accountId' | 'id' | 'name' | 'isDefault'> | undefined> {
  const [row] = await sql<PriceList[]>`
    select account_id, id, name, is_default
    from price_lists
    where id = ${id}
      and account_id = ${of}
    for update
  `
  return row
}

/** Undefined if the account has a list of this name. */
export async function insertPriceList(
  sql: Sql,
  { accountId, name }: Pick<PriceList, 'accountId' | 'name'>
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into price_lists (account_id, id, name)
    values (${accountId}, nextval('price_list_ids'), ${name})
    on conflict (account_id, lower(name)) do nothing
    returning id
  `
  return row?.id
}

/** False if the account has another list of this name. */
export async function updatePriceListName(
  sql: Sql,
  { accountId, id, name }: Pick<PriceList, 'accountId' | 'id' | 'name'>
): Promise<boolean> {
  const { count } = await sql`
    update price_lists
    set name = ${name}
    where id = ${id}
      and not exists (
        select
        from price_lists as other
        where other.account_id = ${accountId}
          and other.id <> ${id}
          and lower(other.name) = lower(${name})
      )
  `
  return count > 0
}

/** The default before, which is none any more. */
export async function updateDefaultList(
  sql: Sql,
  { id, isDefault }: Pick<PriceList, 'id' | 'isDefault'>
): Promise<void> {
  await sql`
    update price_lists
    set is_default = false
    where is_default
  `
  if (!isDefault) return
  await sql`
    update price_lists
    set is_default = true
    where id = ${id}
  `
}

/** The caller has locked the list. */
export async function insertPriceVersion(
  sql: Sql,
  {
    listId,
    validFrom,
    madeBy,
    prices
  }: { listId: number; validFrom: Date | null; madeBy: string; prices: readonly Price[] }
): Promise<void> {
  const [row] = await sql<[{ id: number }]>`
    insert into price_versions (list_id, number, id, valid_from, made_by, prices_count)
    select ${listId}, coalesce(max(number), 0) + 1, nextval('price_version_ids'), coalesce(${validFrom}, now()),
      ${madeBy}, ${prices.length}
    from price_versions
    where list_id = ${listId}
    returning id
  `
  await sql`
    insert into prices (version_id, kind, prefix, credits)
    select ${row.id}, kind, prefix, credits
    from unnest(
      ${prices.map(({ kind }) => kind)}::text[],
      ${prices.map(({ prefix }) => prefix)}::text[],
      ${prices.map(({ credits }) => credits)}::smallint[]
    ) as given (kind, prefix, credits)
  `
}

export interface AssignedList {
  accountId: number
  /** The name of the account. */
  socialReason: string
  listId: number
  /** The name of the list, and the account that made it. */
  name: string
  madeBy: number
  setAt: Date
}

/** The accounts with a list of their own: all, or those below one account. */
export async function listPricedAccounts(sql: Sql, { below }: { below: number | 'all' }): Promise<AssignedList[]> {
  return sql<AssignedList[]>`
    select account_price_lists.account_id, social_reason, list_id, name, price_lists.account_id as made_by, set_at
    from account_price_lists
    join accounts on accounts.id = account_price_lists.account_id
    join price_lists on price_lists.id = list_id
    where ${below === 'all' ? sql`true` : sql`parent_id = ${below}`}
    order by account_price_lists.account_id
  `
}

export async function findAssignedList(sql: Sql, accountId: number): Promise<number | undefined> {
  const [row] = await sql<{ listId: number }[]>`
    select list_id
    from account_price_lists
    where account_id = ${accountId}
    for update
  `
  return row?.listId
}

export async function upsertAssignedList(
  sql: Sql,
  { accountId, listId, setBy }: { accountId: number; listId: number; setBy: number }
): Promise<void> {
  await sql`
    insert into account_price_lists (account_id, list_id, set_by)
    values (${accountId}, ${listId}, ${setBy})
    on conflict (account_id) do update
    set list_id = excluded.list_id, set_by = excluded.set_by, set_at = now()
  `
}

export async function deleteAssignedList(sql: Sql, accountId: number): Promise<void> {
  await sql`
    delete from account_price_lists
    where account_id = ${accountId}
  `
}
