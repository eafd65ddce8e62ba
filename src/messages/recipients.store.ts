import { type CopiedRow, copyRows } from '../database/copy-rows.ts'
import type { Sql } from '../database/database.ts'
import type { MessageKey } from './messages.store.ts'
import type { PlannedRecipient } from './plan.ts'
import { RECIPIENT_STATES, type Recipient } from './recipient.ts'

export interface NewRecipient extends PlannedRecipient {
  accountId: number
  messageId: number
}

const COLUMNS = ['account_id', 'message_id', 'position', 'segments', 'credits', 'country', 'phone', 'content']

/** For a few, of any messages. */
export async function insertRecipients(sql: Sql, recipients: readonly NewRecipient[]): Promise<void> {
  await sql`
    insert into recipients (account_id, message_id, position, segments, credits, country, phone, content)
    select *
    from unnest(
      ${recipients.map(({ accountId }) => accountId)}::bigint[],
      ${recipients.map(({ messageId }) => messageId)}::bigint[],
      ${recipients.map(({ position }) => position)}::integer[],
      ${recipients.map(({ segments }) => segments)}::smallint[],
      ${recipients.map(({ credits }) => credits)}::smallint[],
      ${recipients.map(({ country }) => country)}::text[],
      ${recipients.map(({ phone }) => phone)}::text[],
      ${recipients.map(({ content }) => content)}::text[]
    )
  `
}

/** For many, of one message. */
export async function copyRecipients(
  sql: Sql,
  { accountId, id }: MessageKey,
  recipients: readonly PlannedRecipient[]
): Promise<void> {
  const rows: CopiedRow[] = recipients.map((recipient) => [
    accountId,
    id,
    recipient.position,
    recipient.segments,
    recipient.credits,
    recipient.country,
    recipient.phone,
    recipient.content
  ])
  await copyRows(
    sql,
    { table: 'recipients', columns: COLUMNS },
    (async function* () {
      yield rows
    })()
  )
}

/** How many of a message still wait, and what was paid for them. The message is locked, so that none leaves meanwhile. */
export async function sumWaiting(
  sql: Sql,
  { accountId, id }: MessageKey
): Promise<{ recipients: number; credits: number }> {
  const [row] = await sql<[{ recipients: number; credits: number }]>`
    select count(*) as recipients, coalesce(sum(credits), 0) as credits
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
      and state = ${RECIPIENT_STATES.waiting}
  `
  return row
}

interface RecipientScope extends MessageKey {
  /** The states to list; all of them without. */
  states?: readonly number[] | undefined
}

/** In the order they were given. */
export async function listRecipientsOfPage(
  sql: Sql,
  { accountId, id, states }: RecipientScope,
  { offset, limit }: { offset: number; limit: number }
): Promise<Recipient[]> {
  if (states === undefined) return listRecipientsAfter(sql, { accountId, id }, { afterPosition: offset, limit })
  return sql<Recipient[]>`
    select ${recipientColumns(sql)}
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
      and state = any(${states as number[]}::smallint[])
    order by position
    offset ${offset}
    limit ${limit}
  `
}

/** Positions have no gaps, so that any page, or piece of an extract, is a range of them. */
export async function listRecipientsAfter(
  sql: Sql,
  { accountId, id }: MessageKey,
  { afterPosition, limit }: { afterPosition: number; limit: number }
): Promise<Recipient[]> {
  return sql<Recipient[]>`
    select ${recipientColumns(sql)}
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
      and position > ${afterPosition}::bigint
      and position <= ${afterPosition + limit}::bigint
    order by position
  `
}

/** Those in some states, in the order they were given, after a position. */
export async function listRecipientsInStates(
  sql: Sql,
  { accountId, id, states }: Required<RecipientScope>,
  { afterPosition, limit }: { afterPosition: number; limit: number }
): Promise<Recipient[]> {
  return sql<Recipient[]>`
    select ${recipientColumns(sql)}
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
      and position > ${afterPosition}
      and state = any(${states as number[]}::smallint[])
    order by position
    limit ${limit}
  `
}

export async function countRecipients(sql: Sql, { accountId, id, states }: Required<RecipientScope>): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
      and state = any(${states as number[]}::smallint[])
  `
  return row.count
}

function recipientColumns(sql: Sql) {
  return sql`message_id, position, state, segments, credits, country, phone, content, error_code, sent_at, delivered_at`
}
