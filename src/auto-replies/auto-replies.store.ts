import type { Sql } from '../database/database.ts'
import type { AutoReply } from './auto-reply.ts'

export interface AutoReplyKey {
  accountId: number
  id: number
}

/** What a customer decides. */
export type AutoReplyFields = Omit<AutoReply, 'id' | 'createdAt' | 'updatedAt'>

const columns = (sql: Sql) => sql`
  id, name, keywords, number, content, sender, pause_seconds, is_on, created_at, updated_at
`

export async function insertAutoReply(sql: Sql, accountId: number, fields: AutoReplyFields): Promise<AutoReply> {
  const { name, keywords, number, content, sender, pauseSeconds, isOn } = fields
  const [row] = await sql<[AutoReply]>`
    insert into auto_replies (account_id, id, name, keywords, number, content, sender, pause_seconds, is_on)
    values (
      ${accountId}, nextval('auto_reply_ids'), ${name}, ${keywords}::text[], ${number}, ${content}, ${sender},
      ${pauseSeconds}, ${isOn}
    )
    returning ${columns(sql)}
  `
  return row
}

export async function updateAutoReply(
  sql: Sql,
  { accountId, id }: AutoReplyKey,
  fields: AutoReplyFields
): Promise<AutoReply | undefined> {
  const { name, keywords, number, content, sender, pauseSeconds, isOn } = fields
  const [row] = await sql<AutoReply[]>`
    update auto_replies
    set name = ${name},
        keywords = ${keywords}::text[],
        number = ${number},
        content = ${content},
        sender = ${sender},
        pause_seconds = ${pauseSeconds},
        is_on = ${isOn},
        updated_at = now()
    where account_id = ${accountId}
      and id = ${id}
    returning ${columns(sql)}
  `
  return row
}

export async function countAutoReplies(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from auto_replies
    where account_id = ${accountId}
  `
  return row.count
}

/** By name. */
export async function listAutoReplies(sql: Sql, accountId: number): Promise<AutoReply[]> {
  return sql<AutoReply[]>`
    select ${columns(sql)}
    from auto_replies
    where account_id = ${accountId}
    order by lower(name), id
  `
}

export async function findAutoReply(sql: Sql, { accountId, id }: AutoReplyKey): Promise<AutoReply | undefined> {
  const [row] = await sql<AutoReply[]>`
    select ${columns(sql)}
    from auto_replies
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

/** Locks it until the end of the transaction. */
export async function lockAutoReply(sql: Sql, { accountId, id }: AutoReplyKey): Promise<AutoReply | undefined> {
  const [row] = await sql<AutoReply[]>`
    select ${columns(sql)}
    from auto_replies
    where account_id = ${accountId}
      and id = ${id}
    for update
  `
  return row
}

/** The rule that answers a word: one for this number before one for any, then the oldest. */
export async function findFitting(
  sql: Sql,
  { accountId, keyword, number }: { accountId: number; keyword: string; number: string }
): Promise<Pick<AutoReply, 'id'> | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id
    from auto_replies
    where account_id = ${accountId}
      and is_on
      and ${keyword} = any(keywords)
      and (number is null or number = ${number})
    order by number is null, id
    limit 1
  `
  return row
}

/** Removes a rule with its history. */
export async function deleteAutoReply(sql: Sql, { accountId, id }: AutoReplyKey): Promise<boolean> {
  const { count } = await sql`
    delete from auto_replies
    where account_id = ${accountId}
      and id = ${id}
  `
  if (count === 0) return false
  await sql`
    delete from auto_reply_answers
    where account_id = ${accountId}
      and auto_reply_id = ${id}
  `
  return true
}

export async function deleteAutoRepliesOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  for (const table of ['auto_replies', 'auto_reply_answers']) {
    await sql`
      delete from ${sql(table)}
      where account_id = any(${accountIds as number[]}::bigint[])
    `
  }
}
