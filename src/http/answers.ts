import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import { type EventBatches, toEventStream } from './event-stream.ts'
import { type Chunks, type HoldAnswer, toCsvStream, toJsonStream } from './extract.ts'
import type { Operation } from './operation.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Sets the type of an answer, and returns its JSON. */
export type Serialise = (reply: FastifyReply, answer: unknown) => string

/**
 * Writes an answer with what its schema declares, and nothing else. The first answer compiles the schema: to compile those of
 * all operations takes half of a start.
 */
export function answerSerialiser({ answer: schema }: Operation): Serialise {
  let serialise: Compiled | undefined
  return (reply, answer) => {
    serialise ??= compile(reply, schema)
    reply.type(JSON_TYPE)
    return serialise(answer as Parameters<Compiled>[0])
  }
}

type Compiled = ReturnType<FastifyReply['compileSerializationSchema']>

/** By schema, for all services of a process: tests start many. */
const compiled = new WeakMap<TSchema, Compiled>()

function compile(reply: FastifyReply, schema: TSchema): Compiled {
  const serialise = compiled.get(schema) ?? reply.compileSerializationSchema({ ...withoutNames(schema) })
  compiled.set(schema, serialise)
  return serialise
}

/** Removes the names of schemas: the serialiser would take them for addresses. */
function withoutNames(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) => (key === '$id' ? undefined : value))
}

export async function sendExtract(
  reply: FastifyReply,
  chunks: Chunks,
  { row, isCsv, hold }: { row: TSchema; isCsv: boolean; hold: HoldAnswer }
): Promise<FastifyReply> {
  return isCsv
    ? reply.type('text/csv; charset=utf-8').send(await toCsvStream(chunks, { row, hold }))
    : reply.type(JSON_TYPE).send(await toJsonStream(chunks, hold))
}

export async function sendEvents(reply: FastifyReply, batches: EventBatches): Promise<FastifyReply> {
  // Without the second header, nginx would hold events back until its buffer is full.
  return reply
    .type('text/event-stream; charset=utf-8')
    .header('x-accel-buffering', 'no')
    .send(await toEventStream(batches))
}
