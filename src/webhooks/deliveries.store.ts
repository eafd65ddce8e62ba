import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { EventType } from './event-type.ts'
import type { Webhook, WebhookDelivery } from './webhook.ts'

interface DeliveryScope {
  accountId: number
  type: EventType | undefined
  status: WebhookDelivery['status'] | undefined
}

export async function countDeliveries(sql: Sql, scope: DeliveryScope): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from webhook_deliveries
    where ${isInScope(sql, scope)}
  `
  return row.count
}

/** Newest first. A page nearer to the end is read from the end and reversed. */
export async function listDeliveriesOfPage(
  sql: Sql,
  scope: DeliveryScope,
  window: PageWindow
): Promise<WebhookDelivery[]> {
  const rows = await sql<WebhookDelivery[]>`
    select ${deliveryColumns(sql)}
    from webhook_deliveries
    where ${isInScope(sql, scope)}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

export async function findDelivery(
  sql: Sql,
  { accountId, id }: { accountId: number; id: number }
): Promise<WebhookDelivery | undefined> {
  const [row] = await sql<WebhookDelivery[]>`
    select ${deliveryColumns(sql)}
    from webhook_deliveries
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

/** Makes a delivery that is due now. A repeat has the `webhook-id` of the first delivery; a new one is named after its own id. */
export async function insertDelivery(
  sql: Sql,
  {
    accountId,
    webhook,
    eventId,
    eventIds,
    isTest
  }: { accountId: number; webhook: Webhook; eventId: string | null; eventIds: readonly number[]; isTest: boolean }
): Promise<WebhookDelivery> {
  const [row] = await sql<[WebhookDelivery]>`
    with given as (
      select nextval('webhook_delivery_ids') as id
    )
    insert into webhook_deliveries (
      account_id, id, webhook_id, event_id, type, url, event_ids, is_test, status, next_attempt_at
    )
    select ${accountId}, id, ${webhook.id}, coalesce(${eventId}, 'evt_' || id), ${webhook.type}, ${webhook.url},
      ${eventIds as number[]}::bigint[], ${isTest}, 'pending', now()
    from given
    returning ${deliveryColumns(sql)}
  `
  return row
}

/** Starts deliveries anew that failed since then, if their webhook is active and their events exist; returns their number. */
export async function updateFailedDeliveries(
  sql: Sql,
  { accountId, since, type }: { accountId: number; since: Date; type: EventType | undefined }
): Promise<number> {
  const { count } = await sql`
    update webhook_deliveries
    set status = 'pending', attempts = 0, next_attempt_at = now()
    from webhooks
    where webhook_deliveries.account_id = ${accountId}
      and status = 'failed'
      and webhook_deliveries.created_at >= ${since}
      ${type === undefined ? sql`` : sql`and webhook_deliveries.type = ${type}`}
      and webhooks.account_id = ${accountId}
      and webhooks.id = webhook_id
      and is_active
      and exists (
        select
        from events
        where events.account_id = ${accountId}
          and events.id = any(event_ids)
      )
  `
  return count
}

/**
 * Stores an example event for test deliveries. Its transaction is 0, which is before everything that the feed reads: a reader of
 * the feed must not take an example for a real event.
 */
export async function insertExampleEvent(
  sql: Sql,
  { accountId, type, record }: { accountId: number; type: EventType; record: object }
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into events (account_id, id, type, transaction_id, record)
    values (${accountId}, nextval('event_ids'), ${type}, '0', ${JSON.stringify(record)}::text::jsonb)
    returning id
  `
  return row.id
}

/** The condition "not succeeded" is written out: the planner finds the partial index by it. */
function isInScope(sql: Sql, { accountId, type, status }: DeliveryScope) {
  return sql`
    account_id = ${accountId}
    ${type === undefined ? sql`` : sql`and type = ${type}`}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${status === undefined || status === 'succeeded' ? sql`` : sql`and status <> 'succeeded'`}
  `
}

function deliveryColumns(sql: Sql) {
  return sql`
    id, webhook_id, event_id, type, url, event_ids, is_test, status, attempts, response_status, response_ms, response,
    error, next_attempt_at, created_at, delivered_at
  `
}
