import type { Sql } from '../database/database.ts'

/** A batch that a worker holds. */
export interface ClaimedBatch {
  accountId: number
  messageId: number
  id: number
  positions: number[]
}

export interface Claim {
  workerId: string
  lane: number
  limit: number
  leaseSeconds: number
  /** Accounts take turns: those after this one come first. */
  afterAccountId: number
}

/**
 * Leases due batches of a lane to one worker: at most one of each account, in the order of the accounts, so that an account
 * with a million recipients takes its turn like one with a single code. A worker that dies loses its lease and another
 * takes it. Of any account: for workers.
 */
export async function claimBatches(
  sql: Sql,
  { workerId, lane, limit, leaseSeconds, afterAccountId }: Claim
): Promise<ClaimedBatch[]> {
  // The accounts that have something waiting are found by jumping from one to the next in the index.
  return sql<ClaimedBatch[]>`
    with recursive waiting as (
      (
        select account_id
        from batches
        where lane = ${lane}
          and account_id > ${afterAccountId}
        order by account_id
        limit 1
      )
      union all
      select (
        select batches.account_id
        from batches
        where lane = ${lane}
          and batches.account_id > waiting.account_id
        order by batches.account_id
        limit 1
      )
      from waiting
      where waiting.account_id is not null
    ),
    due as (
      select first_due.account_id, first_due.message_id, first_due.id
      from waiting
      cross join lateral (
        select account_id, message_id, id
        from batches
        where lane = ${lane}
          and batches.account_id = waiting.account_id
          and due_at <= now()
          and (leased_until is null or leased_until < now())
        order by due_at, id
        limit 1
        for update skip locked
      ) as first_due
      limit ${limit}
    )
    update batches
    set leased_by = ${workerId}, leased_until = now() + make_interval(secs => ${leaseSeconds})
    from due
    where batches.account_id = due.account_id
      and batches.message_id = due.message_id
      and batches.id = due.id
    returning batches.account_id, batches.message_id, batches.id, batches.positions
  `
}

interface Held {
  workerId: string
  batch: ClaimedBatch
}

/** False if it is no longer this worker's: somebody else may have it by now. */
export async function extendLease(
  sql: Sql,
  { workerId, batch, leaseSeconds }: Held & { leaseSeconds: number }
): Promise<boolean> {
  const { count } = await sql`
    update batches
    set leased_until = now() + make_interval(secs => ${leaseSeconds})
    where ${isHeld(sql, { workerId, batch })}
  `
  return count === 1
}

/** Nothing of it is left to do. */
export async function deleteClaimed(sql: Sql, held: Held): Promise<boolean> {
  const { count } = await sql`
    delete from batches
    where ${isHeld(sql, held)}
  `
  return count === 1
}

/** Gives back what is left of a batch, for now or for later. */
export async function giveBack(
  sql: Sql,
  { workerId, batch, positions, delaySeconds }: Held & { positions: readonly number[]; delaySeconds: number }
): Promise<boolean> {
  const { count } = await sql`
    update batches
    set leased_by = null,
        leased_until = null,
        positions = ${positions as number[]}::integer[],
        due_at = now() + make_interval(secs => ${delaySeconds})
    where ${isHeld(sql, { workerId, batch })}
  `
  return count === 1
}

/** Settling is conditional on the lease, so that a worker that wakes late changes nothing. */
function isHeld(sql: Sql, { workerId, batch }: Held) {
  return sql`
    account_id = ${batch.accountId}
    and message_id = ${batch.messageId}
    and id = ${batch.id}
    and leased_by = ${workerId}
    and leased_until >= now()
  `
}
