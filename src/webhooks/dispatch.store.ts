import type { Sql } from '../database/database.ts'
import { isAmong, isWithin } from '../database/id-span.ts'
import type { TraceContext } from '../traces/trace-context.ts'
import { updateSubscriptions } from './webhooks.store.ts'

/** A webhook that a worker holds. */
export interface ServedWebhook {
  accountId: number
  id: number
  type: string
  url: string
  batchSize: number
  isActive: boolean
  failingSince: Date | null
}

interface Lease {
  workerId: string
  leaseSeconds: number
}

export interface ClaimedWebhook {
  webhookId: number
  accountId: number
  /** The account itself, or the parent of a sub-account. */
  topLevelId: number
}

/**
 * Leases webhooks that have work; one worker at a time serves a webhook. Of any account: for workers.
 *
 * The slots of a process are shared between top-level accounts: each account with work may hold one share of the slots, and
 * one share stays free, so that the next account is served at once. Accounts that hold the fewest slots go first, and within an
 * account, the webhooks that have waited longest.
 */
export async function claimWebhooks(
  sql: Sql,
  {
    workerId,
    leaseSeconds,
    slots,
    held
  }: Lease & {
    slots: number
    /** Slots that each top-level account holds in this process. */
    held: ReadonlyMap<number, number>
  }
): Promise<{ claimed: ClaimedWebhook[]; share: number }> {
  const taken = [...held.values()].reduce((sum, count) => sum + count, 0)
  // Webhooks with new events are found by jumping from one to the next in the index, however many events wait.
  const rows = await sql<(Partial<ClaimedWebhook> & { share: number })[]>`
    with recursive queued as (
      (select webhook_id from webhook_queue order by webhook_id limit 1)
      union all
      select (
        select webhook_queue.webhook_id
        from webhook_queue
        where webhook_queue.webhook_id > queued.webhook_id
        order by webhook_queue.webhook_id
        limit 1
      )
      from queued
      where queued.webhook_id is not null
    ),
    held as (
      select top_level_id, webhooks
      from unnest(${[...held.keys()]}::bigint[], ${[...held.values()]}::integer[]) as given (top_level_id, webhooks)
    ),
    waiting as (
      select webhook_id, due_at, coalesce(parent_id, accounts.id) as top_level_id
      from webhook_turns
      join accounts on accounts.id = webhook_turns.account_id
      where webhook_id in (
          select webhook_id
          from queued
          union
          select webhook_id
          from webhook_deliveries
          where status in ('pending', 'retrying')
            and next_attempt_at <= now()
        )
        and due_at <= now()
        and (leased_until is null or leased_until < now())
    ),
    placed as (
      select webhook_id, waiting.top_level_id,
        coalesce(webhooks, 0) + row_number() over (partition by waiting.top_level_id order by due_at) as place
      from waiting
      left join held on held.top_level_id = waiting.top_level_id
    ),
    shared as (
      select greatest(1, ${slots}::integer / (1 + count(*)))::integer as share
      from (select top_level_id from waiting union select top_level_id from held) as active
    ),
    due as (
      select webhook_turns.webhook_id, top_level_id
      from placed
      join webhook_turns on webhook_turns.webhook_id = placed.webhook_id
      where place <= (select share from shared)
        and due_at <= now()
        and (leased_until is null or leased_until < now())
      order by place, due_at
      limit ${slots - taken}
      for update of webhook_turns skip locked
    ),
    claimed as (
      update webhook_turns
      set leased_by = ${workerId}, leased_until = now() + make_interval(secs => ${leaseSeconds})
      from due
      where webhook_turns.webhook_id = due.webhook_id
      returning webhook_turns.webhook_id, webhook_turns.account_id, top_level_id
    )
    select share, webhook_id, account_id, top_level_id
    from shared
    left join claimed on true
  `
  const claimed = rows.filter((row): row is ClaimedWebhook & { share: number } => row.webhookId !== null)
  return { claimed, share: rows[0]?.share ?? slots }
}

/** Undefined when another worker has the lease. A lease that ran out, and that no other worker took, still counts. */
export async function extendTurn(
  sql: Sql,
  { workerId, leaseSeconds, webhookId }: Lease & { webhookId: number }
): Promise<true | undefined> {
  const { count } = await sql`
    update webhook_turns
    set leased_until = now() + make_interval(secs => ${leaseSeconds})
    where webhook_id = ${webhookId}
      and leased_by = ${workerId}
  `
  return count === 1 ? true : undefined
}

/** Gives a webhook back, with the time of the next look. */
export async function releaseTurn(
  sql: Sql,
  { workerId, webhookId, delaySeconds }: { workerId: string; webhookId: number; delaySeconds: number }
): Promise<void> {
  await sql`
    update webhook_turns
    set leased_by = null, leased_until = null, due_at = now() + make_interval(secs => ${delaySeconds})
    where webhook_id = ${webhookId}
      and leased_by = ${workerId}
  `
}

export async function findServed(
  sql: Sql,
  { accountId, webhookId }: { accountId: number; webhookId: number }
): Promise<ServedWebhook | undefined> {
  const [row] = await sql<ServedWebhook[]>`
    select account_id, id, type, url, batch_size, is_active, failing_since
    from webhooks
    where account_id = ${accountId}
      and id = ${webhookId}
  `
  return row
}

/** Every secret that signs now, the newest first. */
export async function listSigningSecrets(sql: Sql, accountId: number): Promise<string[]> {
  const rows = await sql<{ secret: string }[]>`
    select secret
    from webhook_secrets
    where account_id = ${accountId}
      and (expires_at is null or expires_at > now())
    order by id desc
  `
  return rows.map(({ secret }) => secret)
}

/** A delivery that is to be tried now. */
export interface DueDelivery {
  id: number
  /** The `webhook-id` of every attempt. */
  eventId: string
  eventIds: number[]
  /** Whether it tells an example. */
  isTest: boolean
  attempts: number
  createdAt: Date
}

export async function listDueDeliveries(
  sql: Sql,
  { webhookId, limit }: { webhookId: number; limit: number }
): Promise<DueDelivery[]> {
  return sql<DueDelivery[]>`
    select id, event_id, event_ids, is_test, attempts, created_at
    from webhook_deliveries
    where webhook_id = ${webhookId}
      and status in ('pending', 'retrying')
      and next_attempt_at <= now()
    order by next_attempt_at, id
    limit ${limit}
  `
}

/**
 * Makes deliveries of the oldest waiting events; after a crash they are due. An event that was removed while its webhook was not
 * active leaves the queue without a delivery.
 */
export async function takeFromQueue(
  sql: Sql,
  { accountId, id, type, url, batchSize }: ServedWebhook,
  { deliveriesMax }: { deliveriesMax: number }
): Promise<DueDelivery[]> {
  return sql<DueDelivery[]>`
    with taken as (
      delete from webhook_queue
      where webhook_id = ${id}
        -- As an array, which is a walk along the index; as a subquery, each row of the queue was compared with each of these.
        and event_id = any(array(
          select event_id
          from webhook_queue
          where webhook_id = ${id}
          order by event_id
          limit ${deliveriesMax * batchSize}
        ))
      returning event_id
    ),
    placed as (
      select event_id, (row_number() over (order by event_id) - 1) / ${batchSize}::integer as delivery
      from taken
      where exists (
        select
        from events
        where account_id = ${accountId}
          and events.id = taken.event_id
      )
    ),
    made as (
      select nextval('webhook_delivery_ids') as id, array_agg(event_id order by event_id) as event_ids
      from placed
      group by delivery
      order by delivery
    )
    insert into webhook_deliveries (
      account_id, id, webhook_id, event_id, type, url, event_ids, status, next_attempt_at
    )
    select ${accountId}, id, ${id}, 'evt_' || id, ${type}, ${url}, event_ids, 'pending', now()
    from made
    returning id, event_id, event_ids, is_test, attempts, created_at
  `
}

/** The records of events by id, as stored text. */
export async function listRecords(
  sql: Sql,
  { accountId, eventIds }: { accountId: number; eventIds: readonly number[] }
): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; record: string }[]>`
    select id, (record || jsonb_build_object('sequence', id))::text as record
    from events
    where account_id = ${accountId}
      and id = any(${eventIds as number[]}::bigint[])
      and ${isWithin(sql, sql`id`, eventIds)}
  `
  return new Map(rows.map(({ id, record }) => [id, record]))
}

/** The traces of events by id; an event of an untraced message has none. */
export async function listTraces(
  sql: Sql,
  { accountId, eventIds }: { accountId: number; eventIds: readonly number[] }
): Promise<Map<number, TraceContext>> {
  const rows = await sql<{ id: number; trace: TraceContext }[]>`
    select id, trace
    from events
    where account_id = ${accountId}
      and id = any(${eventIds as number[]}::bigint[])
      and ${isWithin(sql, sql`id`, eventIds)}
      and trace is not null
  `
  return new Map(rows.map(({ id, trace }) => [id, trace]))
}

/** The outcome of one attempt. */
export interface Attempt {
  id: number
  status: 'succeeded' | 'retrying' | 'failed'
  responseStatus: number | null
  responseMs: number
  response: string
  error: string | null
  /** Null when it is not tried again. */
  delaySeconds: number | null
}

export async function updateDeliveries(
  sql: Sql,
  { accountId }: { accountId: number },
  attempts: readonly Attempt[]
): Promise<void> {
  if (attempts.length === 0) return
  // Within the span of the ids: a plan may else read all deliveries of the account, for each of these.
  await sql`
    update webhook_deliveries
    set status = given.status,
        attempts = attempts + 1,
        response_status = nullif(given.response_status, 0),
        response_ms = given.response_ms,
        response = given.response,
        error = nullif(given.error, ''),
        next_attempt_at = case when given.delay_seconds >= 0 then now() + make_interval(secs => given.delay_seconds) end,
        delivered_at = case when given.status = 'succeeded' then now() end
    from unnest(
      ${attempts.map(({ id }) => id)}::bigint[],
      ${attempts.map(({ status }) => status)}::text[],
      ${attempts.map(({ responseStatus }) => responseStatus ?? 0)}::integer[],
      ${attempts.map(({ responseMs }) => responseMs)}::integer[],
      ${attempts.map(({ response }) => response)}::text[],
      ${attempts.map(({ error }) => error ?? '')}::text[],
      ${attempts.map(({ delaySeconds }) => delaySeconds ?? -1)}::double precision[]
    ) as given (id, status, response_status, response_ms, response, error, delay_seconds)
    where account_id = ${accountId}
      and webhook_deliveries.id = given.id
      and ${isAmong(
        sql,
        sql`webhook_deliveries.id`,
        attempts.map(({ id }) => id)
      )}
  `
}

/** Ends deliveries that were not posted, since all their events were removed. */
export async function updateToGone(
  sql: Sql,
  { accountId }: { accountId: number },
  ids: readonly number[]
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update webhook_deliveries
    set status = 'failed',
        error = 'Its events were removed before they could be delivered.',
        next_attempt_at = null
    where account_id = ${accountId}
      and id = any(${ids as number[]}::bigint[])
  `
}

/** Stores the health of a webhook after some attempts, with the first failure in a row. */
export async function updateHealth(
  sql: Sql,
  {
    accountId,
    id,
    lastStatus,
    isFailing
  }: { accountId: number; id: number; lastStatus: number | null; isFailing: boolean }
): Promise<void> {
  await sql`
    update webhooks
    set last_status = ${lastStatus},
        failing_since = ${isFailing ? sql`coalesce(failing_since, now())` : sql`null`}
    where account_id = ${accountId}
      and id = ${id}
  `
}

/** Disables a webhook, with a reason. Its queue stays, for when it is made active again; its open deliveries have failed. */
export async function disableWebhook(
  sql: Sql,
  { accountId, id, reason }: { accountId: number; id: number; reason: string }
): Promise<void> {
  await sql`
    update webhooks
    set is_active = false, disabled_reason = ${reason}
    where account_id = ${accountId}
      and id = ${id}
  `
  await sql`
    update webhook_deliveries
    set status = 'failed', error = coalesce(error, ${reason}), next_attempt_at = null
    where account_id = ${accountId}
      and webhook_id = ${id}
      and status in ('pending', 'retrying')
  `
  await updateSubscriptions(sql, accountId)
}
