import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { hasFeedSubscriptions, insertFeedSubscriptions, listEventsAfter } from './feed.store.ts'
import {
  FEED_POLL_MS,
  FeedItemView,
  FeedQuery,
  feedItemExample,
  pause,
  readCursor,
  readTypes,
  toCursor,
  toFeedItem
} from './feed.ts'

const WAIT_SECONDS_MAX = 30
/** The longest time that one request passes over events of other types. */
const SCAN_MAX_MS = 5_000

export const readEvents = operation({
  route: 'GET /events',
  id: 'readEvents',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Event feed',
  description:
    'The events of the account, oldest first, for programs that ask instead of receiving webhooks. Events are recorded from the first call of an account on, unless that call has `subscribe=false`; `recording` says whether they are. Ask again with `next` as `after`: nothing is left out or told twice. With `wait`, the answer comes as soon as there is something to tell.',
  query: Type.Object({
    ...FeedQuery,
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
    wait: Type.Integer({
      minimum: 0,
      maximum: WAIT_SECONDS_MAX,
      default: 0,
      description: 'Seconds to wait for something to happen.'
    })
  }),
  answer: Type.Object(
    {
      items: Type.Array(FeedItemView),
      next: Type.String({ description: 'The cursor of the next call. Its form may change: keep it as it is.' }),
      recording: Type.Boolean({
        description: 'Whether events of all types are recorded for this account from now on.'
      })
    },
    { $id: 'EventFeed' }
  ),
  example: { answer: { items: [feedItemExample], next: 'NzQyLjM', recording: true } },
  refusals: { rate_limited: 'Too many requests of this account wait already.' },
  async handle({ caller: { accountId }, query, database, beginWait }) {
    const types = readTypes(query.types)
    let after = readCursor(query.after)
    const gone = query.wait > 0 ? beginWait() : undefined
    if (query.subscribe) await insertFeedSubscriptions(database, accountId)
    const recording = query.subscribe || (await hasFeedSubscriptions(database, accountId))
    const startedMs = performance.now()
    while (true) {
      const { events, position, isMore } = await listEventsAfter(database, {
        accountId,
        after,
        types,
        limit: query.limit
      })
      after = position
      const waitedMs = performance.now() - startedMs
      const isEnough = isMore ? waitedMs >= SCAN_MAX_MS : !gone || gone.aborted || waitedMs >= query.wait * 1000
      if (events.length > 0 || isEnough) return { items: events.map(toFeedItem), next: toCursor(after), recording }
      if (gone && !isMore) await pause(FEED_POLL_MS, gone)
    }
  }
})
