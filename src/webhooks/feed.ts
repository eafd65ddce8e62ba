import { setTimeout as sleep } from 'node:timers/promises'
import Type, { type Static } from 'typebox'
import { invalidInput } from '../errors.ts'
import { EVENT_TYPES, type EventType } from './event-type.ts'

/** The position of a reader of the feed: after this event. */
export interface Position {
  /** A 64-bit number, as text. */
  transactionId: string
  id: number
}

export interface FeedEvent extends Position {
  type: EventType
  record: object
  createdAt: Date
}

/** Before everything: PostgreSQL gives the first transaction the number 3. */
export const START: Position = { transactionId: '2', id: 0 }

export const FEED_POLL_MS = 250

export const FeedQuery = {
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The `next` of an answer, or the id of an event in a stream. Without it, from the oldest event kept.'
    })
  ),
  subscribe: Type.Boolean({
    default: true,
    description:
      'Whether to turn on the recording of events for this account, for good. With `false` the answer has only events that are recorded anyway.'
  }),
  types: Type.Optional(
    Type.String({ maxLength: 255, description: `Only these, separated by commas, of ${EVENT_TYPES.join(', ')}.` })
  )
}

export const FeedItemView = Type.Object(
  {
    id: Type.Integer(),
    type: Type.Enum(EVENT_TYPES),
    timestamp: Type.String({ format: 'date-time' }),
    data: Type.Object({}, { additionalProperties: true, description: 'The record that webhooks get, and `sequence`.' })
  },
  { $id: 'Event' }
)

export function toFeedItem({ id, type, createdAt, record }: FeedEvent): Static<typeof FeedItemView> {
  return { id, type, timestamp: createdAt.toISOString(), data: record }
}

export const feedItemExample: Static<typeof FeedItemView> = {
  id: 3,
  type: 'clicks',
  timestamp: '2026-11-15T09:30:00.000Z',
  data: {
    message_id: 7,
    recipient: '+33639980001',
    url: 'https://shop.example/winter',
    timestamp: '2026-11-15T09:30:00.000Z',
    sequence: 3
  }
}

export function toCursor({ transactionId, id }: Position): string {
  return Buffer.from(`${transactionId}.${id}`).toString('base64url')
}

const TRANSACTION_MAX = 2n ** 64n - 1n

/** Reads a cursor; undefined is the beginning. */
export function readCursor(text: string | undefined): Position {
  if (text === undefined) return START
  const parts = /^(\d{1,20})\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))
  const [, transactionId = '', id = ''] = parts ?? []
  if (!parts || BigInt(transactionId) > TRANSACTION_MAX) {
    throw invalidInput([{ path: 'after', message: 'must be a `next` cursor, or an event id from the stream' }])
  }
  return { transactionId, id: Number(id) }
}

/** All types, if none is named. */
export function readTypes(text: string | undefined): EventType[] {
  const names = (text ?? '').split(',').flatMap((name) => name.trim() || [])
  const known = names.filter((name): name is EventType => (EVENT_TYPES as readonly string[]).includes(name))
  if (known.length < names.length) {
    throw invalidInput([{ path: 'types', message: `must be some of ${EVENT_TYPES.join(', ')}, separated by commas` }])
  }
  return known.length === 0 ? [...EVENT_TYPES] : known
}

/** Waits a little, or until the client has gone. */
export async function pause(ms: number, gone: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: gone }).catch(() => undefined) // It rejects when the signal comes, which only ends the wait.
}
