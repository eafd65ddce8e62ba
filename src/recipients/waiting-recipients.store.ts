import type { Sql } from '../database/database.ts'
import { byShard } from '../database/shape.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { hasFallenBack, hasNotFallenBack, isAtPositions } from './conditions.store.ts'
import type { RecipientKey } from './move.ts'
import type { Positions } from './positions.store.ts'
import { RECIPIENT_STATES } from './recipient.ts'

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
  const found = await byShard(
    sql,
    accountIds.map((accountId) => ({ accountId })),
    (accounts, ofAccounts) => sql<RecipientKey[]>`
      select recipients.account_id, message_id, position
      from unnest(${accounts.map(({ accountId }) => accountId)}::bigint[]) as given (account_id)
      join recipients on ${ofAccounts(sql`recipients.account_id`)}
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
