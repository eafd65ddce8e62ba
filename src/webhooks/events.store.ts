import type { Sql } from '../database/database.ts'
import type { TraceContext } from '../traces/trace-context.ts'
import type { BIND_EVENTS } from './bind-subscriptions.store.ts'
import type { EventType } from './event-type.ts'

/** An event with its complete record; `sequence` is added when it is sent. */
export interface NewEvent {
  accountId: number
  type: EventType
  record: object
  /** The context of its message, for webhooks; null without traces. */
  trace?: TraceContext | null
}

/** What an account can subscribe to: events of a type, callbacks of its own messages, or what its SMPP binds are told. */
export type Subscription = EventType | 'callbacks' | typeof BIND_EVENTS

/** Subscribes an account to callbacks. */
export async function subscribeToCallbacks(sql: Sql, accountId: number): Promise<void> {
  await sql`
    insert into event_subscriptions (account_id, type, reason)
    values (${accountId}, 'callbacks', 'door')
    on conflict do nothing
  `
}

/** The accounts that want events of a type. For all others there is nothing more to do. */
export async function listSubscribers(
  sql: Sql,
  { type, accountIds }: { type: Subscription; accountIds: readonly number[] }
): Promise<Set<number>> {
  return (await listSubscribersByType(sql, { types: [type], accountIds })).get(type) ?? NO_ACCOUNTS
}

const NO_ACCOUNTS: Set<number> = new Set()

/** By type of event, the accounts that subscribe. */
export type Subscribers = ReadonlyMap<Subscription, ReadonlySet<number>>

/** The same for several types; a type without subscribers is left out. */
export async function listSubscribersByType(
  sql: Sql,
  { types, accountIds }: { types: readonly Subscription[]; accountIds: readonly number[] }
): Promise<Map<Subscription, Set<number>>> {
  const rows = await sql<{ type: Subscription; accountId: number }[]>`
    select distinct type, account_id
    from event_subscriptions
    where account_id = any(${accountIds as number[]}::bigint[])
      and type = any(${types as Subscription[]}::text[])
  `
  const subscribers = new Map<Subscription, Set<number>>()
  for (const { type, accountId } of rows) {
    const ofType = subscribers.get(type)
    if (ofType) ofType.add(accountId)
    else subscribers.set(type, new Set([accountId]))
  }
  return subscribers
}

/** Records events in the transaction of their cause, for accounts that want them, and queues them for their webhooks. */
export async function recordEvents(sql: Sql, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const hasTrace = events.some(({ trace }) => trace)
  await insertEvents(
    sql,
    sql`
      select account_id, nextval('event_ids'), type, record::jsonb ${hasTrace ? sql`, trace` : sql``}
      from unnest(
        ${events.map(({ accountId }) => accountId)}::bigint[],
        ${events.map(({ type }) => type)}::text[],
        ${events.map(({ record }) => JSON.stringify(record))}::text[]
        ${hasTrace ? sql`, ${events.map(({ trace }) => trace ?? null)}::text[]` : sql``}
      ) as given (account_id, type, record ${hasTrace ? sql`, trace` : sql``})
      where exists (
        select
        from event_subscriptions
        where event_subscriptions.account_id = given.account_id
          and event_subscriptions.type = given.type
      )
    `,
    { hasTrace }
  )
}

interface Selected {
  /** Whether the query selects the trace of the message as well. */
  hasTrace?: boolean
}

/** Stores the events that a query selects as account, id, type and record, and queues them for their webhooks. */
export async function insertEvents(sql: Sql, selected: ReturnType<Sql>, options?: Selected): Promise<void> {
  await sql`
    with made as (${madeEvents(sql, selected, options)})
    ${queueMade(sql)}
  `
}

/** The part of a statement that stores events; it is to be named `made`, and `queueMade` follows it. */
export function madeEvents(sql: Sql, selected: ReturnType<Sql>, { hasTrace = false }: Selected = {}) {
  return sql`
    insert into events (account_id, id, type, record ${hasTrace ? sql`, trace` : sql``})
    ${selected}
    returning account_id, id, type
  `
}

/** A time in a record that SQL makes, in the format of JavaScript. */
export function isoTime(sql: Sql, column: ReturnType<Sql>) {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** Queues the events that a statement makes in its part `made`. */
export function queueMade(sql: Sql) {
  return sql`
    insert into webhook_queue (webhook_id, event_id, account_id)
    select webhooks.id, made.id, made.account_id
    from made
    join webhooks on webhooks.account_id = made.account_id
      and webhooks.type = made.type
      and is_active
  `
}

/**
 * Has the coordinator of a cluster give each event its transaction. Where the records come from another node, Citus asks that
 * node for the defaults of the columns too, and the transactions of other nodes are in no order with those of the coordinator: the
 * feed would pass events over. Examples keep their transaction 0.
 */
export async function numberAtCoordinator(sql: Sql): Promise<void> {
  await dropNumbering(sql)
  await sql.unsafe(`
    create function number_event() returns trigger language plpgsql as $$
    begin
      new.transaction_id := pg_current_xact_id();
      return new;
    end
    $$
  `)
  await sql`
    create trigger number_event
    before insert on events
    for each row when (new.transaction_id <> '0')
    execute function number_event()
  `
}

/** The default of the column will do where all rows are on one server. */
export async function dropNumbering(sql: Sql): Promise<void> {
  await sql`drop trigger if exists number_event on events`
  await sql`drop function if exists number_event()`
}
