import type { Sql } from '../database/database.ts'
import type { Category } from '../messages/message.ts'
import type { MessageOptions } from '../messages/options.ts'
import type { RecipientKey } from '../recipients/move.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'

/** A recipient in doubt: the carrier may have it or not. */
export interface Doubt extends RecipientKey {
  carrier: string
  route: string
  lane: number
  expiresAt: Date
  submittedAt: Date
}

/** Stores doubts, to be decided after a delay. Returns the recipients that were not in doubt before. */
export async function insertDoubts(
  sql: Sql,
  doubts: readonly Doubt[],
  { delaySeconds }: { delaySeconds: number }
): Promise<RecipientKey[]> {
  if (doubts.length === 0) return []
  return sql<RecipientKey[]>`
    insert into doubts (account_id, message_id, position, carrier, route, lane, expires_at, submitted_at, due_at)
    select account_id, message_id, position, carrier, route, lane, expires_at::timestamptz, submitted_at::timestamptz,
      now() + make_interval(secs => ${delaySeconds})
    from unnest(
      ${doubts.map(({ accountId }) => accountId)}::bigint[],
      ${doubts.map(({ messageId }) => messageId)}::bigint[],
      ${doubts.map(({ position }) => position)}::integer[],
      ${doubts.map(({ carrier }) => carrier)}::text[],
      ${doubts.map(({ route }) => route)}::text[],
      ${doubts.map(({ lane }) => lane)}::smallint[],
      ${doubts.map(({ expiresAt }) => expiresAt.toISOString())}::text[],
      ${doubts.map(({ submittedAt }) => submittedAt.toISOString())}::text[]
    ) as given (account_id, message_id, position, carrier, route, lane, expires_at, submitted_at)
    on conflict do nothing
    returning account_id, message_id, position
  `
}

/** A due doubt, with the data that decides it. */
export interface DueDoubt extends Doubt {
  phone: string
  segments: number
  credits: number
  category: Category
  isCancelled: boolean
  policy: 'resend' | 'fail'
  options: MessageOptions | null
}

/**
 * Deletes and returns due doubts of any account: for workers. A doubt whose recipient has moved meanwhile is deleted, and not
 * returned. The messages are locked until the transaction ends.
 */
export async function claimDueDoubts(sql: Sql, limit: number): Promise<DueDoubt[]> {
  return sql<DueDoubt[]>`
    with taken as materialized (
      select account_id, message_id, position
      from doubts
      where due_at <= now()
      order by due_at
      limit ${limit}
      for update skip locked
    ),
    due as (
      delete from doubts
      using taken
      where doubts.account_id = taken.account_id
        and doubts.message_id = taken.message_id
        and doubts.position = taken.position
      returning doubts.account_id, doubts.message_id, doubts.position, carrier, route, lane, expires_at, submitted_at
    )
    select due.account_id, due.message_id, due.position, due.carrier, route, lane, expires_at, submitted_at, phone, segments,
      credits, category, messages.state = 'cancelled' as is_cancelled, in_doubt as policy, options
    from due
    join recipients on recipients.account_id = due.account_id
      and recipients.message_id = due.message_id
      and recipients.position = due.position
      and recipients.state = ${RECIPIENT_STATES.submitting}
    join messages on messages.account_id = due.account_id and messages.id = due.message_id
    join accounts on accounts.id = due.account_id
    order by messages.account_id, messages.id
    for no key update of messages
  `
}

/** The number of recipients in doubt. */
export async function countDoubts(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from doubts
  `
  return row.count
}

/** Ends a doubt that evidence has decided. Of any account: message ids are unique in the service. */
export async function deleteDoubt(
  sql: Sql,
  { messageId, position }: Pick<RecipientKey, 'messageId' | 'position'>
): Promise<Doubt | undefined> {
  const [row] = await sql<Doubt[]>`
    delete from doubts
    where message_id = ${messageId}
      and position = ${position}
    returning account_id, message_id, position, carrier, route, lane, expires_at, submitted_at
  `
  return row
}
