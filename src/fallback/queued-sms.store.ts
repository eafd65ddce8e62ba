import type { Sql } from '../database/database.ts'
import { byShard } from '../database/shape.ts'
import { lockAgainstSubmitting } from '../queue/submit-locks.store.ts'
import { hasFallenBack, isGiven, unnestRecipientKeys } from '../recipients/conditions.store.ts'
import type { RecipientKey } from '../recipients/move.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'

/** A locked recipient that fell back, and whose SMS is queued. */
export interface QueuedSms extends RecipientKey {
  segments: number
  credits: number
  country: string
  /** What its RCS took; null for one that fell back before this was kept. */
  rcsCredits: number | null
}

/** The most messages to lock at once. Reports on recipients of further messages are processed again later. */
const MESSAGES_MAX = 100

/**
 * Locks the recipients whose SMS is queued and not being submitted. No submit of them begins until the transaction ends. Call
 * it before the transaction locks anything else.
 */
export async function lockQueuedSms(sql: Sql, keys: readonly RecipientKey[]): Promise<QueuedSms[]> {
  const messageIds = new Set([...new Set(keys.map(({ messageId }) => messageId))].slice(0, MESSAGES_MAX))
  const some = keys.filter(({ messageId }) => messageIds.has(messageId))
  if (some.length === 0) return []
  await lockAgainstSubmitting(sql, [...messageIds])
  // No submit begins from here on, so these are all.
  const submitting = new Set((await listSubmitting(sql, some)).map(toRecipientId))
  return byShard(
    sql,
    some.filter((key) => !submitting.has(toRecipientId(key))),
    (keys, ofAccounts) => sql<QueuedSms[]>`
      select recipients.account_id, recipients.message_id, recipients.position, segments, credits, country,
        rcs_credits
      from recipients
      join ${unnestRecipientKeys(sql, keys)} on ${isGiven(sql, ofAccounts, keys)}
      where state = ${RECIPIENT_STATES.waiting}
        and ${hasFallenBack(sql)}
      order by recipients.account_id, recipients.message_id, recipients.position
      for update of recipients
    `
  )
}

/** The given recipients that are being submitted. */
async function listSubmitting(sql: Sql, keys: readonly RecipientKey[]): Promise<RecipientKey[]> {
  return sql<RecipientKey[]>`
    select given.account_id, given.message_id, given.position
    from ${unnestRecipientKeys(sql, keys)}
    where exists (
      select
      from batches
      where batches.account_id = any(array[given.account_id])
        and batches.message_id = given.message_id
        and given.position = any(batches.submitting)
    )
  `
}
