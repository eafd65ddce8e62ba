import type { EventRecords, Routes } from './api-types.ts'
import type { CallOptions, Client } from './client.ts'

export type EventType = keyof EventRecords

/** An event of the feed. Its `type` tells what `data` is. */
export type FeedEvent = {
  [Type in EventType]: { id: number; type: Type; timestamp: string; data: EventRecords[Type] }
}[EventType]

export interface FeedOptions extends CallOptions {
  /** Where to go on: the `next` of a page. Without it, from the oldest event that is kept. */
  after?: string | undefined
  types?: readonly EventType[] | undefined
  /** Leaves out what happened before. */
  fromNow?: boolean | undefined
  /** How long the service waits for something to happen before it answers. Default: 25. */
  waitSeconds?: number | undefined
}

export interface FeedPage {
  items: FeedEvent[]
  /** The position after these events. Keep it once you are done with them. */
  next: string
}

const WAIT_SECONDS = 25
const ANSWER_MS = 30_000
const PAGE_SIZE = 500

/** The events of the account as they happen, without end. Nothing is left out or told twice. */
export async function* events(client: Client, options: FeedOptions = {}): AsyncGenerator<FeedEvent, void, undefined> {
  for await (const { items } of eventPages(client, options)) yield* items
}

/** The same in pages, each with the position to go on from after a restart. */
export async function* eventPages(
  client: Client,
  { after: start, types, fromNow = false, waitSeconds = WAIT_SECONDS, ...options }: FeedOptions = {}
): AsyncGenerator<FeedPage, void, undefined> {
  let after = start
  const read = async (wait: number) => {
    const query = { after, types: types?.join(','), limit: PAGE_SIZE, wait } as Routes['GET /events']['query']
    const timeoutMs = options.timeoutMs ?? wait * 1000 + ANSWER_MS
    const page = (await client.call('GET /events', { query }, { ...options, timeoutMs })) as unknown as FeedPage
    after = page.next
    return page
  }
  if (fromNow) while ((await read(0)).items.length > 0);
  for (;;) {
    const page = await read(waitSeconds)
    if (page.items.length > 0) yield page
  }
}
