import type { Sql } from '../database/database.ts'
import type { Keyword } from './keyword.ts'

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
): Promise<(Keyword & { accountId: number }) | undefined> {
  const [row] = await sql<(Keyword & { accountId: number })[]>`
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
