import type { Sql } from '../database/database.ts'
import { EVENT_TYPES, type EventType } from './event-type.ts'
import type { FeedEvent, Position } from './feed.ts'

/** The most events that one read passes over, for a reader of few types. */
const SCAN_MAX = 5_000

interface Look {
  accountId: number
  after: Position
  types: readonly EventType[]
  limit: number
}

/** A read of the feed. */
export interface FeedPage {
  events: FeedEvent[]
  /** The position that this read reached. */
  position: Position
  /** Whether there is more to read at once. */
  isMore: boolean
}

/**
 * The events after a position, in the order (transaction, id). Only of transactions older than every running one: events of a
 * transaction that commits late would otherwise be passed over.
 */
export async function listEventsAfter(sql: Sql, { accountId, after, types, limit }: Look): Promise<FeedPage> {
  const rows = await sql<(Partial<FeedEvent> & { scannedTransaction: string; scannedId: number; scanned: number })[]>`
    with scanned as (
      select transaction_id, id, type, record, created_at
      from events
      where account_id = ${accountId}
        and (transaction_id, id) > (${after.transactionId}::xid8, ${after.id}::bigint)
        and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
      order by transaction_id, id
      limit ${SCAN_MAX}
    ),
    reached as (
      select transaction_id as scanned_transaction, id as scanned_id, (select count(*) from scanned) as scanned
      from scanned
      order by transaction_id desc, id desc
      limit 1
    ),
    wanted as (
      select transaction_id, id, type, record || jsonb_build_object('sequence', id) as record, created_at
      from scanned
      where type = any(${types as EventType[]}::text[])
      order by transaction_id, id
      limit ${limit}
    )
    select scanned_transaction, scanned_id, scanned, transaction_id, id, type, record, created_at
    from reached
    left join wanted on true
    order by wanted.transaction_id, wanted.id
  `
  const [reached] = rows
  if (!reached) return { events: [], position: after, isMore: false }
  const events = rows.filter((row) => row.id !== null) as unknown as FeedEvent[]
  const last = events.length === limit ? events.at(-1) : undefined
  return {
    events,
    position: last ?? { transactionId: reached.scannedTransaction, id: reached.scannedId },
    isMore: last !== undefined || reached.scanned === SCAN_MAX
  }
}

/** Whether events of all types are recorded for this account's feed. */
export async function hasFeedSubscriptions(sql: Sql, accountId: number): Promise<boolean> {
  const [row] = await sql`
    select
    from event_subscriptions
    where account_id = ${accountId}
      and reason = 'feed'
    limit 1
  `
  return row !== undefined
}

/** From now on, events of all types are recorded for this account. */
export async function insertFeedSubscriptions(sql: Sql, accountId: number): Promise<void> {
  // Read first: a write, even of nothing, would cost each read a transaction.
  await sql`
    insert into event_subscriptions (account_id, type, reason)
    select ${accountId}, type, 'feed'
    from unnest(${[...EVENT_TYPES]}::text[]) as given (type)
    where not exists (
      select
      from event_subscriptions
      where account_id = ${accountId}
        and event_subscriptions.type = given.type
        and reason = 'feed'
    )
    on conflict do nothing
  `
}
