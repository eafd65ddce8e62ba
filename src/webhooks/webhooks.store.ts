import { lockAccount } from '../accounts/accounts.store.ts'
import type { Sql } from '../database/database.ts'
import type { EventType } from './event-type.ts'
import type { Webhook } from './webhook.ts'

interface WebhookKeys {
  accountId: number
  ids: readonly number[]
}

/** The given fields of a webhook; the other fields are its health. */
export interface WebhookSettings {
  id: number
  url: string
  isActive: boolean
  batchSize: number
}

/** Changes of the webhooks and secrets of an account take turns by this lock. It is taken before any other lock. */
export async function lockWebhooksOf(sql: Sql, accountId: number): Promise<void> {
  await lockAccount(sql, accountId)
}

export async function listWebhooks(sql: Sql, accountId: number): Promise<Webhook[]> {
  return sql<Webhook[]>`
    select id, type, url, method, is_active, batch_size, created_at, last_status, failing_since, disabled_reason
    from webhooks
    where account_id = ${accountId}
    order by id
  `
}

export async function findActiveWebhook(
  sql: Sql,
  { accountId, id }: { accountId: number; id: number }
): Promise<Webhook | undefined> {
  const webhooks = await listWebhooks(sql, accountId)
  return webhooks.find((webhook) => webhook.id === id && webhook.isActive)
}

export async function insertWebhooks(
  sql: Sql,
  accountId: number,
  given: readonly (Omit<WebhookSettings, 'id'> & { type: EventType })[]
): Promise<void> {
  if (given.length === 0) return
  await sql`
    with made as (
      insert into webhooks (account_id, id, type, url, method, is_active, batch_size)
      select ${accountId}, nextval('webhook_ids'), type, url, 'POST', is_active, batch_size
      from unnest(
        ${given.map(({ type }) => type)}::text[],
        ${given.map(({ url }) => url)}::text[],
        ${given.map(({ isActive }) => isActive)}::boolean[],
        ${given.map(({ batchSize }) => batchSize)}::integer[]
      ) as given (type, url, is_active, batch_size)
      returning account_id, id
    )
    insert into webhook_turns (webhook_id, account_id, due_at)
    select id, account_id, now()
    from made
  `
}

/** A webhook that is active again begins anew, whatever had made it inactive; the others keep their health. */
export async function updateWebhooks(sql: Sql, accountId: number, kept: readonly WebhookSettings[]): Promise<void> {
  if (kept.length === 0) return
  await sql`
    update webhooks
    set url = given.url,
        is_active = given.is_active,
        batch_size = given.batch_size,
        failing_since = case when given.is_active and not webhooks.is_active then null else failing_since end,
        disabled_reason = case when given.is_active then null else disabled_reason end
    from unnest(
      ${kept.map(({ id }) => id)}::bigint[],
      ${kept.map(({ url }) => url)}::text[],
      ${kept.map(({ isActive }) => isActive)}::boolean[],
      ${kept.map(({ batchSize }) => batchSize)}::integer[]
    ) as given (id, url, is_active, batch_size)
    where account_id = ${accountId}
      and webhooks.id = given.id
  `
}

/**
 * Removes webhooks and their queues. Their turns go first: from then on a worker that holds one cannot settle. Then their
 * queues: this waits for a worker that takes events just now, so that the next statement sees the deliveries it made.
 */
export async function deleteWebhooks(sql: Sql, { accountId, ids }: WebhookKeys): Promise<void> {
  if (ids.length === 0) return
  await sql`
    delete from webhook_turns
    where webhook_id = any(${ids as number[]}::bigint[])
  `
  await sql`
    delete from webhook_queue
    where webhook_id = any(${ids as number[]}::bigint[])
  `
  await sql`
    update webhook_deliveries
    set status = 'failed', error = 'The webhook was removed.', next_attempt_at = null
    where webhook_id = any(${ids as number[]}::bigint[])
      and status in ('pending', 'retrying')
  `
  await sql`
    delete from webhooks
    where account_id = ${accountId}
      and id = any(${ids as number[]}::bigint[])
  `
}

/** Removes all webhooks of an account that is closed. Nothing is recorded for it any more. */
export async function deleteAllWebhooks(sql: Sql, accountId: number): Promise<void> {
  await lockWebhooksOf(sql, accountId)
  const webhooks = await listWebhooks(sql, accountId)
  await deleteWebhooks(sql, { accountId, ids: webhooks.map(({ id }) => id) })
  await sql`
    delete from event_subscriptions
    where account_id = ${accountId}
  `
}

/**
 * Removes events that were queued, or made into deliveries, while their webhook was being removed. Of any account: for workers.
 */
export async function deleteLeftovers(sql: Sql): Promise<void> {
  await sql`
    delete from webhook_queue
    where not exists (
      select
      from webhooks
      where webhooks.account_id = webhook_queue.account_id
        and webhooks.id = webhook_id
    )
  `
  await sql`
    update webhook_deliveries
    set status = 'failed', error = 'The webhook was removed.', next_attempt_at = null
    where status in ('pending', 'retrying')
      and not exists (
        select
        from webhooks
        where webhooks.account_id = webhook_deliveries.account_id
          and webhooks.id = webhook_id
      )
  `
}

/** Has the workers look at these webhooks now. */
export async function updateTurns(sql: Sql, { accountId, ids }: WebhookKeys): Promise<void> {
  await sql`
    update webhook_turns
    set due_at = now()
    where account_id = ${accountId}
      and webhook_id = any(${ids as number[]}::bigint[])
      and due_at > now()
  `
}

/** Subscribes the account to the types of its active webhooks, and to no other type on their behalf. */
export async function updateSubscriptions(sql: Sql, accountId: number): Promise<void> {
  await sql`
    delete from event_subscriptions
    where account_id = ${accountId}
      and reason = 'webhook'
      and type not in (
        select type
        from webhooks
        where account_id = ${accountId}
          and is_active
      )
  `
  await sql`
    insert into event_subscriptions (account_id, type, reason)
    select distinct account_id, type, 'webhook'
    from webhooks
    where account_id = ${accountId}
      and is_active
    on conflict do nothing
  `
}

/** The number of secrets that sign now, and the end of the first of them. */
export async function countSecrets(sql: Sql, accountId: number): Promise<{ count: number; firstEndsAt: Date | null }> {
  const [row] = await sql<[{ count: number; firstEndsAt: Date | null }]>`
    select count(*) as count, min(expires_at) as first_ends_at
    from webhook_secrets
    where account_id = ${accountId}
      and (expires_at is null or expires_at > now())
  `
  return row
}

/** Stores a new secret. The one before it goes on signing until the returned time. */
export async function insertSecret(
  sql: Sql,
  { accountId, secret, overlapSeconds }: { accountId: number; secret: string; overlapSeconds: number }
): Promise<{ previousValidUntil: Date | null }> {
  await sql`
    delete from webhook_secrets
    where account_id = ${accountId}
      and expires_at <= now()
  `
  const [previous] = await sql<{ expiresAt: Date }[]>`
    update webhook_secrets
    set expires_at = now() + make_interval(secs => ${overlapSeconds})
    where account_id = ${accountId}
      and expires_at is null
    returning expires_at
  `
  await sql`
    insert into webhook_secrets (account_id, id, secret)
    values (${accountId}, nextval('webhook_secret_ids'), ${secret})
  `
  return { previousValidUntil: previous?.expiresAt ?? null }
}
