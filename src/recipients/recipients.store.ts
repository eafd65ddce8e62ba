import { type CopiedRow, copyRows } from '../database/copy-rows.ts'
import type { Sql } from '../database/database.ts'
import { areClose, fewRows, isAmong, isWithin } from '../database/id-span.ts'
import { byAccount, eachAccount, halfCommitted, isDistributed } from '../database/shape.ts'
import { listStoredMessages, type MessageKey } from '../messages/messages.store.ts'
import type { RecipientKey } from './move.ts'
import { notePhones } from './phone-accounts.store.ts'
import { RECIPIENT_STATES, type Recipient, type RecipientState, toRecipientId } from './recipient.ts'

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

/** These recipients as a table `given`, to join with. `more` is what else is known of each: arrays in their order, and the names of their columns. */
export function unnestRecipientKeys(
  sql: Sql,
  keys: readonly RecipientKey[],
  more?: { arrays: ReturnType<Sql>; names: ReturnType<Sql> }
) {
  const rows = sql`
    unnest(
      ${keys.map(({ accountId }) => accountId)}::bigint[],
      ${keys.map(({ messageId }) => messageId)}::bigint[],
      ${keys.map(({ position }) => position)}::integer[]${more ? sql`, ${more.arrays}` : sql``}
    ) as given (account_id, message_id, position${more ? sql`, ${more.names}` : sql``})
  `
  return sql`${fewRows(sql, rows, keys.length)} as given`
}

/**
 * Whether a recipient is the one in `given`; see `byAccount`. The span of the ids of messages spares the other ranges.
 */
export function isGiven(
  sql: Sql,
  account: ReturnType<Sql>,
  keys: readonly Pick<RecipientKey, 'messageId'>[]
): ReturnType<Sql> {
  return sql`
    recipients.account_id = ${account}
    and recipients.message_id = given.message_id
    and recipients.position = given.position
    and ${isInSpanOf(sql, keys)}
  `
}

/** Whether a recipient may be one of these, by the id of its message: the condition that spares the other ranges. */
export function isInSpanOf(sql: Sql, keys: readonly Pick<RecipientKey, 'messageId'>[]) {
  return isWithin(
    sql,
    sql`recipients.message_id`,
    keys.map(({ messageId }) => messageId)
  )
}

/** Whether a recipient of one message has one of these positions. Those that are not `areClose` are better found by key. */
export function isAtPositions(sql: Sql, positions: readonly number[]) {
  return isAmong(sql, sql`recipients.position`, positions)
}

/** Whether a fallback SMS replaced a recipient's RCS. */
export function hasFallenBack(sql: Sql) {
  return sql`recipients.channel is not null`
}

/** Whether a recipient is reached by the channel of its message. */
export function hasNotFallenBack(sql: Sql) {
  return sql`recipients.channel is null`
}

/**
 * Stores few recipients, of any messages. One statement on a cluster too: Citus shares its rows out to their shards, over one
 * connection to each node.
 */
export async function insertRecipients(sql: Sql, recipients: readonly NewRecipient[]): Promise<void> {
  if (recipients.length === 0) return
  const inserted = sql`
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
  await Promise.all([inserted, notePhones(sql, recipients)])
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

/** Recipients that wait, and their credits. */
export interface WaitingSum {
  recipients: number
  credits: number
  creditsByCountry: Readonly<Record<string, number>>
}

/**
 * The number and the credits of the recipients of a message that still wait as accepted, except some. The caller holds
 * the lock against submitting (submit-locks.store.ts).
 */
export async function sumWaiting(
  sql: Sql,
  { accountId, id }: MessageKey,
  { except }: { except: readonly number[] }
): Promise<WaitingSum> {
  const rows = await sql<{ country: string; recipients: number; credits: number }[]>`
    select country, count(*) as recipients, coalesce(sum(credits), 0) as credits
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
      and state = ${RECIPIENT_STATES.waiting}
      and ${hasNotFallenBack(sql)}
      and position <> all(${except as number[]}::integer[])
    group by country
  `
  const sum = (name: 'recipients' | 'credits') => rows.reduce((total, row) => total + row[name], 0)
  const creditsByCountry = Object.fromEntries(rows.map(({ country, credits }) => [country, credits]))
  return { recipients: sum('recipients'), credits: sum('credits'), creditsByCountry }
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

/** Positions of a message whose fallback SMS waits. While submitting is locked, these positions do not leave. */
export async function listWaitingFallbacks(
  sql: Sql,
  { accountId, id }: MessageKey,
  { except }: { except: readonly number[] }
): Promise<number[]> {
  const rows = await sql<{ position: number }[]>`
    select position
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
      and state = ${RECIPIENT_STATES.waiting}
      and ${hasFallenBack(sql)}
      and position <> all(${except as number[]}::integer[])
  `
  return rows.map(({ position }) => position)
}

/** Recipients of a message that may leave until a moment, and expire then. */
export interface WaitingUntil {
  expiresAt: Date
  recipients: number
}

/** The queued recipients of a message that are not on their way, by the moment at which they expire. */
export async function listWaitingUntil(sql: Sql, { accountId, id }: MessageKey): Promise<WaitingUntil[]> {
  return sql<WaitingUntil[]>`
    select expires_at, count(*) as recipients
    from (
      select expires_at, submitting, unnest(positions) as position
      from batches
      where account_id = ${accountId}
        and message_id = ${id}
    ) as queued
    join recipients using (position)
    where recipients.account_id = ${accountId}
      and recipients.message_id = ${id}
      and state = ${RECIPIENT_STATES.waiting}
      and position <> all(submitting)
    group by expires_at
    order by expires_at
  `
}

/** Waiting positions of a message in a range, in their order. */
export async function listWaitingBetween(
  sql: Sql,
  { accountId, id }: MessageKey,
  { after, to }: { after: number; to: number }
): Promise<number[]> {
  const rows = await sql<{ position: number }[]>`
    select position
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
      and position > ${after}
      and position <= ${to}
      and state = ${RECIPIENT_STATES.waiting}
    order by position
  `
  return rows.map(({ position }) => position)
}

/** A range of positions of a message: above `after`, up to `to`. */
export interface PositionRange extends MessageKey {
  after: number
  to: number
}

/** Some positions of a message. */
export interface Positions {
  accountId: number
  messageId: number
  positions: readonly number[]
}

/** The fields of a recipient for submitting it, or for matching a receipt with it. */
export interface RecipientAtPosition {
  accountId: number
  messageId: number
  position: number
  state: RecipientState
  phone: string
  country: string
  /** Null: the text of the message. Of an RCS message, the values of its variables. */
  content: string | null
  /** Null: the channel of the message. `sms` once an RCS fell back. */
  channel: 'sms' | null
  /** The carrier that accepted it. Of a waiting RCS, the carrier that may have it although no answer came. */
  carrier: string | null
}

/** Up to so many messages, each gets its own walk along the index. */
const WALKS_MAX = 4

/**
 * Recipients of any accounts by their positions. A walk along the index for each message takes a tenth of the time of
 * looking each recipient up. Many messages have few positions each: one statement reads them all.
 */
export async function listAtPositions(sql: Sql, groups: readonly Positions[]): Promise<RecipientAtPosition[]> {
  return eachAccount(groups, (some) => listSomeAtPositions(sql, some))
}

async function listSomeAtPositions(sql: Sql, groups: readonly Positions[]): Promise<RecipientAtPosition[]> {
  if (groups.length <= WALKS_MAX && groups.every(({ positions }) => areClose(positions)))
    return (await Promise.all(groups.map((group) => listAtPositionsOf(sql, group)))).flat()
  const keys = groups.flatMap(({ accountId, messageId, positions }) =>
    positions.map((position) => ({ accountId, messageId, position }))
  )
  return listRecipientsAt(sql, keys)
}

/** The same by the key of each, with the time of sending. */
export async function listRecipientsAt(
  sql: Sql,
  keys: readonly RecipientKey[]
): Promise<(RecipientAtPosition & { sentAt: Date | null })[]> {
  return byAccount(
    sql,
    keys,
    (keys, account) => sql<(RecipientAtPosition & { sentAt: Date | null })[]>`
      select recipients.account_id, recipients.message_id, recipients.position, state, phone, country, content, channel,
        carrier, sent_at
      from recipients
      join ${unnestRecipientKeys(sql, keys)} on ${isGiven(sql, account, keys)}
    `
  )
}

async function listAtPositionsOf(
  sql: Sql,
  { accountId, messageId, positions }: Positions
): Promise<RecipientAtPosition[]> {
  const rows = await sql<RecipientAtPosition[]>`
    select position, state, phone, country, content, channel, carrier
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
      and ${isAtPositions(sql, positions)}
  `
  for (const row of rows) {
    row.accountId = accountId
    row.messageId = messageId
  }
  return rows
}

/** The phone of one recipient; undefined once its message is removed, empty once it is erased. */
export async function findPhoneAt(
  sql: Sql,
  { accountId, messageId, position }: RecipientKey
): Promise<string | undefined> {
  const [row] = await sql<{ phone: string }[]>`
    select phone
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = ${position}
  `
  return row?.phone
}

/** The phones of those positions that still wait to leave as RCS. */
export async function listWaitingPhones(
  sql: Sql,
  { accountId, messageId, positions }: Positions
): Promise<{ phone: string }[]> {
  return sql<{ phone: string }[]>`
    select phone
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
      and ${isAtPositions(sql, positions)}
      and state = ${RECIPIENT_STATES.waiting}
      and ${hasNotFallenBack(sql)}
  `
}

/**
 * The oldest messages of some accounts in which this phone is waiting, in the order in which all transactions lock
 * messages.
 */
export async function listWaitingByPhone(
  sql: Sql,
  { accountIds, phone, limit }: { accountIds: readonly number[]; phone: string; limit: number }
): Promise<RecipientKey[]> {
  const found = await byAccount(
    sql,
    accountIds.map((accountId) => ({ accountId })),
    (accounts, account) => sql<RecipientKey[]>`
      select recipients.account_id, message_id, position
      from unnest(${accounts.map(({ accountId }) => accountId)}::bigint[]) as given (account_id)
      join recipients on recipients.account_id = ${account}
      join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
      where phone = ${phone}
        and recipients.state = ${RECIPIENT_STATES.waiting}
        and messages.state in ('scheduled', 'sending')
      order by message_id
      limit ${limit}
    `
  )
  return found.toSorted((a, b) => a.messageId - b.messageId).slice(0, limit)
}

/**
 * Locks recipients until the transaction ends, and returns those that are there. Without it, two simultaneous receipts of
 * several segments would each miss the other.
 */
export async function lockRecipients(sql: Sql, keys: readonly RecipientKey[]): Promise<RecipientKey[]> {
  return byAccount(
    sql,
    keys,
    (keys, account) => sql<RecipientKey[]>`
      select recipients.account_id, recipients.message_id, recipients.position
      from recipients
      join (select distinct * from ${unnestRecipientKeys(sql, keys)}) as given on ${isGiven(sql, account, keys)}
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

/** Failed recipients of an SMS message that were not resent yet, after a position, in the order of the request. */
export async function listUnresent(
  sql: Sql,
  { accountId, id }: MessageKey,
  { afterPosition, limit }: { afterPosition: number; limit: number }
): Promise<Pick<Recipient, 'position' | 'phone' | 'content'>[]> {
  return sql`
    select position, phone, content
    from recipients
    where ${isUnresent(sql, { accountId, id })}
      and position > ${afterPosition}
    order by position
    limit ${limit}
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

/** Marks recipients as resent by a message that the caller has just stored. */
export async function updateToResent(
  sql: Sql,
  { accountId, id }: MessageKey,
  { resentAs }: { resentAs: number }
): Promise<void> {
  await sql`
    update recipients
    set resent_as = ${resentAs}
    where ${isUnresent(sql, { accountId, id })}
      and exists (
        select 1
        from recipients as again
        where again.account_id = ${accountId}
          and again.message_id = ${resentAs}
          and again.phone = recipients.phone
      )
  `
}

function isUnresent(sql: Sql, { accountId, id }: MessageKey) {
  const { failed, expired, rejected } = RECIPIENT_STATES
  return sql`
    account_id = ${accountId}
    and message_id = ${id}
    and state in (${failed}, ${expired}, ${rejected})
    and resent_as is null
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

/** The facts of a timeline that the rows of the recipient and its message hold. */
export interface TimelineFacts {
  state: number
  segments: number
  credits: number
  carrier: string | null
  carrierMessageIds: string[] | null
  sentAt: Date | null
  deliveredAt: Date | null
  readAt: Date | null
  clickedAt: Date | null
  receipt: string | null
  cancelledAt: Date | null
}

export async function findTimelineFacts(
  sql: Sql,
  { accountId, messageId, position }: { accountId: number; messageId: number; position: number }
): Promise<TimelineFacts | undefined> {
  const [row] = await sql<TimelineFacts[]>`
    select recipients.state, segments, credits, carrier, carrier_message_ids, sent_at, delivered_at, read_at,
      clicked_at, receipt, cancelled_at
    from recipients
    join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    where recipients.account_id = ${accountId}
      and message_id = ${messageId}
      and position = ${position}
  `
  return row
}

function recipientColumns(sql: Sql) {
  return sql`
    message_id, position, state, segments, credits, country, phone, content, error_code, channel, sent_at, delivered_at, read_at
  `
}
