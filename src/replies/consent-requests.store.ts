import { isOfOthers, topLevelIdOf } from '../accounts/top-levels.store.ts'
import type { Sql } from '../database/database.ts'
import type { Keyword } from './keyword.ts'

/* People who wrote a keyword: to be asked, asked, to be thanked, over. */

export interface ConsentRequest {
  accountId: number
  id: number
  phone: string
  number: string
  replyId: number
  questionId: number | null
}

/** Unanswered questions to one phone in a day: a robot that begins its answers with the keyword stops here. */
const QUESTIONS_A_DAY_MAX = 10

/**
 * The writer of a keyword is asked once: an open request to this account through this number is the same one. A request whose
 * keyword was deleted is never asked, so it is not open.
 */
export async function insertConsentRequest(
  sql: Sql,
  {
    accountId,
    keywordId,
    phone,
    number,
    replyId
  }: { accountId: number; keywordId: number; phone: string; number: string; replyId: number }
): Promise<void> {
  await sql`
    insert into consent_requests (account_id, id, keyword_id, phone, number, step, reply_id)
    select ${accountId}, nextval('consent_request_ids'), ${keywordId}, ${phone}, ${number}, 'ask', ${replyId}
    where not exists (
      select
      from consent_requests
      join consent_keywords on consent_keywords.account_id = consent_requests.account_id
        and consent_keywords.id = keyword_id
      where phone = ${phone}
        and consent_requests.number = ${number}
        and consent_requests.account_id = ${accountId}
        and (step = 'ask' or (step = 'asked' and consent_requests.created_at > now() - interval '1 minute'))
    )
      and (
        select count(*)
        from consent_requests
        where phone = ${phone}
          and number = ${number}
          and account_id = ${accountId}
          and step = 'asked'
          and created_at > now() - interval '1 day'
      ) < ${QUESTIONS_A_DAY_MAX}
  `
}

/** The last question to a phone from this number that may still be answered; locked until the transaction ends. */
export async function lockAskedRequest(
  sql: Sql,
  { phone, number, hours }: { phone: string; number: string; hours: number }
): Promise<(ConsentRequest & Pick<Keyword, 'question' | 'keyword'>) | undefined> {
  const [row] = await sql<(ConsentRequest & Pick<Keyword, 'question' | 'keyword'>)[]>`
    select ${requestColumns(sql)}, question, keyword
    from consent_requests
    join consent_keywords on consent_keywords.account_id = consent_requests.account_id
      and consent_keywords.id = keyword_id
    where phone = ${phone}
      and consent_requests.number = ${number}
      and step = 'asked'
      and consent_requests.created_at > now() - make_interval(hours => ${hours})
    order by consent_requests.id desc
    limit 1
    for update of consent_requests
  `
  return row
}

export type RequestStep = 'asked' | 'thank' | 'over'

export async function updateRequest(
  sql: Sql,
  {
    accountId,
    id,
    step,
    questionId = null
  }: { accountId: number; id: number; step: RequestStep; questionId?: number | null | undefined }
): Promise<void> {
  await sql`
    update consent_requests
    set step = ${step}, question_id = coalesce(${questionId}, question_id)
    where account_id = ${accountId}
      and id = ${id}
  `
}

export interface DueRequest extends ConsentRequest {
  topLevelId: number
  step: 'ask' | 'thank'
  question: string
  confirmation: string
}

/**
 * The oldest request that needs a message, of any account but these top-level accounts and their sub-accounts: for workers. It is
 * locked until the transaction ends.
 */
export async function lockDueRequest(
  sql: Sql,
  { except, passedOver }: { except: readonly number[]; passedOver: readonly number[] }
): Promise<DueRequest | undefined> {
  const [row] = await sql<DueRequest[]>`
    select ${requestColumns(sql)}, step, question, confirmation,
      ${topLevelIdOf(sql, sql`consent_requests.account_id`)}
    from consent_requests
    join consent_keywords on consent_keywords.account_id = consent_requests.account_id
      and consent_keywords.id = keyword_id
    where step in ('ask', 'thank')
      and consent_requests.id <> all(${passedOver as number[]}::bigint[])
      and ${isOfOthers(sql, sql`consent_requests.account_id`, except)}
    order by consent_requests.created_at
    limit 1
    for update of consent_requests skip locked
  `
  return row
}

/** Ends all requests that need a message, of any account. Returns how many. */
export async function endDueRequests(sql: Sql): Promise<number> {
  const { count } = await sql`
    update consent_requests
    set step = 'over'
    where step in ('ask', 'thank')
  `
  return count
}

export async function deleteRequestsByPhone(
  sql: Sql,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<void> {
  await sql`
    delete from consent_requests
    where phone = ${phone}
      and account_id = ${accountId}
  `
}

/** Requests that nobody answered, or that are over. */
export async function deleteOldRequests(sql: Sql, days: number): Promise<void> {
  await sql`
    delete from consent_requests
    where created_at < now() - make_interval(days => ${days})
  `
}

function requestColumns(sql: Sql) {
  return sql`
    consent_requests.account_id, consent_requests.id, phone, consent_requests.number, reply_id, question_id
  `
}
