import Type from 'typebox'
import type { Database } from '../database/database.ts'
import { type EventBatches, eventStream } from '../http/event-stream.ts'
import type { EventType } from './event-type.ts'
import { insertFeedSubscriptions, listEventsAfter } from './feed.store.ts'
import {
  FEED_POLL_MS,
  FeedQuery,
  feedItemExample,
  type Position,
  pause,
  readCursor,
  readTypes,
  toCursor,
  toFeedItem
} from './feed.ts'

const BATCH = 100
/** After this time the client comes back with its credentials, which may have been revoked meanwhile. */
const STREAM_MAX_MS = 3_600_000

export const streamEvents = eventStream({
  route: 'GET /events/stream',
  id: 'streamEvents',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Event feed, as a stream',
  description:
    'The event feed as server-sent events, each with its type, and an item of the feed as its data. It stays open, with a comment every 15 seconds when there is nothing to tell, and ends after an hour, when its credentials end, or when the service stops: come back with the id of the last event as `Last-Event-ID`, as browsers do by themselves, or as `after`. Events are recorded from the first call of an account on, unless that call has `subscribe=false`.',
  query: Type.Object(FeedQuery),
  example: { answer: `id: NzQyLjM\nevent: clicks\ndata: ${JSON.stringify(feedItemExample)}\n\n` },
  refusals: { rate_limited: 'Too many requests of this account wait already.' },
  handle({ caller: { accountId }, query, database, lastEventId, beginWait }) {
    const types = readTypes(query.types)
    // A client that comes back asks for the same URL; the header has the position that it reached.
    const after = readCursor(lastEventId ?? query.after)
    return follow(database, { accountId, types, after, subscribe: query.subscribe, gone: beginWait() })
  }
})

async function* follow(
  database: Database,
  feed: { accountId: number; types: readonly EventType[]; after: Position; subscribe: boolean; gone: AbortSignal }
): EventBatches {
  const { accountId, types, gone } = feed
  let { after } = feed
  if (feed.subscribe) await insertFeedSubscriptions(database, accountId)
  const startedMs = performance.now()
  while (!gone.aborted && performance.now() - startedMs < STREAM_MAX_MS) {
    const { events, position, isMore } = await listEventsAfter(database, { accountId, after, types, limit: BATCH })
    after = position
    yield events.map((event) => ({ id: toCursor(event), type: event.type, data: toFeedItem(event) }))
    if (!isMore) await pause(FEED_POLL_MS, gone)
  }
}
