import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'

/** A batch that a worker holds. */
export interface ClaimedBatch extends BatchKey {
  lane: number
  route: string
  expiresAt: Date
  positions: number[]
  /** How often what is left of it was tried. */
  attempts: number
  /** Those that whoever held it before had handed to `carrier` and not settled, and when that was at the earliest. */
  submitting: number[]
  carrier: string | null
  submittedAt: Date | null
}

export interface Claim {
  /** New for every claim: who holds a batch no longer is told apart by it, also within one process. */
  token: string
  route: string
  lane: number
  leaseSeconds: number
  /** Accounts take turns: those after this one come first. */
  afterAccountId: number
  /** They have had theirs. */
  exceptAccountIds: readonly number[]
}

/** At most so many batches in all, and of one account; of that, as many as make about so many recipients. */
const BATCHES_MAX = 200
const BATCHES_PER_ACCOUNT_MAX = 100
const POSITIONS_PER_ACCOUNT = 500
/** Before the end of its lease, nothing that a batch has on its way left earlier: it waits, and for its answer, not longer. */
const UNDER_WAY_SECONDS = 60

/**
 * Leases ready batches of a lane and route to one worker: of each account some, in the order of the accounts, so that one with
 * a million recipients takes its turn like one with a single code. A worker that dies loses its lease and another takes it.
 * Of any account: for workers.
 */
export async function claimBatches(
  sql: Sql,
  { token, route, lane, leaseSeconds, afterAccountId, exceptAccountIds }: Claim
): Promise<ClaimedBatch[]> {
  // The accounts that have something ready are found by jumping from one to the next in the index. Future batches are not in
  // it: what is ready is due.
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
      due.leased_until - make_interval(secs => ${UNDER_WAY_SECONDS}) as submitted_at
  `
}

export interface BatchKey {
  accountId: number
  messageId: number
  id: number
  /** The token of the claim that holds it. */
  leasedBy: string
}

/**
 * Extends leases, and tells which of these batches their claim still holds. A batch that another transaction has locked, such as
 * a large cancel, is passed over: to wait for it would let all other leases run out. It counts as held, and is extended by
 * the next call; while it is locked nobody can claim it.
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

/** The ids of those that are still held by their claim; nobody takes them until the transaction ends. */
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
 * Adds, before anything goes to a socket, positions to those that are being submitted: whatever dies after this leaves them
 * in doubt and not forgotten. Tells which batches were still held.
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
 * Takes positions off the list of those being submitted: the carrier did not take them, or they are in doubt. Tells which
 * batches were still held: of the others, whoever holds them now has decided on these positions already.
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

/** Nothing of them is left to do. */
export async function deleteClaimed(sql: Sql, batches: readonly BatchKey[]): Promise<void> {
  if (batches.length === 0) return
  await sql`
    delete from batches
    using ${unnestBatches(sql, batches)}
    where ${isHeld(sql)}
  `
}

/** Gives back what is left of a batch, for now or for later. */
export async function giveBack(
  sql: Sql,
  {
    batch,
    positions,
    attempts,
    delaySeconds
  }: { batch: BatchKey; positions: readonly number[]; attempts: number; delaySeconds: number }
): Promise<void> {
  await sql`
    update batches
    set leased_by = null,
        leased_until = null,
        positions = ${positions as number[]}::integer[],
        submitting = '{}',
        attempts = least(${attempts}::integer, 32767),
        due_at = now() + make_interval(secs => ${delaySeconds}),
        is_ready = ${delaySeconds <= 0}
    from ${unnestBatches(sql, [batch])}
    where ${isHeld(sql)}
  `
}

/** Makes batches ready whose time has come, the oldest first; tells how many. */
export async function readyBatches(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    with due as (
      select account_id, message_id, id
      from batches
      where not is_ready
        and due_at <= now()
      order by due_at
      limit ${limit}
      for update skip locked
    )
    update batches
    set is_ready = true
    from due
    where batches.account_id = due.account_id
      and batches.message_id = due.message_id
      and batches.id = due.id
  `
  return count
}

/** Puts what is ready on routes that are gone on those that took their place. Future batches follow when they are ready. */
export async function rerouteBatches(sql: Sql, { from, to }: { from: string; to: string }): Promise<void> {
  await sql`
    update batches
    set route = ${to}
    where is_ready
      and route = ${from}
  `
}

/** The same for what has been due for some time, and is nobody's. */
export async function rerouteOverdue(
  sql: Sql,
  { from, to, seconds }: { from: string; to: string; seconds: number }
): Promise<void> {
  await sql`
    update batches
    set route = ${to}
    where is_ready
      and route = ${from}
      and due_at < now() - make_interval(secs => ${seconds})
      and (leased_until is null or leased_until < now())
  `
}

/** The routes that something ready waits on, by jumping from one to the next in the index. */
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

/** How long the oldest due batch of each lane has been waiting for somebody to take it. */
export async function listQueueAges(sql: Sql): Promise<{ lane: number; batches: number; seconds: number }[]> {
  return sql`
    select lane, count(*) as batches, extract(epoch from now() - min(due_at))::double precision as seconds
    from batches
    where is_ready
    group by lane
  `
}

/** Whether something of these routes has been due for so long, and nobody's. */
export async function isAnyOverdue(
  sql: Sql,
  { routes, seconds }: { routes: readonly string[]; seconds: number }
): Promise<boolean> {
  const [row] = await sql<[{ isOverdue: boolean }]>`
    select exists (
      select
      from batches
      where is_ready
        and route = any(${routes as string[]}::text[])
        and due_at < now() - make_interval(secs => ${seconds})
        and (leased_until is null or leased_until < now() - make_interval(secs => ${seconds}))
    ) as is_overdue
  `
  return row.isOverdue
}

/** In one order for everybody, so that two who change several at once seldom wait for each other in a circle. */
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

/** The same, with the positions of each. */
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
 * Settling is conditional on the claim, so that a worker that wakes late changes nothing. By its token alone, which every
 * claim changes: a lease that ran out and that nobody took is still its holder's.
 */
function isHeld(sql: Sql) {
  return sql`
    batches.account_id = given.account_id
    and batches.message_id = given.message_id
    and batches.id = given.id
    and batches.leased_by = given.leased_by
  `
}
