import { strict as assert } from 'node:assert'
import { databaseNowMs } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { byShard, eachShard, isDistributed } from '../database/shape.ts'
import { hasFallenBack, hasNotFallenBack, isAtPositions, isGiven, unnestRecipientKeys } from './conditions.store.ts'
import type { Moved, MoveOf, RecipientKey } from './move.ts'
import { RECIPIENT_STATES } from './recipient.ts'
import { splitByWalk, WALKS_MAX } from './walks.ts'

/*
 * The statements of `moveRecipients` for SMS and RCS alike. Each statement moves only recipients that are still in the
 * starting state of their move, and returns the recipients it moved.
 */

/** A recipient that has moved, with its price. */
export interface PaidMove extends Moved {
  segments: number
  credits: number
  country: string
  /** Whether the price is that of a fallback SMS. */
  isFallback: boolean
}

export async function updateDecided(sql: Sql, moves: readonly MoveOf<'decided'>[]): Promise<PaidMove[]> {
  const { waiting, submitting } = RECIPIENT_STATES
  return byShard(
    sql,
    moves,
    (moves, ofAccounts) => sql<PaidMove[]>`
    update recipients
    set state = given.to_state, error_code = given.error_code
    from ${unnestRecipientKeys(sql, moves, {
      arrays: sql`${moves.map(({ from }) => (from === 'open' ? waiting : from))}::smallint[],
      ${moves.map(({ from }) => (from === 'open' ? submitting : from))}::smallint[],
      ${moves.map(({ to }) => to)}::smallint[],
      ${moves.map(({ errorCode }) => errorCode ?? '')}::text[]`,
      names: sql`from_state, or_from_state, to_state, error_code`
    })}
    where ${isGiven(sql, ofAccounts, moves)}
      and recipients.state in (given.from_state, given.or_from_state)
    returning recipients.account_id, recipients.message_id, recipients.position, from_state as "from", state as "to",
      segments, credits, country, ${hasFallenBack(sql)} as is_fallback
  `
  )
}

export async function updateToInDoubt(sql: Sql, keys: readonly RecipientKey[]): Promise<Moved[]> {
  const { waiting, submitting } = RECIPIENT_STATES
  return byShard(
    sql,
    keys,
    (keys, ofAccounts) => sql<Moved[]>`
    update recipients
    set state = ${submitting}
    from ${unnestRecipientKeys(sql, keys)}
    where ${isGiven(sql, ofAccounts, keys)}
      and recipients.state in (${waiting}, ${submitting})
    returning recipients.account_id, recipients.message_id, recipients.position, ${waiting}::smallint as "from", state as "to"
  `
  )
}

/**
 * Marks recipients as submitting before their message is cancelled. Locked recipients are skipped: a transaction that
 * waits for the message is settling them at this moment.
 */
export async function updateToSubmitting(
  sql: Sql,
  { accountId, messageId, positions }: { accountId: number; messageId: number; positions: readonly number[] }
): Promise<void> {
  if (positions.length === 0) return
  await sql`
    with free as (
      select position
      from recipients
      where account_id = ${accountId}
        and message_id = ${messageId}
        and ${isAtPositions(sql, positions)}
        and state = ${RECIPIENT_STATES.waiting}
      for update skip locked
    )
    update recipients
    set state = ${RECIPIENT_STATES.submitting}
    from free
    where account_id = ${accountId}
      and message_id = ${messageId}
      and recipients.position = free.position
      and ${isAtPositions(sql, positions)}
  `
}

export async function updateToSent(sql: Sql, moves: readonly MoveOf<'sent'>[]): Promise<Moved[]> {
  return eachShard(sql, moves, (some) => updateSomeToSent(sql, some))
}

async function updateSomeToSent(sql: Sql, moves: readonly MoveOf<'sent'>[]): Promise<Moved[]> {
  const { walks, others } = split(moves, ({ messageId, carrier }) => `${messageId} ${carrier}`)
  const channels = Map.groupBy(others, ({ channel }) => channel)
  const moved = await Promise.all([
    ...walks.map((group) => updateToSentOfMessage(sql, group)),
    ...[...channels.values()].map((group) => updateAllToSent(sql, group))
  ])
  return moved.flat()
}

/** Moves that are found by walks, in groups that one statement can do, and the others. */
function split<M extends RecipientKey>(
  moves: readonly M[],
  nameOf: (move: M) => string
): { walks: readonly (readonly M[])[]; others: readonly M[] } {
  if (!isDistributed() && !isOfFewMessages(moves)) return { walks: [], others: moves }
  const groups = [...Map.groupBy(moves, nameOf).values()]
  const { walks, others } = splitByWalk(groups, positionsOf)
  return { walks, others: others.flat() }
}

/** Found out first: to group hundreds of messages by names that are made for each takes long. */
function isOfFewMessages(keys: readonly RecipientKey[]): boolean {
  const messageIds = new Set<number>()
  for (const { messageId } of keys) if (messageIds.add(messageId).size > WALKS_MAX) return false
  return true
}

function positionsOf(keys: readonly RecipientKey[]): number[] {
  return keys.map(({ position }) => position)
}

/** Moves of one message and carrier. */
async function updateToSentOfMessage(sql: Sql, moves: readonly MoveOf<'sent'>[]): Promise<Moved[]> {
  const [first] = moves
  assert(first)
  const { accountId, messageId, carrier } = first
  const rows = await sql<{ position: number }[]>`
    update recipients
    set state = ${RECIPIENT_STATES.sent},
        sent_at = now(),
        carrier = ${carrier},
        carrier_message_ids = string_to_array(${idsByPosition(moves)}::jsonb ->> position::text, E'\n')
    where account_id = ${accountId}
      and message_id = ${messageId}
      and ${isAtPositions(sql, positionsOf(moves))}
      and state in (${RECIPIENT_STATES.waiting}, ${RECIPIENT_STATES.submitting})
      ${ofChannel(sql, first)}
    returning position
  `
  const moved = { accountId, messageId, from: RECIPIENT_STATES.waiting, to: RECIPIENT_STATES.sent }
  return rows.map(({ position }) => ({ ...moved, position }))
}

/** JSON, written by hand: an object with positions as its keys is slow to make and to write. */
function idsByPosition(moves: readonly MoveOf<'sent'>[]): string {
  let text = '{'
  for (const { position, carrierMessageIds } of moves) {
    text += `${text === '{' ? '' : ','}"${position}":${JSON.stringify(carrierMessageIds.join('\n'))}`
  }
  return `${text}}`
}

/** Moves of one channel. */
async function updateAllToSent(sql: Sql, moves: readonly MoveOf<'sent'>[]): Promise<Moved[]> {
  const [first] = moves
  assert(first)
  return byShard(
    sql,
    moves,
    (moves, ofAccounts) => sql<Moved[]>`
    update recipients
    set state = ${RECIPIENT_STATES.sent},
        sent_at = now(),
        carrier = given.carrier,
        carrier_message_ids = string_to_array(given.carrier_message_ids, E'\n')
    from ${unnestRecipientKeys(sql, moves, {
      arrays: sql`${moves.map(({ carrier }) => carrier)}::text[],
      ${moves.map(({ carrierMessageIds }) => carrierMessageIds.join('\n'))}::text[]`,
      names: sql`carrier, carrier_message_ids`
    })}
    where ${isGiven(sql, ofAccounts, moves)}
      and recipients.state in (${RECIPIENT_STATES.waiting}, ${RECIPIENT_STATES.submitting})
      ${ofChannel(sql, first)}
    returning recipients.account_id, recipients.message_id, recipients.position,
      ${RECIPIENT_STATES.waiting}::smallint as "from", recipients.state as "to"
  `
  )
}

function ofChannel(sql: Sql, { channel }: MoveOf<'sent'>) {
  return channel === 'rcs' ? sql`and ${hasNotFallenBack(sql)}` : sql``
}

/** A recipient that a receipt has moved. A late rejection by the carrier is refunded. */
export interface ReportedMove extends Moved {
  refund: number
  /** Of a refund. */
  country: string | null
  /** Whether the refund is that of a fallback SMS. */
  isFallback: boolean
}

export async function updateByReceipt(sql: Sql, moves: readonly MoveOf<'reported'>[]): Promise<ReportedMove[]> {
  return eachShard(sql, moves, (some) => updateSomeByReceipt(sql, some))
}

async function updateSomeByReceipt(sql: Sql, moves: readonly MoveOf<'reported'>[]): Promise<ReportedMove[]> {
  const { walks, others } = split(
    moves,
    ({ messageId, to, at, receipt, errorCode }) => `${messageId} ${to} ${at.getTime()} ${receipt} ${errorCode}`
  )
  const moved = await Promise.all([
    ...walks.map((alike) => updateAlikeByReceipt(sql, alike)),
    updateAllByReceipt(sql, others)
  ])
  return moved.flat()
}

/** Recipients of one message with identical reports. */
async function updateAlikeByReceipt(sql: Sql, moves: readonly MoveOf<'reported'>[]): Promise<ReportedMove[]> {
  const [first] = moves
  assert(first)
  const { accountId, messageId, to, at, receipt, errorCode } = first
  const isRefunded = to === RECIPIENT_STATES.rejected
  const rows = await sql<{ position: number; credits?: number; country?: string; isFallback?: boolean }[]>`
    update recipients
    set state = ${to},
        delivered_at = ${to === RECIPIENT_STATES.delivered ? sql`greatest(sent_at, ${arrivedBy(at)}::timestamptz)` : sql`null`},
        receipt = ${receipt},
        error_code = ${errorCode}
    where account_id = ${accountId}
      and message_id = ${messageId}
      and ${isAtPositions(sql, positionsOf(moves))}
      and state = ${RECIPIENT_STATES.sent}
    returning position ${isRefunded ? sql`, credits, country, ${hasFallenBack(sql)} as is_fallback` : sql``}
  `
  const from = RECIPIENT_STATES.sent
  return rows.map(({ position, credits: refund = 0, country = null, isFallback = false }) => {
    return { accountId, messageId, position, from, to, refund, country, isFallback }
  })
}

async function updateAllByReceipt(sql: Sql, moves: readonly MoveOf<'reported'>[]): Promise<ReportedMove[]> {
  const { delivered, sent, rejected } = RECIPIENT_STATES
  return byShard(
    sql,
    moves,
    (moves, ofAccounts) => sql<ReportedMove[]>`
    update recipients
    set state = given.state,
        delivered_at = case when given.state = ${delivered} then greatest(sent_at, given.at) end,
        receipt = given.receipt,
        error_code = given.error_code
    from ${unnestRecipientKeys(sql, moves, {
      arrays: sql`${moves.map(({ to }) => to)}::smallint[],
      ${moves.map(({ at }) => arrivedBy(at))}::timestamptz[],
      ${moves.map(({ receipt }) => receipt)}::text[],
      ${moves.map(({ errorCode }) => errorCode)}::text[]`,
      names: sql`state, at, receipt, error_code`
    })}
    where ${isGiven(sql, ofAccounts, moves)}
      and recipients.state = ${sent}
    returning recipients.account_id, recipients.message_id, recipients.position, ${sent}::smallint as "from",
      recipients.state as "to", case when recipients.state = ${rejected} then credits else 0 end as refund,
      case when recipients.state = ${rejected} then country end as country, ${hasFallenBack(sql)} as is_fallback
  `
  )
}

/**
 * Carriers report minutes, in an unnamed time zone. The message arrived before now; the statements see to it that it arrived
 * after it left.
 */
function arrivedBy(at: Date): Date {
  return new Date(Math.min(databaseNowMs(), at.getTime()))
}
