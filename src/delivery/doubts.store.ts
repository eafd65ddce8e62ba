import type { Sql } from '../database/database.ts'
import { byShard } from '../database/shape.ts'
import type { Category } from '../messages/message.ts'
import { unnestMessageKeys } from '../messages/messages.store.ts'
import type { MessageOptions } from '../messages/options.ts'
import { isGiven, unnestRecipientKeys } from '../recipients/conditions.store.ts'
import type { RecipientKey } from '../recipients/move.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'

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

/** A due doubt whose recipient is still in doubt. */
export interface OpenDoubt extends Doubt {
  phone: string
  segments: number
  credits: number
}

/** A due doubt, with the data that decides it. */
export interface DueDoubt extends OpenDoubt {
  category: Category
  isCancelled: boolean
  policy: 'resend' | 'fail'
  options: MessageOptions | null
  /** Of its message. */
  recipientsCount: number
}

/**
 * Deletes and returns due doubts of any account: for workers. A doubt whose recipient has moved meanwhile is deleted, and not
 * returned. With `only`, that one if it is due.
 */
export async function claimDueDoubts(
  sql: Sql,
  { limit, only }: { limit: number; only?: RecipientKey | undefined }
): Promise<OpenDoubt[]> {
  const due = await sql<Doubt[]>`
    with taken as materialized (
      select account_id, message_id, position
      from doubts
      where due_at <= now()
        ${only ? sql`and account_id = ${only.accountId} and message_id = ${only.messageId} and position = ${only.position}` : sql``}
      order by due_at
      limit ${limit}
      for update skip locked
    )
    delete from doubts
    using taken
    where doubts.account_id = any(array[taken.account_id])
      and doubts.message_id = taken.message_id
      and doubts.position = taken.position
    returning doubts.account_id, doubts.message_id, doubts.position, carrier, route, lane, expires_at, submitted_at
  `
  return withRecipients(sql, due)
}

/** Lets other doubts be decided first. */
export async function postponeDoubt(
  sql: Sql,
  { accountId, messageId, position }: RecipientKey,
  { delaySeconds }: { delaySeconds: number }
): Promise<void> {
  await sql`
    update doubts
    set due_at = now() + make_interval(secs => ${delaySeconds})
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = ${position}
  `
}

/** The doubts about these carriers, due or not. Of any account: for workers. */
export async function listDoubtsOf(sql: Sql, carriers: readonly string[]): Promise<OpenDoubt[]> {
  const doubts = await sql<Doubt[]>`
    select account_id, message_id, position, carrier, route, lane, expires_at, submitted_at
    from doubts
    where carrier = any(${carriers as string[]}::text[])
  `
  return withRecipients(sql, doubts)
}

/** Leaves out doubts whose recipient has moved meanwhile. */
async function withRecipients(sql: Sql, doubts: readonly Doubt[]): Promise<OpenDoubt[]> {
  const open = new Map((await listInDoubt(sql, doubts)).map((row) => [toRecipientId(row), row]))
  return doubts.flatMap((doubt) => {
    const recipient = open.get(toRecipientId(doubt))
    return recipient ? [{ ...doubt, ...recipient }] : []
  })
}

/** Adds what the messages say. They are locked until the transaction ends. */
export async function lockMessagesOf(sql: Sql, doubts: readonly OpenDoubt[]): Promise<DueDoubt[]> {
  const messages = new Map((await lockMessages(sql, doubts)).map((row) => [row.id, row]))
  return doubts.flatMap((doubt) => {
    const message = messages.get(doubt.messageId)
    if (!message) return []
    const { id: _, ...ofMessage } = message
    return [{ ...doubt, ...ofMessage }]
  })
}

/** The recipients that are still in doubt. */
async function listInDoubt(
  sql: Sql,
  keys: readonly RecipientKey[]
): Promise<(RecipientKey & Pick<OpenDoubt, 'phone' | 'segments' | 'credits'>)[]> {
  return byShard(
    sql,
    keys,
    (keys, ofAccounts) => sql<(RecipientKey & Pick<OpenDoubt, 'phone' | 'segments' | 'credits'>)[]>`
      select recipients.account_id, recipients.message_id, recipients.position, phone, segments, credits
      from recipients
      join ${unnestRecipientKeys(sql, keys)} on ${isGiven(sql, ofAccounts, keys)}
      where recipients.state = ${RECIPIENT_STATES.submitting}
    `
  )
}

async function lockMessages(
  sql: Sql,
  keys: readonly RecipientKey[]
): Promise<(Pick<DueDoubt, 'category' | 'isCancelled' | 'policy' | 'options' | 'recipientsCount'> & { id: number })[]> {
  if (keys.length === 0) return []
  return sql`
    select messages.id, category, messages.state = 'cancelled' as is_cancelled, in_doubt as policy, options,
      recipients_count
    from (select distinct * from ${unnestMessageKeys(sql, keys)}) as given
    join messages on messages.account_id = any(array[given.account_id]) and messages.id = given.message_id
    join accounts on accounts.id = messages.account_id
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

/**
 * Ends a doubt that evidence has decided; with `submittedBy`, if its submit is not later. Of any account: message ids are unique
 * in the service.
 */
export async function deleteDoubt(
  sql: Sql,
  { messageId, position, submittedBy }: Pick<RecipientKey, 'messageId' | 'position'> & { submittedBy: Date | null }
): Promise<Doubt | undefined> {
  const [row] = await sql<Doubt[]>`
    delete from doubts
    where message_id = ${messageId}
      and position = ${position}
      ${submittedBy ? sql`and submitted_at <= ${submittedBy}` : sql``}
    returning account_id, message_id, position, carrier, route, lane, expires_at, submitted_at
  `
  return row
}
