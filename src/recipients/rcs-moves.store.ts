import { strict as assert } from 'node:assert'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import { byShard } from '../database/shape.ts'
import { hasNotFallenBack, isAtPositions, isGiven, isInSpanOf, unnestRecipientKeys } from './conditions.store.ts'
import type { Ending, Moved, MoveOf, RecipientKey } from './move.ts'
import type { PaidMove } from './moves.store.ts'
import { RECIPIENT_STATES } from './recipient.ts'
import { insertRevocations } from './waits.store.ts'

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
  const positions = moves.map(({ position }) => position)
  const nowMs = databaseNow().getTime()
  const timeOf = (at: (move: MoveOf<'rcs-reported'>) => Date) => {
    const times = moves.map((move) => new Date(Math.min(nowMs, at(move).getTime())))
    return sql`(${times}::timestamptz[])[array_position(${numberArray(positions)}::integer[], position)]`
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
      and ${isAtPositions(sql, positions)}
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
  await byShard(
    sql,
    sorted,
    (sorted, ofAccounts) => sql`
    update recipients
    set delivered_at = least(delivered_at, greatest(sent_at, arrived_at))
    from ${unnestRecipientKeys(sql, sorted, { arrays: sql`${sorted.map(({ deliveredAt }) => deliveredAt)}::timestamptz[]`, names: sql`arrived_at` })}
    where ${isGiven(sql, ofAccounts, sorted)}
      and recipients.state = ${RECIPIENT_STATES.read}
      and ${hasNotFallenBack(sql)}
  `
  )
}

/**
 * Stores the carrier that may have these RCS, although no answer came. No other carrier may send them under another id.
 */
export async function updatePossibleCarrier(
  sql: Sql,
  recipients: readonly (RecipientKey & { carrier: string })[]
): Promise<void> {
  await byShard(
    sql,
    recipients,
    (recipients, ofAccounts) => sql`
    update recipients
    set carrier = given.carrier
    from ${unnestRecipientKeys(sql, recipients, { arrays: sql`${recipients.map(({ carrier }) => carrier)}::text[]`, names: sql`carrier` })}
    where ${isGiven(sql, ofAccounts, recipients)}
      and recipients.state = ${RECIPIENT_STATES.waiting}
      and ${hasNotFallenBack(sql)}
      and recipients.carrier is null
  `
  )
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

interface Withdrawn extends RecipientKey {
  carrier: string
  ending: Ending | null
}

/**
 * Withdraws waiting recipients whose RCS the platform may have: each counts as sent, and its RCS is to be revoked. It
 * then ends as `ending` says; null means by the cancel of its message. Returns the recipients that were withdrawn.
 */
export async function updateToWithdrawn(
  sql: Sql,
  recipients: readonly (RecipientKey & { ending: Ending | null })[]
): Promise<Moved[]> {
  const { waiting: from, sent: to } = RECIPIENT_STATES
  // Of those that wait, only an RCS that the platform may have has a carrier.
  const withdrawn = await byShard(
    sql,
    recipients,
    (recipients, ofAccounts) => sql<Withdrawn[]>`
      update recipients
      set state = ${to}, sent_at = now()
      from ${unnestRecipientKeys(sql, recipients, { arrays: sql`${recipients.map(({ ending }) => ending)}::text[]`, names: sql`ending` })}
      where ${isGiven(sql, ofAccounts, recipients)}
        and recipients.state = ${from}
        and ${hasNotFallenBack(sql)}
        and recipients.carrier is not null
      returning recipients.account_id, recipients.message_id, recipients.position, recipients.carrier, ending
    `
  )
  await insertRevocations(sql, withdrawn)
  return withdrawn.map(({ accountId, messageId, position }) => ({ accountId, messageId, position, from, to }))
}

/** The caller has locked the recipients. */
export async function updateToFallback(sql: Sql, moves: readonly MoveOf<'fell-back'>[]): Promise<void> {
  await byShard(
    sql,
    moves,
    (moves, ofAccounts) => sql`
    update recipients
    set state = ${RECIPIENT_STATES.waiting},
        channel = 'sms',
        segments = given.segments,
        credits = given.credits,
        rcs_credits = given.rcs_credits,
        sent_at = null,
        carrier = null,
        carrier_message_ids = null,
        receipt = null,
        error_code = null
    from ${unnestRecipientKeys(sql, moves, {
      arrays: sql`${moves.map(({ sms }) => sms.segments)}::smallint[],
      ${moves.map(({ sms }) => sms.credits)}::smallint[],
      ${moves.map(({ rcsCredits }) => rcsCredits)}::smallint[]`,
      names: sql`segments, credits, rcs_credits`
    })}
    where ${isGiven(sql, ofAccounts, moves)}
  `
  )
}

/**
 * Undoes a fallback. The recipient's row records again that the RCS was sent, in place of a timeline step. The caller
 * has locked the recipients.
 */
export async function updateToArrived(sql: Sql, moves: readonly MoveOf<'arrived'>[]): Promise<void> {
  const now = databaseNow()
  const upToNow = (at: Date) => (at < now ? at : now)
  const { read } = RECIPIENT_STATES
  await byShard(
    sql,
    moves,
    (moves, ofAccounts) => sql`
    with moves as (
      select *
      from unnest(
        ${moves.map(({ accountId }) => accountId)}::bigint[],
        ${moves.map(({ messageId }) => messageId)}::bigint[],
        ${moves.map(({ position }) => position)}::integer[],
        ${moves.map(({ to }) => to)}::smallint[],
        ${moves.map(({ rcsCredits }) => rcsCredits)}::smallint[],
        ${moves.map(({ deliveredAt }) => upToNow(deliveredAt))}::timestamptz[],
        ${moves.map(({ to, readAt }) => (to === read ? upToNow(readAt) : null))}::timestamptz[],
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
      using moves as given
      where ${ofAccounts(sql`timeline_steps.account_id`)}
        and timeline_steps.message_id = given.message_id
        and timeline_steps.position = given.position
        and ${isInSpanOf(
          sql,
          sql`timeline_steps.message_id`,
          moves.map(({ messageId }) => messageId)
        )}
        and step = 'sent'
      returning timeline_steps.account_id, timeline_steps.message_id, timeline_steps.position, at
    ),
    timed as (
      select moves.*, coalesce(at, moves.delivered_at) as sent_at
      from moves
      left join sent_steps using (account_id, message_id, position)
    )
    update recipients
    set state = given.state,
        channel = null,
        segments = 0,
        credits = given.credits,
        sent_at = given.sent_at,
        delivered_at = greatest(given.sent_at, given.delivered_at),
        read_at = case when given.state = ${read} then greatest(given.sent_at, given.read_at) end,
        carrier = given.carrier,
        carrier_message_ids = array[given.carrier_message_id],
        receipt = given.receipt,
        error_code = null
    from timed as given
    where ${isGiven(sql, ofAccounts, moves)}
  `
  )
}
