import type { Sql } from '../database/database.ts'
import { type MessageKey, unnestMessageKeys } from './messages.store.ts'

/** Removes locked messages from the history, with the fields that they were sent with. */
export async function deleteMessages(sql: Sql, messages: readonly MessageKey[]): Promise<void> {
  const keys = messages.map(({ accountId, id }) => ({ accountId, messageId: id }))
  await sql`
    delete from message_forms
    using ${unnestMessageKeys(sql, keys)}
    where message_forms.account_id = any(array[given.account_id])
      and message_forms.message_id = given.message_id
  `
  await sql`
    delete from rcs_messages
    using ${unnestMessageKeys(sql, keys)}
    where rcs_messages.account_id = any(array[given.account_id])
      and rcs_messages.message_id = given.message_id
  `
  await sql`
    delete from messages
    using ${unnestMessageKeys(sql, keys)}
    where messages.account_id = any(array[given.account_id])
      and messages.id = given.message_id
  `
  // Last, because every transaction that accepts messages of an account waits for this row. In their order: by account.
  await sql`
    select
    from message_counts
    where account_id = any(${messages.map(({ accountId }) => accountId)}::bigint[])
    order by account_id
    for no key update
  `
  await sql`
    update message_counts
    set messages_count = messages_count - removed
    from (
      select account_id, count(*) as removed
      from ${unnestMessageKeys(sql, keys)}
      group by account_id
    ) as removed
    where message_counts.account_id = removed.account_id
  `
}
