import { strict as assert } from 'node:assert'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { areClose, isAmong } from '../database/id-span.ts'
import { numberArray } from '../database/number-array.ts'
import type { TraceContext } from '../traces/trace-context.ts'
import type { Category, Channel, MessageState } from './message.ts'
import { type MessageRef, unnestMessageKeys } from './messages.store.ts'

/* The totals of messages. Every transaction locks several messages in one order: by account, then by id. */

/** Changes to the totals of one message. */
export interface TotalsChange extends MessageRef {
  waiting: number
  sent: number
  delivered: number
  read: number
  failed: number
  stopped: number
  cancelled: number
  taken: number
  refunded: number
  /** Credits and segments of the SMS that took the place of RCS. */
  charged: number
  segments: number
}

/** Of a message that nothing changes. */
export const NO_TOTALS = {
  waiting: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  stopped: 0,
  cancelled: 0,
  taken: 0,
  refunded: 0,
  charged: 0,
  segments: 0
} as const satisfies Omit<TotalsChange, keyof MessageRef>

export interface Changed extends MessageRef {
  channel: Channel
  category: Category
  state: MessageState
  isPaused: boolean
  waitingCount: number
  recipientsCount: number
  name: string | null
  /** Since its acceptance, or since the time that it was scheduled for. */
  ageSeconds: number
  /** The context of its acceptance; null without traces. */
  trace: TraceContext | null
}

/** Up to so many different changes, each gets a statement of its own. */
const STATEMENTS_MAX = 4

/**
 * Changes the totals of messages. At waiting_count 0 a message becomes sent or failed; the caller closes its reservation. A
 * message is sending again when one of its RCS falls back to SMS.
 *
 * Small messages mostly change alike, such as by one recipient that is sent. Alike changes are one statement; those of one
 * account are one walk along the index.
 */
export async function updateMessageTotals(sql: Sql, given: readonly TotalsChange[]): Promise<Changed[]> {
  const changes = given.toSorted((a, b) => a.accountId - b.accountId || a.messageId - b.messageId)
  const alike = groupAlike(changes)
  // A separate statement: locking and updating in one, while other transactions wait for the same row, is a deadlock. One
  // statement for all changes locks in the one order by itself: it looks the messages up in the order given.
  const locked = alike && alike.length <= 1 ? undefined : lockUncancelled(sql, changes)
  const changed = alike
    ? Promise.all(alike.map((group) => updateAlike(sql, group)))
    : updateEach(sql, changes).then((rows) => [rows])
  return (await Promise.all([locked, changed]))[1].flat()
}

/** Undefined when there are too many kinds of changes. */
function groupAlike(changes: readonly TotalsChange[]): TotalsChange[][] | undefined {
  const groups: [TotalsChange, ...TotalsChange[]][] = []
  for (const change of changes) {
    const group = groups.find(([first]) => isAlike(first, change))
    if (group) group.push(change)
    else if (groups.length === STATEMENTS_MAX) return undefined
    else groups.push([change])
  }
  return groups
}

function isAlike(a: TotalsChange, b: TotalsChange): boolean {
  return (
    a.waiting === b.waiting &&
    a.sent === b.sent &&
    a.delivered === b.delivered &&
    a.read === b.read &&
    a.failed === b.failed &&
    a.stopped === b.stopped &&
    a.cancelled === b.cancelled &&
    a.taken === b.taken &&
    a.refunded === b.refunded &&
    a.charged === b.charged &&
    a.segments === b.segments
  )
}

function isOfOneAccount([first, ...others]: readonly TotalsChange[]): boolean {
  return others.every(({ accountId }) => accountId === first?.accountId)
}

/** The same change of several messages. */
async function updateAlike(sql: Sql, changes: readonly TotalsChange[]): Promise<Changed[]> {
  const [change] = changes
  assert(change)
  const ids = changes.map(({ messageId }) => messageId)
  const isGiven =
    isOfOneAccount(changes) && areClose(ids)
      ? sql`where account_id = ${change.accountId} and ${isAmong(sql, sql`id`, ids)}`
      : sql`
        from unnest(
          ${numberArray(changes.map(({ accountId }) => accountId))}::bigint[], ${numberArray(ids)}::bigint[]
        ) as given (account_id, message_id)
        where messages.account_id = any(array[given.account_id]) and messages.id = given.message_id
      `
  return sql<Changed[]>`
    update messages
    set waiting_count = waiting_count + ${change.waiting}::integer,
        sent_count = sent_count + ${change.sent}::integer,
        delivered_count = delivered_count + ${change.delivered}::integer,
        read_count = read_count + ${change.read}::integer,
        failed_count = failed_count + ${change.failed}::integer,
        stopped_count = stopped_count + ${change.stopped}::integer,
        cancelled_count = cancelled_count + ${change.cancelled}::integer,
        taken_count = taken_count + ${change.taken}::integer,
        credits_refunded = credits_refunded + ${change.refunded}::bigint,
        credits_required = credits_required + ${change.charged}::bigint,
        segments_count = segments_count + ${change.segments}::integer,
        state = ${stateAfter(sql, {
          waiting: sql`${change.waiting}::integer`,
          taken: sql`${change.taken}::integer`,
          failed: sql`${change.failed}::integer`
        })}
    ${isGiven}
    returning messages.account_id, id as message_id, ${changedColumns(sql)}
  `
}

async function updateEach(sql: Sql, changes: readonly TotalsChange[]): Promise<Changed[]> {
  const column = (name: keyof TotalsChange) => numberArray(changes.map((change) => change[name]))
  return sql<Changed[]>`
    update messages
    set waiting_count = waiting_count + given.waiting,
        sent_count = sent_count + given.sent,
        delivered_count = delivered_count + given.delivered,
        read_count = read_count + given.read,
        failed_count = failed_count + given.failed,
        stopped_count = stopped_count + given.stopped,
        cancelled_count = cancelled_count + given.cancelled,
        taken_count = taken_count + given.taken,
        credits_refunded = credits_refunded + given.refunded,
        credits_required = credits_required + given.charged,
        segments_count = segments_count + given.segments,
        state = ${stateAfter(sql, {
          waiting: sql`given.waiting`,
          taken: sql`given.taken`,
          failed: sql`given.failed`
        })}
    from unnest(
      ${column('accountId')}::bigint[], ${column('messageId')}::bigint[], ${column('waiting')}::integer[],
      ${column('sent')}::integer[], ${column('delivered')}::integer[], ${column('read')}::integer[],
      ${column('failed')}::integer[], ${column('stopped')}::integer[], ${column('cancelled')}::integer[],
      ${column('taken')}::integer[], ${column('refunded')}::bigint[], ${column('charged')}::bigint[],
      ${column('segments')}::integer[]
    ) as given (
      account_id, message_id, waiting, sent, delivered, read, failed, stopped, cancelled, taken, refunded, charged, segments
    )
    where messages.account_id = any(array[given.account_id])
      and messages.id = given.message_id
    returning messages.account_id, messages.id as message_id, ${changedColumns(sql)}
  `
}

/** The time is a parameter: of a table that Citus knows, what is returned can't call `now()`. */
function changedColumns(sql: Sql) {
  return sql`
    channel, category, state, paused_at is not null as is_paused, waiting_count, recipients_count, name, trace,
    extract(epoch from ${databaseNow()}::timestamptz - scheduled_at)::double precision as age_seconds
  `
}

/** The state of a message after a change of its totals. */
function stateAfter(sql: Sql, { waiting, taken, failed }: Record<'waiting' | 'taken' | 'failed', ReturnType<Sql>>) {
  return sql`
    case
      when state = 'cancelled' then state
      when state in ('sent', 'failed') then case when ${waiting} > 0 then 'sending' else state end
      when waiting_count + ${waiting} > 0 then case when ${taken} + ${failed} > 0 then 'sending' else state end
      when taken_count + ${taken} > 0 or failed_count + ${failed} = 0 then 'sent'
      else 'failed'
    end
  `
}

/**
 * Locks messages and returns the ids of uncancelled messages. Until the transaction ends, no other transaction changes
 * or cancels these messages.
 */
export async function lockUncancelled(sql: Sql, keys: readonly MessageRef[]): Promise<Set<number>> {
  const rows = await sql<{ id: number; isCancelled: boolean }[]>`
    select id, state = 'cancelled' or cancelled_at is not null as is_cancelled
    from messages
    join (
      select distinct account_id, message_id
      from ${unnestMessageKeys(sql, keys)}
    ) as given on given.account_id = messages.account_id and given.message_id = messages.id
    order by messages.account_id, messages.id
    for no key update of messages
  `
  return new Set(rows.filter(({ isCancelled }) => !isCancelled).map(({ id }) => id))
}

/** Locks messages and returns how many of their recipients have not clicked yet. */
export async function lockUnclickedCounts(
  sql: Sql,
  keys: readonly MessageRef[]
): Promise<(MessageRef & { unclickedCount: number })[]> {
  return sql`
    select messages.account_id, id as message_id, recipients_count - clicked_count as unclicked_count
    from messages
    join (
      select distinct account_id, message_id
      from unnest(
        ${numberArray(keys.map(({ accountId }) => accountId))}::bigint[],
        ${numberArray(keys.map(({ messageId }) => messageId))}::bigint[]
      ) as given (account_id, message_id)
    ) as given on given.account_id = messages.account_id and given.message_id = messages.id
    order by messages.account_id, messages.id
    for no key update of messages
  `
}

/** The caller has locked the messages. */
export async function updateClickedCounts(
  sql: Sql,
  counts: readonly (MessageRef & { clicked: number })[]
): Promise<void> {
  await sql`
    update messages
    set clicked_count = clicked_count + given.clicked
    from unnest(
      ${numberArray(counts.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(counts.map(({ messageId }) => messageId))}::bigint[],
      ${numberArray(counts.map(({ clicked }) => clicked))}::integer[]
    ) as given (account_id, message_id, clicked)
    where messages.account_id = any(array[given.account_id])
      and messages.id = given.message_id
  `
}

/** Until the transaction ends, no other transaction counts replies to this message. */
export async function lockRepliedCount(sql: Sql, { accountId, messageId }: MessageRef): Promise<void> {
  await sql`
    select
    from messages
    where account_id = ${accountId}
      and id = ${messageId}
    for no key update
  `
}

/** Counts the first reply of a recipient. */
export async function addToReplied(sql: Sql, { accountId, messageId }: MessageRef): Promise<void> {
  await sql`
    update messages
    set replied_count = replied_count + 1
    where account_id = ${accountId}
      and id = ${messageId}
  `
}

/** Counts people who opted out in answer to messages. The caller has locked the messages. */
export async function addToOptedOut(sql: Sql, messages: readonly MessageRef[]): Promise<void> {
  if (messages.length === 0) return
  await sql`
    update messages
    set opted_out_count = opted_out_count + 1
    from ${unnestMessageKeys(sql, messages)}
    where messages.account_id = any(array[given.account_id])
      and messages.id = given.message_id
  `
}

/**
 * The part of a statement that marks locked messages as folded into the figures. It returns the messages that were not
 * marked before.
 */
export function markFolded(sql: Sql, keys: readonly MessageRef[], returning: ReturnType<Sql>) {
  return sql`
    update messages
    set is_folded = true
    from ${unnestMessageKeys(sql, keys)}
    where messages.account_id = any(array[given.account_id])
      and messages.id = given.message_id
      and not is_folded
    returning ${returning}
  `
}
