import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import type { NewBatch } from './batch.ts'
import { isBatchOf, isOfMessageOf } from './conditions.store.ts'
import type { Seat } from './seat.ts'

/**
 * Queues batches in the transaction that accepts their message, and returns their ids in the order given. A future batch is
 * made ready when its time comes, and gets its head start then. A batch with a seat belongs to its holder from the beginning,
 * and is due when its lease ends. So it stays out of the index that claims read: most seated batches are deleted before, and
 * leave dead entries there.
 */
export async function insertBatches(sql: Sql, batches: readonly NewBatch[]): Promise<number[]> {
  if (batches.length === 0) return []
  const leases = batches.map(({ seat }) => seat?.lease)
  const common = commonOf(batches)
  if (common) return insertAlike(sql, batches, common)
  const rows = await sql<{ id: number }[]>`
    insert into batches (
      id, account_id, message_id, lane, route, due_at, is_ready, expires_at, positions, leased_by, leased_until, carrier,
      submitting, head_start_seconds
    )
    select nextval('batch_ids'), account_id, message_id, lane, route,
      coalesce(
        now() + make_interval(secs => lease_seconds),
        case when due_at > now() then due_at end,
        coalesce(due_at, now()) - make_interval(secs => coalesce(head_start_seconds, 0))
      ),
      leased_by is null and coalesce(due_at <= now(), true), expires_at, positions::integer[], leased_by,
      now() + make_interval(secs => lease_seconds), carrier,
      case when leased_by is null then '{}' else positions::integer[] end, head_start_seconds
    from unnest(
      ${numberArray(batches.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(batches.map(({ messageId }) => messageId))}::bigint[],
      ${numberArray(batches.map(({ lane }) => lane))}::smallint[],
      ${batches.map(({ route }) => route)}::text[],
      ${batches.map(({ dueAt }) => dueAt?.toISOString() ?? null)}::timestamptz[],
      ${batches.map(({ expiresAt }) => expiresAt.toISOString())}::timestamptz[],
      ${batches.map(({ positions }) => numberArray(positions))}::text[],
      ${leases.map((lease) => lease?.leasedBy ?? null)}::uuid[],
      ${leases.map((lease) => lease?.leaseSeconds ?? null)}::integer[],
      ${leases.map((lease) => lease?.carrier ?? null)}::text[],
      ${batches.map(({ headStartSeconds }) => headStartSeconds ?? null)}::integer[]
    ) with ordinality as given (
      account_id, message_id, lane, route, due_at, expires_at, positions, leased_by, lease_seconds, carrier,
      head_start_seconds, number
    )
    order by number
    returning id
  `
  return rows.map(({ id }) => id)
}

/** What seated batches of one recipient share, when all of them do. */
interface Common {
  lane: number
  route: string
  headStartSeconds: number | undefined
  lease: Seat['lease']
}

function commonOf(batches: readonly NewBatch[]): Common | undefined {
  const [first] = batches
  const lease = first?.seat?.lease
  if (!lease) return undefined
  const { lane, route, headStartSeconds } = first
  const isAlike = batches.every(
    (batch) =>
      batch.lane === lane &&
      batch.route === route &&
      batch.dueAt === null &&
      batch.headStartSeconds === headStartSeconds &&
      isSameLease(batch.seat?.lease, lease) &&
      batch.positions.length === 1 &&
      batch.positions[0] === 1
  )
  return isAlike ? { lane, route, headStartSeconds, lease } : undefined
}

function isSameLease(a: Seat['lease'] | undefined, b: Seat['lease']): boolean {
  return a?.leasedBy === b.leasedBy && a.leaseSeconds === b.leaseSeconds && a.carrier === b.carrier
}

/** The batches of single messages that arrive together are alike. Half of the cost is to read arrays of the same value. */
async function insertAlike(
  sql: Sql,
  batches: readonly NewBatch[],
  { lane, route, headStartSeconds, lease: { leasedBy, leaseSeconds, carrier } }: Common
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    insert into batches (
      id, account_id, message_id, lane, route, due_at, is_ready, expires_at, positions, leased_by, leased_until, carrier,
      submitting, head_start_seconds
    )
    select nextval('batch_ids'), account_id, message_id, ${lane}::smallint, ${route}::text,
      now() + make_interval(secs => ${leaseSeconds}), false, expires_at, '{1}', ${leasedBy}::uuid,
      now() + make_interval(secs => ${leaseSeconds}), ${carrier}::text, '{1}',
      ${headStartSeconds ?? null}::integer
    from unnest(
      ${numberArray(batches.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(batches.map(({ messageId }) => messageId))}::bigint[],
      ${batches.map(({ expiresAt }) => expiresAt.toISOString())}::timestamptz[]
    ) with ordinality as given (account_id, message_id, expires_at, number)
    order by number
    returning id
  `
  return rows.map(({ id }) => id)
}

/**
 * Positions of a message that were handed to a carrier and are not settled. While submitting is locked, no position is
 * added.
 */
export async function listSubmitting(sql: Sql, { accountId, id }: MessageKey): Promise<number[]> {
  const rows = await sql<{ position: number }[]>`
    select unnest(submitting) as position
    from batches
    where account_id = ${accountId}
      and message_id = ${id}
  `
  return rows.map(({ position }) => position)
}

/** The same for several messages. */
export async function listSubmittingOf(
  sql: Sql,
  { accountIds, ids }: { accountIds: readonly number[]; ids: readonly number[] }
): Promise<Map<number, Set<number>>> {
  const rows = await sql<{ messageId: number; position: number }[]>`
    select message_id, unnest(submitting) as position
    from batches
    where account_id = any(${accountIds as number[]}::bigint[])
      and message_id = any(${ids as number[]}::bigint[])
  `
  const positions = new Map<number, Set<number>>()
  for (const { messageId, position } of rows) {
    const ofMessage = positions.get(messageId)
    if (ofMessage) ofMessage.add(position)
    else positions.set(messageId, new Set([position]))
  }
  return positions
}

/**
 * Takes a cancelled message out of the queue. A batch with positions being submitted stays: a worker must look at it
 * again.
 */
export async function deleteWaitingBatches(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    delete from batches
    where account_id = ${accountId}
      and message_id = ${id}
      and submitting = '{}'
  `
}

/**
 * Takes the batches of a paused message out of the turn of claims. A batch that somebody holds, or that is locked, stays: its
 * holder finds the message paused before anything of it leaves, and returns the batch as a paused one.
 */
export async function pauseBatches(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    with free as (
      select id
      from batches
      where account_id = ${accountId}
        and message_id = ${id}
        and leased_by is null
        and submitting = '{}'
      for no key update skip locked
    )
    update batches
    set is_paused = true, is_ready = false
    where account_id = ${accountId}
      and message_id = ${id}
      and id = any(array(select id from free))
  `
}

/**
 * Lets the batches of a message leave again. The worker of future batches makes those ready that are due. Those of a message
 * that is spread keep their distances: otherwise all that became due meanwhile would leave at once.
 */
export async function resumeBatches(
  sql: Sql,
  { accountId, id }: MessageKey,
  { isSpread }: { isSpread: boolean }
): Promise<void> {
  const delay = sql`
    (
      select greatest(now() - min(due_at), interval '0')
      from batches
      where account_id = ${accountId}
        and message_id = ${id}
        and is_paused
    )
  `
  await sql`
    update batches
    set is_paused = false, due_at = ${isSpread ? sql`due_at + ${delay}` : sql`greatest(due_at, now())`}
    where account_id = ${accountId}
      and message_id = ${id}
      and is_paused
  `
}

/**
 * Takes a paused message out of the queue that has nobody left to send to. No claim looks at a parked batch, and such a
 * message cannot be resumed.
 */
export async function deleteParkedBatches(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    delete from batches
    where account_id = ${accountId}
      and message_id = ${id}
      and is_paused
      and leased_by is null
  `
}

/**
 * Removes recipients whose RCS fell back from the submitting lists. A cancel or a STOP passes listed recipients over.
 * Before the batch of the RCS is over, it would take only their SMS out of the queue, and leave them waiting. The batch
 * of the SMS marks them anew. Batches are locked in the order of their ids, as by the dispatcher that marks others in them.
 */
export async function unmarkFallenBack(
  sql: Sql,
  recipients: readonly { accountId: number; messageId: number; position: number }[]
): Promise<void> {
  const ofMessages = [...Map.groupBy(recipients, ({ messageId }) => messageId).values()]
  if (ofMessages.length === 0) return
  await sql`
    with marked as (
      select batches.account_id, batches.message_id, batches.id, given.positions
      from unnest(
        ${ofMessages.map(([first]) => first?.accountId ?? 0)}::bigint[],
        ${ofMessages.map(([first]) => first?.messageId ?? 0)}::bigint[],
        ${ofMessages.map((some) => `{${some.map(({ position }) => position).join(',')}}`)}::text[]
      ) as given (account_id, message_id, positions)
      join batches on ${isOfMessageOf(sql, sql`given`)}
      where submitting && given.positions::integer[]
      order by batches.id
      for no key update of batches
    )
    update batches
    set submitting = array(select unnest(submitting) except select unnest(marked.positions::integer[]))
    from marked
    where ${isBatchOf(sql, sql`marked`)}
  `
}

/** The batches of a message that have not left, without the recipients that are being submitted. */
export async function listWaitingBatches(
  sql: Sql,
  { accountId, id }: MessageKey
): Promise<{ route: string; dueAt: Date; recipients: number; firstPosition: number }[]> {
  return sql<{ route: string; dueAt: Date; recipients: number; firstPosition: number }[]>`
    select route, due_at, cardinality(positions) - cardinality(submitting) as recipients, positions[1] as first_position
    from batches
    where account_id = ${accountId}
      and message_id = ${id}
      and cardinality(positions) > cardinality(submitting)
  `
}

/** What is ready on a way beside one message, of all accounts, by lane and account. Up to `limit` batches are looked at. */
export async function listReadyOfAll(
  sql: Sql,
  { route, laneMax, exceptMessageId, limit }: { route: string; laneMax: number; exceptMessageId: number; limit: number }
): Promise<{ lane: number; accountId: number; recipients: number }[]> {
  return sql<{ lane: number; accountId: number; recipients: number }[]>`
    select lane, account_id, sum(recipients)::integer as recipients
    from (
      select lane, account_id, cardinality(positions) - cardinality(submitting) as recipients
      from batches
      where route = ${route}
        and is_ready
        and lane <= ${laneMax}
        and message_id <> ${exceptMessageId}
      order by lane, account_id, due_at
      limit ${limit}
    ) as ready
    group by lane, account_id
  `
}
