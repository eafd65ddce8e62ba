import type { Sql } from '../database/database.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { type ClaimedBatch, UNDER_WAY_SECONDS } from './claims.store.ts'
import { isBatchOf, isOfMessageOf } from './conditions.store.ts'

/*
 * The messages with a validity of their own, and its end. A message that leaves in time is forgotten here when its validity
 * ends.
 */

export interface NewExpiry {
  accountId: number
  messageId: number
  dueAt: Date
}

export async function insertExpiries(sql: Sql, expiries: readonly NewExpiry[]): Promise<void> {
  if (expiries.length === 0) return
  await sql`
    insert into expiries (account_id, message_id, due_at)
    select account_id, message_id, due_at::timestamptz
    from unnest(
      ${expiries.map(({ accountId }) => accountId)}::bigint[],
      ${expiries.map(({ messageId }) => messageId)}::bigint[],
      ${expiries.map(({ dueAt }) => dueAt.toISOString())}::text[]
    ) as given (account_id, message_id, due_at)
    on conflict do nothing
  `
}

/** Ends what expires while a message is paused, when no dispatcher looks at it. */
export async function watchExpiries(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    insert into expiries (account_id, message_id, due_at)
    select account_id, message_id, min(expires_at)
    from batches
    where account_id = ${accountId}
      and message_id = ${id}
    group by account_id, message_id
    on conflict (account_id, message_id) do update
    set due_at = least(expiries.due_at, excluded.due_at)
  `
}

/** A dispatcher drops the expired recipients that it holds within this time. */
const AGAIN_SECONDS = 2

interface ClaimOptions {
  token: string
  leaseSeconds: number
  limit: number
}

/**
 * Forgets messages whose validity is over and that have left the queue. Leases the batches of the others that nobody holds,
 * and looks at these messages again soon, since a dispatcher may hold some of their batches, or when more of them expires.
 * Covers all accounts: for workers.
 */
export async function claimExpired(
  sql: Sql,
  { token, leaseSeconds, limit }: ClaimOptions
): Promise<{ dueCount: number; batches: ClaimedBatch[] }> {
  const due = await sql<{ accountId: number; messageId: number; isQueued: boolean }[]>`
    with taken as materialized (
      select account_id, message_id
      from expiries
      where due_at <= now()
      order by due_at
      limit ${limit}
      for update skip locked
    ),
    over as (
      delete from expiries
      using taken
      where expiries.account_id = any(array[taken.account_id])
        and expiries.message_id = taken.message_id
        and not exists (
          select
          from batches
          where batches.account_id = any(array[taken.account_id])
            and batches.message_id = taken.message_id
        )
      returning expiries.account_id, expiries.message_id
    ),
    open as (
      select account_id, message_id from taken
      except
      select account_id, message_id from over
    ),
    postponed as (
      update expiries
      set due_at = greatest(
        now() + make_interval(secs => ${AGAIN_SECONDS}),
        (
          select min(expires_at)
          from batches
          where batches.account_id = any(array[open.account_id])
            and batches.message_id = open.message_id
        )
      )
      from open
      where expiries.account_id = any(array[open.account_id])
        and expiries.message_id = open.message_id
    )
    select taken.account_id, taken.message_id, open.message_id is not null as is_queued
    from taken
    left join open using (account_id, message_id)
  `
  const queued = due.filter(({ isQueued }) => isQueued)
  const batches = queued.length === 0 ? [] : await claimBatchesOf(sql, queued, { token, leaseSeconds })
  return { dueCount: due.length, batches }
}

async function claimBatchesOf(
  sql: Sql,
  messages: readonly { accountId: number; messageId: number }[],
  { token, leaseSeconds }: Omit<ClaimOptions, 'limit'>
): Promise<ClaimedBatch[]> {
  return sql<ClaimedBatch[]>`
    with free as (
      select batches.account_id, batches.message_id, batches.id, batches.leased_until
      from unnest(
        ${messages.map(({ accountId }) => accountId)}::bigint[],
        ${messages.map(({ messageId }) => messageId)}::bigint[]
      ) as given (account_id, message_id)
      join batches on ${isOfMessageOf(sql, sql`given`)}
      where expires_at <= now()
        and (leased_until is null or leased_until < now())
      order by batches.id
      for no key update of batches skip locked
    )
    update batches
    set leased_by = ${token}, leased_until = now() + make_interval(secs => ${leaseSeconds})
    from free
    where ${isBatchOf(sql, sql`free`)}
    returning batches.account_id, batches.message_id, batches.id, batches.leased_by, lane, route, expires_at, positions, attempts,
      submitting, carrier, due_at, head_start_seconds, free.leased_until - make_interval(secs => ${UNDER_WAY_SECONDS}) as submitted_at
  `
}
