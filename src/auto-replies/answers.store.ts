import { isOfOthers, topLevelIdOf } from '../accounts/top-levels.store.ts'
import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { AutoReplyKey } from './auto-replies.store.ts'
import type { Answer, AutoReply } from './auto-reply.ts'

/** A reply is answered once, so a second rule for it changes nothing. */
export async function insertAnswer(
  sql: Sql,
  {
    accountId,
    autoReplyId,
    replyId,
    phone,
    writtenTo
  }: { accountId: number; autoReplyId: number; replyId: number; phone: string; writtenTo: string }
): Promise<void> {
  await sql`
    insert into auto_reply_answers (account_id, auto_reply_id, reply_id, phone, written_to)
    values (${accountId}, ${autoReplyId}, ${replyId}, ${phone}, ${writtenTo})
    on conflict (account_id, reply_id) do nothing
  `
}

/** An answer to be sent, with its rule. */
export interface DueAnswer extends Pick<AutoReply, 'content' | 'sender' | 'pauseSeconds' | 'isOn'> {
  accountId: number
  topLevelId: number
  autoReplyId: number
  id: number
  replyId: number
  phone: string
  writtenTo: string
  ageSeconds: number
}

/**
 * The answer that has been due longest, of any account but these top-level accounts and their sub-accounts: for workers. It
 * is locked with its rule until the transaction ends, so the answers of a rule are sent one after the other. What others hold
 * is passed over.
 */
export async function lockDueAnswer(sql: Sql, except: readonly number[]): Promise<DueAnswer | undefined> {
  const [row] = await sql<DueAnswer[]>`
    select answers.account_id, answers.auto_reply_id, answers.id, answers.reply_id, answers.phone, answers.written_to,
      extract(epoch from now() - answers.answered_at)::float8 as age_seconds, rules.content, rules.sender, rules.pause_seconds, rules.is_on,
      ${topLevelIdOf(sql, sql`answers.account_id`)}
    from auto_reply_answers as answers
    join auto_replies as rules on rules.account_id = answers.account_id
      and rules.id = answers.auto_reply_id
    where answers.due_at <= now()
      and ${isOfOthers(sql, sql`answers.account_id`, except)}
    order by answers.due_at
    limit 1
    for update skip locked
  `
  return row
}

/**
 * Deletes answers whose rule is gone: it was deleted while the transaction of their reply was open, and could not delete them.
 * No transaction waits for the other: a rule is deleted seldom, and replies come often. Covers all accounts: for workers.
 */
export async function deleteAnswersWithoutRule(sql: Sql): Promise<void> {
  await sql`
    delete from auto_reply_answers as answers
    where due_at <= now()
      and not exists (
        select
        from auto_replies
        where auto_replies.account_id = answers.account_id
          and auto_replies.id = answers.auto_reply_id
      )
  `
}

/** How many answers of the rule went to the phone within a pause, and within a day. */
export async function countSent(
  sql: Sql,
  {
    accountId,
    autoReplyId,
    phone,
    pauseSeconds
  }: Pick<DueAnswer, 'accountId' | 'autoReplyId' | 'phone' | 'pauseSeconds'>
): Promise<{ inPause: number; inDay: number }> {
  const [row] = await sql<[{ inPause: number; inDay: number }]>`
    select
      count(*) filter (where answered_at > now() - make_interval(secs => ${pauseSeconds})) as in_pause,
      count(*) as in_day
    from auto_reply_answers
    where account_id = ${accountId}
      and phone = ${phone}
      and auto_reply_id = ${autoReplyId}
      and message_id is not null
      and answered_at > now() - interval '1 day'
  `
  return row
}

export async function endAnswer(
  sql: Sql,
  { accountId, autoReplyId, id }: DueAnswer,
  { messageId, problem }: { messageId: number | null; problem: string | null }
): Promise<void> {
  await sql`
    update auto_reply_answers
    set due_at = null, answered_at = now(), message_id = ${messageId}, problem = ${problem}
    where account_id = ${accountId}
      and auto_reply_id = ${autoReplyId}
      and id = ${id}
  `
}

/** Ends all answers that have yet to be sent, of any account. Returns how many. */
export async function endWaitingAnswers(sql: Sql, problem: string): Promise<number> {
  const { count } = await sql`
    update auto_reply_answers
    set due_at = null, problem = ${problem}
    where due_at is not null
  `
  return count
}

export async function putOffAnswer(
  sql: Sql,
  { accountId, autoReplyId, id }: DueAnswer,
  seconds: number
): Promise<void> {
  await sql`
    update auto_reply_answers
    set due_at = now() + make_interval(secs => ${seconds})
    where account_id = ${accountId}
      and auto_reply_id = ${autoReplyId}
      and id = ${id}
      and due_at is not null
  `
}

export async function countAnswers(sql: Sql, { accountId, id }: AutoReplyKey): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from auto_reply_answers
    where account_id = ${accountId}
      and auto_reply_id = ${id}
  `
  return row.count
}

/** Newest first. */
export async function listAnswersOfPage(
  sql: Sql,
  { accountId, id }: AutoReplyKey,
  window: PageWindow
): Promise<Answer[]> {
  const rows = await sql<Answer[]>`
    select id, reply_id, phone, due_at, answered_at, message_id, problem
    from auto_reply_answers
    where account_id = ${accountId}
      and auto_reply_id = ${id}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

/** For the erasure of a number. */
export async function deleteAnswersByPhone(
  sql: Sql,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<void> {
  await sql`
    delete from auto_reply_answers
    where account_id = ${accountId}
      and phone = ${phone}
  `
}

export function deleteOldAnswers(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'auto_reply_answers', column: 'answered_at', isIndexed: true }, retention)
}
