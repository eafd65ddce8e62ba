import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Category } from '../messages/message.ts'
import { SMALL_SECONDS } from './batch.ts'

/** A batch that a worker holds. */
export interface ClaimedBatch extends BatchKey {
  lane: number
  route: string
  expiresAt: Date
  positions: number[]
  /** How often the remaining positions were tried. */
  attempts: number
  /**
   * Positions that the previous lease holder had handed to `carrier` and not settled; `submittedAt` is the earliest
   * time of that.
   */
  submitting: number[]
  carrier: string | null
  submittedAt: Date | null
  /** The order of claims: earlier than the real due time by the head start. */
  dueAt: Date
  /** How much earlier it counts as due among the batches of its account; null: not at all. */
  headStartSeconds: number | null
}

export interface Claim {
  /** New for every claim. It reveals a lease that was lost, also within one process. */
  token: string
  route: string
  lane: number
  leaseSeconds: number
  /** Accounts take turns: accounts with a higher id than this come first. */
  afterAccountId: number
  /** Accounts that have had their turn, or are suspended. */
  exceptAccountIds: readonly number[]
  /** Accounts of which the worker has enough, except small messages: those do not wait for the others. */
  suppliedAccountIds?: readonly number[]
}

/** Limits of one claim: batches in all, batches of one account, and about how many recipients of one account. */
const BATCHES_MAX = 200
const BATCHES_PER_ACCOUNT_MAX = 100
const POSITIONS_PER_ACCOUNT = 500
/**
 * A submit waits, for its turn and for its answer, no longer than this. So a position on its way left no earlier than
 * this before the end of the lease.
 */
export const UNDER_WAY_SECONDS = 60

/**
 * Leases ready batches of a lane and route to one worker. Each account gives some, in the order of the accounts. So an
 * account with a million recipients takes its turn like an account with a single code. A worker that dies loses its
 * lease, and another worker takes the batch. Covers all accounts: for workers.
 */
export async function claimBatches(
  sql: Sql,
  { token, route, lane, leaseSeconds, afterAccountId, exceptAccountIds, suppliedAccountIds = [] }: Claim
): Promise<ClaimedBatch[]> {
  // Accounts with ready batches are found by jumping from one account to the next in the index. Future batches are not
  // in that index: a ready batch is due.
  return sql<ClaimedBatch[]>`
    with recursive waiting as (
      (
        select account_id
        from batches
        where is_ready
          and route = ${route}
          and lane = ${lane}
          and account_id > ${afterAccountId}
        order by account_id
        limit 1
      )
      union all
      select (
        select batches.account_id
        from batches
        where is_ready
          and route = ${route}
          and lane = ${lane}
          and batches.account_id > waiting.account_id
        order by batches.account_id
        limit 1
      )
      from waiting
      where waiting.account_id is not null
    ),
    due as (
      select first_due.account_id, first_due.message_id, first_due.id, first_due.leased_until
      from waiting
      cross join lateral (
        select account_id, message_id, id, leased_until,
          sum(positions_count) over (order by due_at, id) - positions_count as before_count
        from (
          select account_id, message_id, id, leased_until, due_at, cardinality(positions) as positions_count
          from batches
          where is_ready
            and route = ${route}
            and lane = ${lane}
            and batches.account_id = waiting.account_id
            and (leased_until is null or leased_until < now())
            and due_at < case
              when waiting.account_id = any(${suppliedAccountIds as number[]}::bigint[])
              then now() - make_interval(secs => ${SMALL_SECONDS / 2})
              else 'infinity'
            end
          order by due_at, id
          limit ${BATCHES_PER_ACCOUNT_MAX}
          for update skip locked
        ) as of_account
      ) as first_due
      where before_count < ${POSITIONS_PER_ACCOUNT}
        and waiting.account_id <> all(${exceptAccountIds as number[]}::bigint[])
      limit ${BATCHES_MAX}
    )
    update batches
    set leased_by = ${token}, leased_until = now() + make_interval(secs => ${leaseSeconds})
    from due
    where batches.account_id = due.account_id
      and batches.message_id = due.message_id
      and batches.id = due.id
    returning batches.account_id, batches.message_id, batches.id, batches.leased_by, lane, route, expires_at, positions, attempts, submitting, carrier,
      due_at, head_start_seconds, due.leased_until - make_interval(secs => ${UNDER_WAY_SECONDS}) as submitted_at
  `
}

/** Whether a claim took the share of every account that it looked at: it was not cut off by its limit. */
export function isWholeClaim(batches: readonly ClaimedBatch[]): boolean {
  return batches.length < BATCHES_MAX
}

export interface BatchKey {
  accountId: number
  messageId: number
  id: number
  /** The token of the claim that holds the batch. */
  leasedBy: string
}

/**
 * Extends leases, and returns the batches that their claim still holds. A batch that another transaction has locked,
 * such as a large cancel, is skipped: waiting for it would let all other leases expire. A skipped batch counts as held,
 * and the next call extends it. While it is locked, no worker can claim it.
 */
export async function extendLeases(
  sql: Sql,
  { batches, leaseSeconds }: { batches: readonly BatchKey[]; leaseSeconds: number }
): Promise<{ id: number }[]> {
  return sql`
    with held as (
      select batches.account_id, batches.message_id, batches.id, batches.leased_by
      from ${unnestBatches(sql, batches)}
      join batches on ${isHeld(sql)}
    ),
    free as (
      select batches.account_id, batches.message_id, batches.id
      from held as given
      join batches on ${isHeld(sql)}
      order by batches.id
      for no key update of batches skip locked
    ),
    extended as (
      update batches
      set leased_until = now() + make_interval(secs => ${leaseSeconds})
      from free
      where batches.account_id = free.account_id
        and batches.message_id = free.message_id
        and batches.id = free.id
    )
    select id
    from held
  `
}

/** The ids of the batches that their claim still holds. No other worker takes them until the transaction ends. */
export async function lockHeld(sql: Sql, batches: readonly BatchKey[]): Promise<Set<number>> {
  const rows = await sql<{ id: number }[]>`
    select batches.id
    from ${unnestBatches(sql, batches)}
    join batches on ${isHeld(sql)}
    order by batches.id
    for no key update of batches
  `
  return new Set(rows.map(({ id }) => id))
}

/**
 * Adds positions to the submitting list before anything goes to a socket. After a crash these positions are in doubt,
 * and not forgotten. Returns the batches that were still held.
 */
export async function markSubmitting(
  sql: Sql,
  { carrier, marks, leaseSeconds }: { carrier: string | null; marks: readonly Mark[]; leaseSeconds: number }
): Promise<{ id: number }[]> {
  return sql`
    update batches
    set submitting = batches.submitting || given.positions::integer[],
        carrier = ${carrier},
        leased_until = now() + make_interval(secs => ${leaseSeconds})
    from ${unnestMarks(sql, marks)}
    where ${isHeld(sql)}
    returning batches.id
  `
}

export interface Mark {
  batch: BatchKey
  positions: readonly number[]
}

/**
 * Removes positions from the submitting list: the carrier did not take them, or they are in doubt. Returns the batches
 * that were still held. For any other batch, its new lease holder has already decided on these positions.
 */
export async function unmarkSubmitting(sql: Sql, marks: readonly Mark[]): Promise<{ id: number }[]> {
  if (marks.length === 0) return []
  return sql`
    update batches
    set submitting = array(select unnest(batches.submitting) except select unnest(given.positions::integer[]))
    from ${unnestMarks(sql, marks)}
    where ${isHeld(sql)}
    returning batches.id
  `
}

/** Takes positions out of batches: they are queued elsewhere. */
export async function removePositions(sql: Sql, marks: readonly Mark[]): Promise<void> {
  await sql`
    update batches
    set positions = array(
      select position
      from unnest(batches.positions) with ordinality as own (position, number)
      where position <> all(given.positions::integer[])
      order by number
    )
    from ${unnestMarks(sql, marks)}
    where ${isHeld(sql)}
  `
}

/**
 * Deletes batches that have no work left. Its conditions leave no choice but to look the batches up by their keys. The table
 * is often empty when it is analysed, and a join would then be planned over all of it, with its dead rows.
 */
export async function deleteClaimed(sql: Sql, batches: readonly BatchKey[]): Promise<void> {
  if (batches.length === 0) return
  const accountIds = [...new Set(batches.map(({ accountId }) => accountId))]
  const isOfAccounts =
    accountIds.length === 1
      ? sql`account_id = ${accountIds[0] as number}`
      : sql`account_id = any(${numberArray(accountIds)}::bigint[])`
  await sql`
    delete from batches
    where ${isOfAccounts}
      and message_id = any(${numberArray(batches.map(({ messageId }) => messageId))}::bigint[])
      and id = any(${numberArray(batches.map(({ id }) => id))}::bigint[])
      and (id, leased_by) in (
        select id, leased_by
        from unnest(
          ${numberArray(batches.map(({ id }) => id))}::bigint[],
          ${batches.map(({ leasedBy }) => leasedBy)}::uuid[]
        ) as given (id, leased_by)
      )
  `
}

/**
 * Returns the remaining positions of a batch to the queue, due now or after a delay. With `mayBePaused`, the caller has a share
 * of the lock on the message: a resume comes before, or finds the batch paused.
 */
export async function giveBack(
  sql: Sql,
  {
    batch,
    positions,
    attempts,
    delaySeconds,
    mayBePaused = false
  }: {
    batch: BatchKey
    positions: readonly number[]
    attempts: number
    delaySeconds: number
    mayBePaused?: boolean
  }
): Promise<void> {
  const isPaused = mayBePaused ? isMessagePaused(sql) : sql`false`
  await sql`
    update batches
    set leased_by = null,
        leased_until = null,
        positions = ${positions as number[]}::integer[],
        submitting = '{}',
        attempts = least(${attempts}::integer, 32767),
        due_at = ${delaySeconds <= 0 ? atOnce(sql) : sql`now() + make_interval(secs => ${delaySeconds})`},
        is_ready = ${delaySeconds <= 0} and not ${isPaused},
        is_paused = ${isPaused}
    from ${unnestBatches(sql, [batch])}
    where ${isHeld(sql)}
  `
}

/**
 * Queues a batch that was stored as being submitted, and of which nothing was handed over. False when there is no such
 * batch.
 */
export async function queueUnsubmitted(
  sql: Sql,
  { accountId, messageId, leasedBy }: Omit<BatchKey, 'id'>
): Promise<boolean> {
  const { count } = await sql`
    update batches
    set leased_by = null, leased_until = null, submitting = '{}', carrier = null, due_at = ${atOnce(sql)},
        is_ready = true
    where account_id = ${accountId}
      and message_id = ${messageId}
      and leased_by = ${leasedBy}
  `
  return count > 0
}

/** Moves a batch to another route, ready for the worker of that route. */
export async function handOver(sql: Sql, { batch, route }: { batch: BatchKey; route: string }): Promise<void> {
  await sql`
    update batches
    set route = ${route}, leased_by = null, leased_until = null, due_at = ${atOnce(sql)}, is_ready = true,
        is_paused = false
    from ${unnestBatches(sql, [batch])}
    where ${isHeld(sql)}
  `
}

/** Makes due batches ready, oldest first; returns how many. */
export async function readyBatches(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    with due as (
      select account_id, message_id, id
      from batches
      where not is_ready
        and not is_paused
        and due_at <= now()
      order by due_at
      limit ${limit}
      for update skip locked
    )
    update batches
    set is_ready = true, due_at = batches.due_at - ${headStart(sql)}
    from due
    where batches.account_id = due.account_id
      and batches.message_id = due.message_id
      and batches.id = due.id
  `
  return count
}

/**
 * Moves ready batches from a route that no longer exists to its replacement: all of them, or those of some messages. Future
 * batches follow when they are ready.
 */
export async function rerouteBatches(
  sql: Sql,
  { from, to, messages }: { from: string; to: string; messages?: readonly { accountId: number; messageId: number }[] }
): Promise<void> {
  if (!messages) {
    await sql`
      update batches
      set route = ${to}
      where is_ready
        and route = ${from}
    `
    return
  }
  await sql`
    update batches
    set route = ${to}
    from unnest(
      ${numberArray(messages.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(messages.map(({ messageId }) => messageId))}::bigint[]
    ) as given (account_id, message_id)
    where is_ready
      and route = ${from}
      and batches.account_id = given.account_id
      and batches.message_id = given.message_id
  `
}

/** A message with ready batches, as far as routes ask. */
export interface QueuedMessage {
  accountId: number
  messageId: number
  parentId: number | null
  category: Category
  sender: string | undefined
}

/** The messages with ready batches of a route, after one of them. */
export async function listQueuedMessages(
  sql: Sql,
  { route, after, limit }: { route: string; after: Pick<QueuedMessage, 'accountId' | 'messageId'>; limit: number }
): Promise<QueuedMessage[]> {
  const rows = await sql<(Omit<QueuedMessage, 'sender'> & { sender: string | null })[]>`
    select queued.account_id, queued.message_id, accounts.parent_id, messages.category,
      case when messages.channel = 'rcs' then rcs_messages.fallback_sender else messages.sender end as sender
    from (
      select distinct account_id, message_id
      from batches
      where is_ready
        and route = ${route}
        and (account_id, message_id) > (${after.accountId}, ${after.messageId})
      order by account_id, message_id
      limit ${limit}
    ) as queued
    join messages on messages.account_id = queued.account_id and messages.id = queued.message_id
    join accounts on accounts.id = queued.account_id
    left join rcs_messages
      on rcs_messages.account_id = queued.account_id
      and rcs_messages.message_id = queued.message_id
    order by queued.account_id, queued.message_id
  `
  return rows.map(({ sender, ...row }) => ({ ...row, sender: sender ?? undefined }))
}

/** The same for batches that have been due for some time and that no worker holds. */
export async function rerouteOverdue(
  sql: Sql,
  { from, to, seconds }: { from: string; to: string; seconds: number }
): Promise<void> {
  await sql`
    update batches
    set route = ${to}
    where is_ready
      and route = ${from}
      and ${dueSince(sql)} < now() - make_interval(secs => ${seconds})
      and (leased_until is null or leased_until < now())
  `
}

/** The routes with ready batches, found by jumping from one route to the next in the index. */
export async function listQueuedRoutes(sql: Sql): Promise<string[]> {
  const rows = await sql<{ route: string }[]>`
    with recursive found as (
      (select route from batches where is_ready order by route limit 1)
      union all
      select (
        select batches.route
        from batches
        where is_ready
          and batches.route > found.route
        order by batches.route
        limit 1
      )
      from found
      where found.route is not null
    )
    select route
    from found
    where route is not null
  `
  return rows.map(({ route }) => route)
}

/** The ready batches of a lane. */
export interface QueueAge {
  lane: number
  batches: number
  recipients: number
  /** How long the oldest has been due. */
  seconds: number
}

/** Suspended accounts are left out. */
export async function listQueueAges(
  sql: Sql,
  { exceptAccountIds }: { exceptAccountIds: readonly number[] }
): Promise<QueueAge[]> {
  return sql<QueueAge[]>`
    select lane, count(*) as batches, sum(cardinality(positions)) as recipients,
      extract(epoch from now() - min(${dueSince(sql)}))::double precision as seconds
    from batches
    where is_ready
      and account_id <> all(${exceptAccountIds as number[]}::bigint[])
    group by lane
  `
}

export interface QueueByAge extends QueueAge {
  route: string
  /** Recipients that have been due for so long. */
  upToMinute: number
  upToFiveMinutes: number
  upToHour: number
  older: number
}

/** The ready batches of each route and lane, by age, the oldest first. Of all accounts. */
export async function listQueueByAge(sql: Sql): Promise<QueueByAge[]> {
  return sql<QueueByAge[]>`
    select route, lane, count(*) as batches, sum(recipients)::bigint as recipients, max(seconds) as seconds,
      coalesce(sum(recipients) filter (where seconds <= 60), 0)::bigint as up_to_minute,
      coalesce(sum(recipients) filter (where seconds > 60 and seconds <= 300), 0)::bigint as up_to_five_minutes,
      coalesce(sum(recipients) filter (where seconds > 300 and seconds <= 3600), 0)::bigint as up_to_hour,
      coalesce(sum(recipients) filter (where seconds > 3600), 0)::bigint as older
    from (
      select route, lane, cardinality(positions) as recipients,
        greatest(0, extract(epoch from now() - ${dueSince(sql)}))::double precision as seconds
      from batches
      where is_ready
    ) as ready
    group by route, lane
    order by seconds desc, route, lane
  `
}

/** Whether a batch of these routes has been due for so long without a lease holder. */
export async function isAnyOverdue(
  sql: Sql,
  {
    routes,
    seconds,
    exceptAccountIds
  }: { routes: readonly string[]; seconds: number; exceptAccountIds: readonly number[] }
): Promise<boolean> {
  const [row] = await sql<[{ isOverdue: boolean }]>`
    select exists (
      select
      from batches
      where is_ready
        and route = any(${routes as string[]}::text[])
        and ${dueSince(sql)} < now() - make_interval(secs => ${seconds})
        and (leased_until is null or leased_until < now() - make_interval(secs => ${seconds}))
        and account_id <> all(${exceptAccountIds as number[]}::bigint[])
    ) as is_overdue
  `
  return row.isOverdue
}

/**
 * The order of claims is that of `due_at`. A ready batch with a head start has an earlier one, so that no index and no claim
 * has to know of priorities.
 */
function headStart(sql: Sql) {
  return sql`make_interval(secs => coalesce(head_start_seconds, 0))`
}

/** The `due_at` of a batch that is ready now. */
function atOnce(sql: Sql) {
  return sql`now() - ${headStart(sql)}`
}

/** When a ready batch was due. */
function dueSince(sql: Sql) {
  return sql`(due_at + ${headStart(sql)})`
}

/** Whether the message of a given batch is paused. */
function isMessagePaused(sql: Sql) {
  return sql`
    exists (
      select
      from messages
      where messages.account_id = given.account_id
        and messages.id = given.message_id
        and paused_at is not null
    )
  `
}

/** Sorted: transactions that change several batches use one order, so they seldom deadlock. */
function unnestBatches(sql: Sql, given: readonly BatchKey[]) {
  const batches = given.toSorted((a, b) => a.id - b.id)
  return sql`
    unnest(
      ${batches.map(({ accountId }) => accountId)}::bigint[],
      ${batches.map(({ messageId }) => messageId)}::bigint[],
      ${batches.map(({ id }) => id)}::bigint[],
      ${batches.map(({ leasedBy }) => leasedBy)}::uuid[]
    ) as given (account_id, message_id, id, leased_by)
  `
}

/** The same, with the positions of each batch. */
function unnestMarks(sql: Sql, given: readonly Mark[]) {
  const marks = given.toSorted((a, b) => a.batch.id - b.batch.id)
  return sql`
    unnest(
      ${marks.map(({ batch }) => batch.accountId)}::bigint[],
      ${marks.map(({ batch }) => batch.messageId)}::bigint[],
      ${marks.map(({ batch }) => batch.id)}::bigint[],
      ${marks.map(({ batch }) => batch.leasedBy)}::uuid[],
      ${marks.map(({ positions }) => numberArray(positions))}::text[]
    ) as given (account_id, message_id, id, leased_by, positions)
  `
}

/**
 * Settling depends on the claim, so a worker that wakes late changes nothing. The token alone decides, since every
 * claim changes it. A lease that expired and that no worker took still belongs to its holder.
 */
function isHeld(sql: Sql) {
  return sql`
    batches.account_id = given.account_id
    and batches.message_id = given.message_id
    and batches.id = given.id
    and batches.leased_by = given.leased_by
  `
}
