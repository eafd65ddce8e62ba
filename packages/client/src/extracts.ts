import type { Routes } from './api-types.ts'
import type { CallOptions, Client, Input, Route } from './client.ts'
import { ConnectionError } from './errors.ts'

/** Operations that answer everything as one array, streamed. */
export type ExtractRoute = Extract<Route, `GET ${string}extract` | 'GET /consents/by-number/{number}'>
export type Row<R extends ExtractRoute> = Routes[R]['answer'] extends (infer Each)[] ? Each : never

/** The rows of a full extract as they arrive: memory stays flat, however many there are. */
export async function* extract<R extends ExtractRoute>(
  client: Client,
  route: R,
  input: Input<R>,
  options?: CallOptions
): AsyncGenerator<Row<R>, void, undefined> {
  const { body } = await client.open(route, input, options)
  if (body) for await (const text of parseRows(chunksOf(body, options?.signal))) yield JSON.parse(text) as Row<R>
}

/** A full extract as CSV: its bytes as they arrive, with a first line of field names. */
export async function extractCsv<R extends ExtractRoute>(
  client: Client,
  route: R,
  input: Input<R>,
  options?: CallOptions
): Promise<ReadableStream<Uint8Array>> {
  const { body } = await client.open(route, input, { ...options, accept: 'text/csv' })
  return body ?? new ReadableStream({ start: (controller) => controller.close() })
}

/** Browsers can't all iterate a stream yet. */
async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined
): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        signal?.throwIfAborted()
        throw new ConnectionError('The extract ended before its last row.', { cause: error })
      })
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    // A caller that leaves early wants no more of it.
    await reader.cancel().catch(() => undefined)
  }
}

/** Splits the text of an array of objects into the texts of its objects. */
export async function* parseRows(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let row = ''
  let depth = 0
  let isInText = false
  let isEscaped = false
  for await (const chunk of chunks) {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const sign = chunk[at]
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (sign === '\\') isEscaped = true
        else if (sign === '"') isInText = false
      } else if (sign === '"') isInText = true
      else if (sign === '[' || sign === '{') {
        depth++
        if (depth === 2) start = at
      } else if (sign === ']' || sign === '}') {
        depth--
        if (depth !== 1) continue
        yield row + chunk.slice(start, at + 1)
        row = ''
        start = chunk.length
      }
    }
    if (depth > 1) row += chunk.slice(start)
  }
  if (depth !== 0) throw new ConnectionError('The extract ended before its last row.')
}
