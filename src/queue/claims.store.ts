import type { Sql } from '../database/database.ts'
import { SMALL_SECONDS } from './batch.ts'
import { isBatchOf } from './conditions.store.ts'
import type { BatchKey } from './leases.store.ts'

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
    where ${isBatchOf(sql, sql`due`)}
    returning batches.account_id, batches.message_id, batches.id, batches.leased_by, lane, route, expires_at, positions, attempts, submitting, carrier,
      due_at, head_start_seconds, due.leased_until - make_interval(secs => ${UNDER_WAY_SECONDS}) as submitted_at
  `
}

/** Whether a claim took the share of every account that it looked at: it was not cut off by its limit. */
export function isWholeClaim(batches: readonly ClaimedBatch[]): boolean {
  return batches.length < BATCHES_MAX
}
