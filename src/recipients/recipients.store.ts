import { type CopiedRow, copyRows } from '../database/copy-rows.ts'
import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { notePhones } from './phone-accounts.store.ts'
import type { Recipient } from './recipient.ts'

/** A recipient that is about to be stored with its message. */
export interface PositionedRecipient {
  position: number
  phone: string
  country: string
  /** Null without a text, or values, of its own. */
  content: string | null
  segments: number
  credits: number
}

export interface NewRecipient extends PositionedRecipient {
  accountId: number
  messageId: number
}

const COLUMNS = ['account_id', 'message_id', 'position', 'segments', 'credits', 'country', 'phone', 'content']

/**
 * Stores few recipients, of any messages. One statement on a cluster too: Citus shares its rows out to their shards, over one
 * connection to each node.
 */
export async function insertRecipients(sql: Sql, recipients: readonly NewRecipient[]): Promise<void> {
  const [first] = recipients
  if (!first) return
  const inserted = recipients.every((recipient) => isLike(recipient, first))
    ? insertAlike(sql, recipients, first)
    : insertAny(sql, recipients)
  await Promise.all([inserted, notePhones(sql, recipients)])
}

/** Whether two recipients differ only in their message and their phone. */
function isLike(a: NewRecipient, b: NewRecipient): boolean {
  return (
    a.position === b.position &&
    a.segments === b.segments &&
    a.credits === b.credits &&
    a.country === b.country &&
    a.content === b.content
  )
}

/** Most recipients that arrive together are alike: the only ones of their messages. What they share is read once. */
async function insertAlike(
  sql: Sql,
  recipients: readonly NewRecipient[],
  { position, segments, credits, country, content }: NewRecipient
): Promise<void> {
  await sql`
    insert into recipients (account_id, message_id, position, segments, credits, country, phone, content)
    select account_id, message_id, ${position}::integer, ${segments}::smallint, ${credits}::smallint, ${country}::text,
      phone, ${content}::text
    from unnest(
      ${numberArray(recipients.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(recipients.map(({ messageId }) => messageId))}::bigint[],
      ${recipients.map(({ phone }) => phone)}::text[]
    ) as given (account_id, message_id, phone)
  `
}

async function insertAny(sql: Sql, recipients: readonly NewRecipient[]): Promise<void> {
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

/** Stores many recipients of one message. */
export async function copyRecipients(
  sql: Sql,
  { accountId, id }: MessageKey,
  recipients: readonly PositionedRecipient[]
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
  await notePhones(
    sql,
    recipients.map(({ phone }) => ({ accountId, phone }))
  )
}

interface RecipientScope extends MessageKey {
  /** The states to list; absent means all. */
  states?: readonly number[] | undefined
}

/** In the order of the request. */
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

/** Positions have no gaps, so a page or an extract chunk is a range of positions. */
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

/** The numbers of a message in the order of its recipients, up to a limit. */
export async function listPhones(
  sql: Sql,
  { accountId, id }: MessageKey,
  { limit }: { limit: number }
): Promise<string[]> {
  const rows = await sql<{ phone: string }[]>`
    select phone
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
    order by position
    limit ${limit}
  `
  return rows.map(({ phone }) => phone)
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
  return sql`
    message_id, position, state, segments, credits, country, phone, content, error_code, channel, sent_at, delivered_at, read_at
  `
}
