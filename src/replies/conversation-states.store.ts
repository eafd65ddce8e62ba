import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'

interface ConversationKey {
  accountId: number
  phone: string
}

/** A conversation as it is stored: ids of replies, up to which it was read or closed. */
export interface ConversationState {
  readId: number
  closedId: number | null
  assignedTo: number | null
}

/**
 * The last reply of a phone, and the one before it. Undefined when it never replied. An erasure of the number waits until the
 * transaction ends, so that it finds what the transaction wrote.
 */
export async function lockLastReplies(
  sql: Sql,
  { accountId, phone }: ConversationKey
): Promise<{ lastId: number; previousId: number } | undefined> {
  const [last, previous] = await sql<{ id: number }[]>`
    select id
    from replies
    where account_id = ${accountId}
      and phone = ${phone}
    order by id desc
    limit 2
    for update
  `
  return last && { lastId: last.id, previousId: previous?.id ?? 0 }
}

/** Locks the state of a conversation until the end of the transaction. It has a row from now on. */
export async function lockConversation(sql: Sql, { accountId, phone }: ConversationKey): Promise<ConversationState> {
  await sql`
    insert into conversation_states (account_id, phone)
    values (${accountId}, ${phone})
    on conflict do nothing
  `
  const [row] = await sql<[ConversationState]>`
    select read_id, closed_id, assigned_to
    from conversation_states
    where account_id = ${accountId}
      and phone = ${phone}
    for update
  `
  return row
}

export async function updateConversation(
  sql: Sql,
  { accountId, phone, readId, closedId, assignedTo }: ConversationKey & ConversationState
): Promise<void> {
  await sql`
    update conversation_states
    set read_id = ${readId}, closed_id = ${closedId}, assigned_to = ${assignedTo}, updated_at = now()
    where account_id = ${accountId}
      and phone = ${phone}
  `
}

export async function deleteConversation(sql: Sql, { accountId, phone }: ConversationKey): Promise<void> {
  await sql`
    delete from conversation_states
    where account_id = ${accountId}
      and phone = ${phone}
  `
}

/** Removes the states of conversations whose replies were all removed, some at a time; returns how many. */
export async function deleteOldConversations(sql: Sql, retention: Retention): Promise<number> {
  const isOver = sql`
    not exists (
      select
      from replies
      where replies.account_id = conversation_states.account_id
        and replies.phone = conversation_states.phone
    )
  `
  return deleteOld(sql, { table: 'conversation_states', column: 'updated_at', isOver }, retention)
}
