import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import { isBatchOf } from './conditions.store.ts'
import { atOnce } from './ready-batches.store.ts'

/*
 * What a worker does with the batches that it holds: keeps them, returns them to the queue, hands them over, deletes them.
 * A claim (claims.store.ts) begins a lease.
 */

/** A batch, and the claim that holds it. */
export interface BatchKey {
  accountId: number
  messageId: number
  id: number
  /** The token of the claim. */
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
      where ${isBatchOf(sql, sql`free`)}
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

/** Deletes batches that have no work left. */
export async function deleteClaimed(sql: Sql, batches: readonly BatchKey[]): Promise<void> {
  if (batches.length === 0) return
  await sql`
    delete from batches
    using ${unnestBatches(sql, batches)}
    where ${isHeld(sql)}
  `
}

/** Whether the message of a given batch is paused. One that is over cannot be resumed: a claim deletes the batch. */
function isMessagePaused(sql: Sql) {
  return sql`
    exists (
      select
      from messages
      where messages.account_id = any(array[given.account_id])
        and messages.id = given.message_id
        and paused_at is not null
        and state in ('scheduled', 'sending')
    )
  `
}

/** Sorted: transactions that change several batches use one order, so they seldom deadlock. */
function unnestBatches(sql: Sql, given: readonly BatchKey[]) {
  const batches = given.toSorted((a, b) => a.id - b.id)
  return sql`
    unnest(
      ${numberArray(batches.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(batches.map(({ messageId }) => messageId))}::bigint[],
      ${numberArray(batches.map(({ id }) => id))}::bigint[],
      ${batches.map(({ leasedBy }) => leasedBy)}::uuid[]
    ) as given (account_id, message_id, id, leased_by)
  `
}

/**
 * Settling depends on the claim, so a worker that wakes late changes nothing. The token alone decides, since every
 * claim changes it. A lease that expired and that no worker took still belongs to its holder.
 */
export function isHeld(sql: Sql) {
  return sql`${isBatchOf(sql, sql`given`)} and batches.leased_by = given.leased_by`
}
