import type { Sql } from '../database/database.ts'
import { byShard, halfCommitted, isDistributed } from '../database/shape.ts'
import { listStoredMessages, type MessageKey } from '../messages/messages.store.ts'
import { isGiven, unnestRecipientKeys } from './conditions.store.ts'
import type { RecipientKey } from './move.ts'
import { RECIPIENT_STATES, toRecipientId } from './recipient.ts'
import { countRecipients } from './recipients.store.ts'

/**
 * Locks recipients until the transaction ends, and returns those that are there. Without it, two simultaneous receipts of
 * several segments would each miss the other.
 */
export async function lockRecipients(sql: Sql, keys: readonly RecipientKey[]): Promise<RecipientKey[]> {
  return byShard(
    sql,
    keys,
    (keys, ofAccounts) => sql<RecipientKey[]>`
      select recipients.account_id, recipients.message_id, recipients.position
      from recipients
      join (select distinct * from ${unnestRecipientKeys(sql, keys)}) as given on ${isGiven(sql, ofAccounts, keys)}
      order by recipients.account_id, recipients.message_id, recipients.position
      for update of recipients
    `
  )
}

/**
 * Locks recipients as their last commit left them: for a commit that has reached the coordinator and not their node yet, the
 * lock waits. A recipient that is not there, although its message is, comes with such a commit. It has no lock to wait for, so
 * the transaction fails and is repeated.
 */
export async function lockCommitted(sql: Sql, keys: readonly RecipientKey[]): Promise<void> {
  const found = new Set((await lockRecipients(sql, keys)).map(toRecipientId))
  const absent = keys.filter((key) => !found.has(toRecipientId(key)))
  if (absent.length === 0) return
  if ((await listStoredMessages(sql, absent)).length > 0) throw halfCommitted()
}

/**
 * Fails while the nodes of a cluster do not agree on how many recipients of a message wait: a commit has reached the
 * coordinator, and not the node of the recipients. The caller has locked the message.
 */
export async function refuseHalfCommitted(
  sql: Sql,
  { accountId, id }: MessageKey,
  { waitingCount }: { waitingCount: number }
): Promise<void> {
  if (!isDistributed()) return
  const { waiting, submitting } = RECIPIENT_STATES
  const count = await countRecipients(sql, { accountId, id, states: [waiting, submitting] })
  if (count !== waitingCount) throw halfCommitted()
}
