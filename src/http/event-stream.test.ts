import { strict as assert } from 'node:assert'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type EventBatches, type ServerSentEvent, toEventStream } from './event-stream.ts'

const EVENT: ServerSentEvent = { id: 'a1', type: 'replies', data: { content: 'one\ntwo', name: 'é' } }
const LINES = 'id: a1\nevent: replies\ndata: {"content":"one\\ntwo","name":"é"}\n\n'

async function* batchesOf(...batches: ServerSentEvent[][]): EventBatches {
  yield* batches
}

test('events are written in the form of the specification, line breaks in their data made safe', async () => {
  const stream = await toEventStream(batchesOf([EVENT, EVENT], [], [EVENT]))
  assert.equal(await text(stream), `retry: 2000\n\n${LINES}${LINES}${LINES}`)
})

test('a stream with nothing to tell says so now and then', async () => {
  const silent = await toEventStream(batchesOf([], [EVENT], [], []), { heartbeatMs: 0 })
  const nothing = ': nothing new\n\n'
  assert.equal(await text(silent), `retry: 2000\n\n${nothing}${LINES}${nothing}${nothing}`)
})

test('a failure before the first event is told as a failure, and a later one breaks the stream off', async () => {
  async function* failing(...batches: ServerSentEvent[][]): EventBatches {
    yield* batches
    throw new Error('the database is gone')
  }
  await assert.rejects(toEventStream(failing()), /database is gone/)
  const stream = await toEventStream(failing([EVENT]))
  await assert.rejects(text(stream), /database is gone/)
})
