import type { Sql } from '../database/database.ts'
import type { CannedReply } from './canned-reply.ts'

interface CannedReplyKey {
  accountId: number
  id: number
}

export async function insertCannedReply(
  sql: Sql,
  { accountId, name, content }: { accountId: number; name: string; content: string }
): Promise<CannedReply> {
  const [row] = await sql<[CannedReply]>`
    insert into canned_replies (account_id, id, name, content)
    values (${accountId}, nextval('canned_reply_ids'), ${name}, ${content})
    returning id, name, content
  `
  return row
}

export async function countCannedReplies(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ total: number }]>`
    select count(*) as total
    from canned_replies
    where account_id = ${accountId}
  `
  return row.total
}

/** By name. */
export async function listCannedReplies(sql: Sql, accountId: number): Promise<CannedReply[]> {
  return sql<CannedReply[]>`
    select id, name, content
    from canned_replies
    where account_id = ${accountId}
    order by lower(name), id
  `
}

export async function findCannedReply(sql: Sql, { accountId, id }: CannedReplyKey): Promise<CannedReply | undefined> {
  const [row] = await sql<CannedReply[]>`
    select id, name, content
    from canned_replies
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

/** Locks it until the end of the transaction. */
export async function lockCannedReply(sql: Sql, { accountId, id }: CannedReplyKey): Promise<CannedReply | undefined> {
  const [row] = await sql<CannedReply[]>`
    select id, name, content
    from canned_replies
    where account_id = ${accountId}
      and id = ${id}
    for no key update
  `
  return row
}

export async function updateCannedReply(
  sql: Sql,
  { accountId, id, name, content }: CannedReplyKey & CannedReply
): Promise<void> {
  await sql`
    update canned_replies
    set name = ${name}, content = ${content}, updated_at = now()
    where account_id = ${accountId}
      and id = ${id}
  `
}

export async function deleteCannedReply(sql: Sql, { accountId, id }: CannedReplyKey): Promise<boolean> {
  const { count } = await sql`
    delete from canned_replies
    where account_id = ${accountId}
      and id = ${id}
  `
  return count > 0
}

/** Removes all canned replies of these accounts. */
export async function deleteCannedRepliesOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from canned_replies
    where account_id = any(${accountIds as number[]}::bigint[])
  `
}
