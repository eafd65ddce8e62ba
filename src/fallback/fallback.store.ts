import { strict as assert } from 'node:assert'
import type { Sql } from '../database/database.ts'
import type { Category } from '../messages/message.ts'
import type { MessageOptions } from '../messages/options.ts'
import { hasNotFallenBack, isAtPositions } from '../recipients/conditions.store.ts'
import type { RecipientKey } from '../recipients/move.ts'
import { RECIPIENT_STATES, type RecipientState } from '../recipients/recipient.ts'

/** A locked recipient whose RCS does not arrive. */
export interface FallbackRecipient extends RecipientKey {
  state: RecipientState
  phone: string
  country: string
  /** The values of its message's variables. */
  content: string | null
  /** The price of its RCS. */
  credits: number
  carrier: string | null
  sentAt: Date | null
  category: Category
  /** Of its message; null without any. */
  options: MessageOptions | null
  /** Of its message. */
  recipientsCount: number
}

/**
 * Locks the recipients whose RCS is still open, until the transaction ends. All callers lock in the same order. Each message
 * is one walk along the index. A join with the given keys would be planned while the tables are empty; that plan may later
 * read all recipients for each key.
 */
export async function lockForFallback(sql: Sql, keys: readonly RecipientKey[]): Promise<FallbackRecipient[]> {
  const sorted = keys.toSorted((a, b) => a.accountId - b.accountId || a.messageId - b.messageId)
  const groups = [...Map.groupBy(sorted, ({ messageId }) => messageId).values()]
  return (await Promise.all(groups.map((ofMessage) => lockForFallbackOf(sql, ofMessage)))).flat()
}

async function lockForFallbackOf(sql: Sql, keys: readonly RecipientKey[]): Promise<FallbackRecipient[]> {
  const [first] = keys
  assert(first)
  const { accountId, messageId } = first
  return sql<FallbackRecipient[]>`
    select account_id, message_id, position, state, phone, country, content, credits, carrier, sent_at,
      (select category from messages where account_id = ${accountId} and id = ${messageId}) as category,
      (select options from messages where account_id = ${accountId} and id = ${messageId}) as options,
      (select recipients_count from messages where account_id = ${accountId} and id = ${messageId}) as recipients_count
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
      and ${isAtPositions(
        sql,
        keys.map(({ position }) => position)
      )}
      and ${hasNotFallenBack(sql)}
      and state in (${RECIPIENT_STATES.waiting}, ${RECIPIENT_STATES.submitting}, ${RECIPIENT_STATES.sent})
    order by position
    for update
  `
}
