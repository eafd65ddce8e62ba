import { Readable } from 'node:stream'
import Type, { type TSchema } from 'typebox'
import type { Caller } from './caller.ts'
import { type Description, describe } from './description.ts'
import type { Operation } from './operation.ts'
import type { PermissionNeeded } from './permission.ts'
import type { Request } from './request.ts'

/*
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): an answer that goes on, for
 * clients that come back by themselves and say with `Last-Event-ID` how far they got.
 */

/** Declares an answer of server-sent events. */
export function eventStream<const Route extends `GET /${string}`, Query extends TSchema = Type.TUnknown>(
  declared: EventStream<Route, Query>
): Operation {
  const answer = Type.String()
  return {
    ...describe({ ...declared, answer } as unknown as Description<string, TSchema, TSchema, TSchema>),
    isOpen: false,
    permission: declared.permission,
    isForSetup: false,
    row: undefined,
    pdf: undefined,
    isEventStream: true,
    file: undefined,
    callback: undefined,
    prepare: undefined,
    handle: declared.handle as unknown as Operation['handle']
  }
}

/** A stream of events: the handler yields batches as they come, and ends when the client is gone. */
type EventStream<R extends string, Q extends TSchema> = Omit<
  Description<R, Type.TUnknown, Q, Type.TString>,
  'answer' | 'body' | 'bodyBytesMax' | 'isLongWork'
> & {
  permission: PermissionNeeded
  handle(request: Request<R, Type.TUnknown, Q> & { caller: Caller; lastEventId: string | undefined }): EventBatches
}

export interface ServerSentEvent {
  /** The id that a client sends as `Last-Event-ID` when it comes back. */
  id: string
  type: string
  data: object
}

/** Batches as they come. While there are no events, empty batches come often enough for heartbeats. */
export type EventBatches = AsyncIterable<readonly ServerSentEvent[]>

/** Proxies cut connections that are silent for a minute, some after 30 s. */
const HEARTBEAT_MS = 15_000
const RETRY_MS = 2_000

/** The first batch is read before anything is sent, so that a failure can still be answered with an error status. */
export async function toEventStream(
  batches: EventBatches,
  { heartbeatMs = HEARTBEAT_MS }: { heartbeatMs?: number } = {}
): Promise<Readable> {
  const rest = batches[Symbol.asyncIterator]()
  const first = await rest.next()
  return Readable.from(toText(first, rest, heartbeatMs), { objectMode: false })
}

async function* toText(
  first: IteratorResult<readonly ServerSentEvent[]>,
  rest: AsyncIterator<readonly ServerSentEvent[]>,
  heartbeatMs: number
): AsyncIterable<string> {
  yield `retry: ${RETRY_MS}\n\n`
  let writtenMs = performance.now()
  for (let batch = first; !batch.done; batch = await rest.next()) {
    if (batch.value.length > 0) yield batch.value.map(toLines).join('')
    else if (performance.now() - writtenMs >= heartbeatMs) yield ': nothing new\n\n'
    else continue
    writtenMs = performance.now()
  }
}

function toLines({ id, type, data }: ServerSentEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
