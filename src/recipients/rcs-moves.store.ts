import { strict as assert } from 'node:assert'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { fewRows, isWithin } from '../database/id-span.ts'
import { numberArray } from '../database/number-array.ts'
import type { Ending, Moved, MoveOf, RecipientKey } from './move.ts'
import type { PaidMove } from './moves.store.ts'
import { RECIPIENT_STATES } from './recipient.ts'
import { hasNotFallenBack, isInSpanOf } from './recipients.store.ts'

/*
 * The statements of `moveRecipients` for RCS alone. The platform's clock differs from ours: a message arrived after it
 * left, and before now.
 */

/**
 * One walk along the index for each message, in one order for all transactions. A join with the given recipients may be
 * planned while the tables are empty. Such a plan may read all recipients for each given one.
 */
export async function updateByRcsReport(sql: Sql, moves: readonly MoveOf<'rcs-reported'>[]): Promise<PaidMove[]> {
  const sorted = moves.toSorted((a, b) => a.messageId - b.messageId || a.position - b.position)
  const groups = Map.groupBy(sorted, ({ messageId, from, to, receipt }) => `${messageId} ${from} ${to} ${receipt}`)
  return (await Promise.all([...groups.values()].map((alike) => updateAlike(sql, alike)))).flat()
}

/** Recipients of one message that make the same move. */
async function updateAlike(sql: Sql, moves: readonly MoveOf<'rcs-reported'>[]): Promise<PaidMove[]> {
  const [first] = moves
  assert(first)
  const { accountId, messageId, from, to, receipt } = first
  const positions = numberArray(moves.map(({ position }) => position))
  const nowMs = databaseNow().getTime()
  const timeOf = (at: (move: MoveOf<'rcs-reported'>) => Date) => {
    const times = moves.map((move) => new Date(Math.min(nowMs, at(move).getTime())))
    return sql`(${times}::timestamptz[])[array_position(${positions}::integer[], position)]`
  }
  const readAt = sql`greatest(sent_at, delivered_at, ${timeOf(({ readAt }) => readAt)})`
  return sql<PaidMove[]>`
    update recipients
    set state = ${to},
        delivered_at = coalesce(delivered_at, greatest(sent_at, ${timeOf(({ deliveredAt }) => deliveredAt)})),
        read_at = ${to === RECIPIENT_STATES.read ? readAt : sql`null`},
        receipt = coalesce(receipt, ${receipt})
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = any(${positions}::integer[])
      and state = ${from}
      and ${hasNotFallenBack(sql)}
    returning account_id, message_id, position, ${from}::smallint as "from", state as "to", segments, credits,
      false as is_fallback
  `
}

/** Corrects the delivery time of read recipients, if a report gives an earlier one. */
export async function updateDeliveredAt(
  sql: Sql,
  recipients: readonly (RecipientKey & { deliveredAt: Date })[]
): Promise<void> {
  if (recipients.length === 0) return
  const sorted = recipients.toSorted((a, b) => a.messageId - b.messageId || a.position - b.position)
  const given = sql`
    unnest(
      ${sorted.map(({ accountId }) => accountId)}::bigint[],
      ${sorted.map(({ messageId }) => messageId)}::bigint[],
      ${sorted.map(({ position }) => position)}::integer[],
      ${sorted.map(({ deliveredAt }) => deliveredAt.toISOString())}::text[]
    ) as given (account_id, message_id, position, arrived_at)
  `
  await sql`
    update recipients
    set delivered_at = least(delivered_at, greatest(sent_at, arrived_at::timestamptz))
    from ${fewRows(sql, given, sorted.length)} as given
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and ${isInSpanOf(sql, sorted)}
      and recipients.state = ${RECIPIENT_STATES.read}
      and ${hasNotFallenBack(sql)}
  `
}

/**
 * Stores the carrier that may have these RCS, although no answer came. No other carrier may send them under another id.
 */
export async function updatePossibleCarrier(
  sql: Sql,
  recipients: readonly (RecipientKey & { carrier: string })[]
): Promise<void> {
  if (recipients.length === 0) return
  const given = sql`
    unnest(
      ${recipients.map(({ accountId }) => accountId)}::bigint[],
      ${recipients.map(({ messageId }) => messageId)}::bigint[],
      ${recipients.map(({ position }) => position)}::integer[],
      ${recipients.map(({ carrier }) => carrier)}::text[]
    ) as given (account_id, message_id, position, carrier)
  `
  await sql`
    update recipients
    set carrier = given.carrier
    from ${fewRows(sql, given, recipients.length)} as given
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and ${isInSpanOf(sql, recipients)}
      and recipients.state = ${RECIPIENT_STATES.waiting}
      and ${hasNotFallenBack(sql)}
      and recipients.carrier is null
  `
}

/**
 * Waiting positions of an RCS message that the platform may have. While submitting is locked, these positions do not
 * leave.
 */
export async function listMaybeAtPlatform(
  sql: Sql,
  { accountId, messageId, except }: { accountId: number; messageId: number; except: readonly number[] }
): Promise<number[]> {
  const rows = await sql<{ position: number }[]>`
    select position
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
      and state = ${RECIPIENT_STATES.waiting}
      and ${hasNotFallenBack(sql)}
      and carrier is not null
      and position <> all(${except as number[]}::integer[])
  `
  return rows.map(({ position }) => position)
}

/**
 * Withdraws waiting recipients whose RCS the platform may have: each counts as sent, and its RCS is to be revoked. It
 * then ends as `ending` says; null means by the cancel of its message. Returns the recipients that were withdrawn.
 */
export async function updateToWithdrawn(
  sql: Sql,
  recipients: readonly (RecipientKey & { ending: Ending | null })[]
): Promise<Moved[]> {
  if (recipients.length === 0) return []
  const { waiting, sent } = RECIPIENT_STATES
  const given = sql`
    unnest(
      ${recipients.map(({ accountId }) => accountId)}::bigint[],
      ${recipients.map(({ messageId }) => messageId)}::bigint[],
      ${recipients.map(({ position }) => position)}::integer[],
      ${recipients.map(({ ending }) => ending)}::text[]
    ) as given (account_id, message_id, position, ending)
  `
  return sql<Moved[]>`
    with withdrawn as (
      update recipients
      set state = ${sent}, sent_at = now()
      from ${fewRows(sql, given, recipients.length)} as given
      join messages
        on messages.account_id = given.account_id
        and messages.id = given.message_id
        and messages.channel = 'rcs'
      where recipients.account_id = given.account_id
        and recipients.message_id = given.message_id
        and recipients.position = given.position
        and ${isInSpanOf(sql, recipients)}
        and recipients.state = ${waiting}
        and ${hasNotFallenBack(sql)}
        and recipients.carrier is not null
      returning recipients.account_id, recipients.message_id, recipients.position, recipients.carrier, ending
    ),
    waits as (
      insert into rcs_waits (account_id, message_id, position, carrier, step, due_at, expires_at, grace_seconds, ending)
      select account_id, message_id, position, carrier, 'cancelled', now(), now() + interval '1 hour', 5, ending
      from withdrawn
      on conflict do nothing
    )
    select account_id, message_id, position, ${waiting}::smallint as "from", ${sent}::smallint as "to"
    from withdrawn
  `
}

/** The caller has locked the recipients. */
export async function updateToFallback(sql: Sql, moves: readonly MoveOf<'fell-back'>[]): Promise<void> {
  if (moves.length === 0) return
  const given = sql`
    unnest(
      ${moves.map(({ accountId }) => accountId)}::bigint[],
      ${moves.map(({ messageId }) => messageId)}::bigint[],
      ${moves.map(({ position }) => position)}::integer[],
      ${moves.map(({ sms }) => sms.segments)}::smallint[],
      ${moves.map(({ sms }) => sms.credits)}::smallint[]
    ) as given (account_id, message_id, position, segments, credits)
  `
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
    from ${fewRows(sql, given, moves.length)} as given
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and ${isInSpanOf(sql, moves)}
  `
}

/**
 * Undoes a fallback. The recipient's row records again that the RCS was sent, in place of a timeline step. The caller
 * has locked the recipients.
 */
export async function updateToArrived(sql: Sql, moves: readonly MoveOf<'arrived'>[]): Promise<void> {
  if (moves.length === 0) return
  const messageIds = moves.map(({ messageId }) => messageId)
  await sql`
    with given as (
      select *
      from unnest(
        ${moves.map(({ accountId }) => accountId)}::bigint[],
        ${moves.map(({ messageId }) => messageId)}::bigint[],
        ${moves.map(({ position }) => position)}::integer[],
        ${moves.map(({ to }) => to)}::smallint[],
        ${moves.map(({ rcsCredits }) => rcsCredits)}::smallint[],
        ${moves.map(({ deliveredAt }) => deliveredAt.toISOString())}::text[],
        ${moves.map(({ readAt }) => readAt.toISOString())}::text[],
        ${moves.map(({ receipt }) => receipt)}::text[],
        ${moves.map(({ carrier }) => carrier)}::text[],
        ${moves.map(({ carrierMessageId }) => carrierMessageId)}::text[]
      ) as given (
        account_id, message_id, position, state, credits, delivered_at, read_at, receipt, carrier, carrier_message_id
      )
      limit ${moves.length}
    ),
    sent_steps as (
      delete from timeline_steps
      using given
      where timeline_steps.account_id = given.account_id
        and timeline_steps.message_id = given.message_id
        and timeline_steps.position = given.position
        and ${isWithin(sql, sql`timeline_steps.message_id`, messageIds)}
        and step = 'sent'
      returning timeline_steps.account_id, timeline_steps.message_id, timeline_steps.position, at
    ),
    timed as (
      select given.*, least(now(), coalesce(at, given.delivered_at::timestamptz)) as sent_at
      from given
      left join sent_steps using (account_id, message_id, position)
    )
    update recipients
    set state = timed.state,
        channel = null,
        segments = 0,
        credits = timed.credits,
        sent_at = timed.sent_at,
        delivered_at = least(now(), greatest(timed.sent_at, timed.delivered_at::timestamptz)),
        read_at = case
          when timed.state = ${RECIPIENT_STATES.read}
          then least(now(), greatest(timed.sent_at, timed.read_at::timestamptz))
        end,
        carrier = timed.carrier,
        carrier_message_ids = array[timed.carrier_message_id],
        receipt = timed.receipt,
        error_code = null
    from timed
    where recipients.account_id = timed.account_id
      and recipients.message_id = timed.message_id
      and recipients.position = timed.position
      and ${isWithin(sql, sql`recipients.message_id`, messageIds)}
  `
}
