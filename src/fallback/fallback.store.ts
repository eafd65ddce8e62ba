import { strict as assert } from 'node:assert'
import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Category } from '../messages/message.ts'
import type { RecipientKey } from '../recipients/moves.store.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'

/** A recipient whose RCS does not arrive, locked. */
export interface FallingRecipient extends RecipientKey {
  state: number
  phone: string
  /** The values of its message's variables. */
  content: string | null
  /** What was paid for its RCS. */
  credits: number
  carrier: string | null
  sentAt: Date | null
  category: Category
}

/**
 * Those of these that are still to arrive by RCS, locked until the transaction ends, in one order for everybody. Of each message
 * by one walk along the index: a join with what is given is planned while the tables are empty, and may then go through all
 * recipients for each of them.
 */
export async function lockFalling(sql: Sql, keys: readonly RecipientKey[]): Promise<FallingRecipient[]> {
  const sorted = keys.toSorted((a, b) => a.accountId - b.accountId || a.messageId - b.messageId)
  const groups = [...Map.groupBy(sorted, ({ messageId }) => messageId).values()]
  return (await Promise.all(groups.map((ofMessage) => lockFallingOf(sql, ofMessage)))).flat()
}

async function lockFallingOf(sql: Sql, keys: readonly RecipientKey[]): Promise<FallingRecipient[]> {
  const [first] = keys
  assert(first)
  const { accountId, messageId } = first
  return sql<FallingRecipient[]>`
    select account_id, message_id, position, state, phone, content, credits, carrier, sent_at,
      (select category from messages where account_id = ${accountId} and id = ${messageId}) as category
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = any(${numberArray(keys.map(({ position }) => position))}::integer[])
      and channel is null
      and state in (${RECIPIENT_STATES.waiting}, ${RECIPIENT_STATES.submitting}, ${RECIPIENT_STATES.sent})
    order by position
    for update
  `
}

/** What its SMS is. */
export interface Fallback extends RecipientKey {
  segments: number
  credits: number
}

/** From now on these wait to leave as SMS. They are locked. */
export async function updateToFallback(sql: Sql, fallbacks: readonly Fallback[]): Promise<void> {
  if (fallbacks.length === 0) return
  await sql`
    update recipients
    set state = ${RECIPIENT_STATES.waiting},
        channel = 'sms',
        segments = given.segments,
        credits = given.credits,
        sent_at = null,
        carrier = null,
        carrier_message_ids = null,
        receipt = null,
        error_code = null
    from unnest(
      ${fallbacks.map(({ accountId }) => accountId)}::bigint[],
      ${fallbacks.map(({ messageId }) => messageId)}::bigint[],
      ${fallbacks.map(({ position }) => position)}::integer[],
      ${fallbacks.map(({ segments }) => segments)}::smallint[],
      ${fallbacks.map(({ credits }) => credits)}::smallint[]
    ) as given (account_id, message_id, position, segments, credits)
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
  `
}

/**
 * They are not on their way by RCS any more: a cancel, or a STOP, that comes before their batch is done with the others would
 * leave them alone, and take only their SMS out of the queue. An SMS of theirs is marked by a batch of its own.
 */
export async function unmarkFallen(sql: Sql, fallbacks: readonly RecipientKey[]): Promise<void> {
  const ofMessages = [...Map.groupBy(fallbacks, ({ messageId }) => messageId).values()]
  if (ofMessages.length === 0) return
  await sql`
    update batches
    set submitting = array(select unnest(submitting) except select unnest(given.positions::integer[]))
    from unnest(
      ${ofMessages.map(([first]) => first?.accountId ?? 0)}::bigint[],
      ${ofMessages.map(([first]) => first?.messageId ?? 0)}::bigint[],
      ${ofMessages.map((some) => `{${some.map(({ position }) => position).join(',')}}`)}::text[]
    ) as given (account_id, message_id, positions)
    where batches.account_id = given.account_id
      and batches.message_id = given.message_id
      and submitting && given.positions::integer[]
  `
}
