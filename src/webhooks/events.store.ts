import type { Sql } from '../database/database.ts'
import type { EventType } from './event-type.ts'

/** Something that happened, complete as it is told; `sequence` is added then. */
export interface NewEvent {
  accountId: number
  type: EventType
  record: object
}

/** Which of these accounts want events of a type: those that do not cost nothing more. */
export async function listSubscribers(
  sql: Sql,
  { type, accountIds }: { type: EventType; accountIds: readonly number[] }
): Promise<Set<number>> {
  return (await listSubscribersByType(sql, { types: [type], accountIds })).get(type) ?? NOBODY
}

const NOBODY: Set<number> = new Set()

/** The same of several types; one that nobody wants is not there. */
export async function listSubscribersByType(
  sql: Sql,
  { types, accountIds }: { types: readonly EventType[]; accountIds: readonly number[] }
): Promise<Map<EventType, Set<number>>> {
  const rows = await sql<{ type: EventType; accountId: number }[]>`
    select distinct type, account_id
    from event_subscriptions
    where account_id = any(${accountIds as number[]}::bigint[])
      and type = any(${types as EventType[]}::text[])
  `
  const subscribers = new Map<EventType, Set<number>>()
  for (const { type, accountId } of rows) {
    const ofType = subscribers.get(type)
    if (ofType) ofType.add(accountId)
    else subscribers.set(type, new Set([accountId]))
  }
  return subscribers
}

/** Writes events down in the transaction that caused them, for those who want them, and queues them for their webhooks. */
export async function recordEvents(sql: Sql, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await sql`
    with made as (
      insert into events (account_id, id, type, record)
      select account_id, nextval('event_ids'), type, record::jsonb
      from unnest(
        ${events.map(({ accountId }) => accountId)}::bigint[],
        ${events.map(({ type }) => type)}::text[],
        ${events.map(({ record }) => JSON.stringify(record))}::text[]
      ) as given (account_id, type, record)
      where exists (
        select
        from event_subscriptions
        where event_subscriptions.account_id = given.account_id
          and event_subscriptions.type = given.type
      )
      returning account_id, id, type
    )
    ${queueMade(sql)}
  `
}

/** A moment in a record that SQL makes, as JavaScript writes it. */
export function isoTime(sql: Sql, column: ReturnType<Sql>) {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** Queues what a statement has just made, for a statement that begins with `made`. */
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
