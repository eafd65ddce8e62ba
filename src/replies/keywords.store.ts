import type { Sql } from '../database/database.ts'
import type { Keyword, OwnedKeyword } from './keyword.ts'

/** Undefined if somebody has this word on this number already. */
export async function insertKeyword(
  sql: Sql,
  { accountId, number, keyword, question, confirmation }: Omit<Keyword, 'id' | 'createdAt'> & { accountId: number }
): Promise<Keyword | undefined> {
  const [row] = await sql<Keyword[]>`
    insert into consent_keywords (account_id, id, number, keyword, question, confirmation)
    values (${accountId}, nextval('consent_keyword_ids'), ${number}, ${keyword}, ${question}, ${confirmation})
    on conflict (number, keyword) do nothing
    returning ${keywordColumns(sql)}
  `
  return row
}

/** At most so many: an account has a handful. */
export async function listKeywords(
  sql: Sql,
  { accountId, limit }: { accountId: number; limit: number }
): Promise<Keyword[]> {
  return sql<Keyword[]>`
    select ${keywordColumns(sql)}
    from consent_keywords
    where account_id = ${accountId}
    order by id desc
    limit ${limit}
  `
}

/** Covers all accounts: for the operator. */
export async function countAllKeywords(sql: Sql, search: string | undefined): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from consent_keywords
    where ${isWanted(sql, search)}
  `
  return row.count
}

/** Covers all accounts: for the operator. */
export async function pageAllKeywords(
  sql: Sql,
  { search, offset, limit }: { search: string | undefined; offset: number; limit: number }
): Promise<OwnedKeyword[]> {
  return sql<OwnedKeyword[]>`
    select account_id, ${keywordColumns(sql)}
    from consent_keywords
    where ${isWanted(sql, search)}
    order by number, keyword
    offset ${offset}
    limit ${limit}
  `
}

function isWanted(sql: Sql, search: string | undefined) {
  if (search === undefined) return sql`true`
  return sql`(position(upper(${search}::text) in keyword) > 0 or number = ${search}::text)`
}

/** Of any account: for the operator. */
export async function deleteAnyKeyword(sql: Sql, id: number): Promise<OwnedKeyword | undefined> {
  const [row] = await sql<OwnedKeyword[]>`
    delete from consent_keywords
    where id = ${id}
    returning account_id, ${keywordColumns(sql)}
  `
  return row
}

/** The words of accounts that are closed. */
export async function deleteKeywordsOf(sql: Sql, accountId: number): Promise<void> {
  await sql`
    delete from consent_keywords
    where account_id = ${accountId}
  `
}

export async function deleteKeyword(sql: Sql, { accountId, id }: { accountId: number; id: number }): Promise<boolean> {
  const { count } = await sql`
    delete from consent_keywords
    where account_id = ${accountId}
      and id = ${id}
  `
  return count > 0
}

/** Of any account: the number and the word decide. */
export async function findKeyword(
  sql: Sql,
  { number, keyword }: { number: string; keyword: string }
): Promise<OwnedKeyword | undefined> {
  const [row] = await sql<OwnedKeyword[]>`
    select account_id, ${keywordColumns(sql)}
    from consent_keywords
    where number = ${number}
      and keyword = ${keyword}
  `
  return row
}

function keywordColumns(sql: Sql) {
  return sql`id, number, keyword, question, confirmation, created_at`
}
