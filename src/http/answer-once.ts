import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../database/database.ts'
import { JSON_TYPE, type Serialise } from './answers.ts'
import { type Caller, NO_ACCOUNT } from './caller.ts'
import type { AnswerOnce, SharedKey, Sharing } from './idempotency.ts'
import type { Input } from './input.ts'
import type { Operation } from './operation.ts'

/** The work of a request with an Idempotency-Key. */
interface KeyedWork {
  operation: Operation
  answerOnce: AnswerOnce
  serialise: Serialise
  key: string
  database: Database
  input: Input
  work(database: Database, sharedKey?: SharedKey): unknown
}

/** Does the work, or answers with the JSON that was stored for this key. */
export async function answerOnceTo(
  request: FastifyRequest,
  reply: FastifyReply,
  { operation, answerOnce, serialise, key, database, input, work }: KeyedWork
): Promise<string> {
  const { query, body, given, file } = input
  const caller = request.caller && !operation.anyCallerRepeats ? nameOf(request.caller) : undefined
  const { json, isReplayed } = await answerOnce({
    database,
    accountId: request.caller?.accountId ?? NO_ACCOUNT.accountId,
    key,
    request: {
      method: request.method,
      url: request.url,
      body: file ? { ...(given as object), file: file.sha256 } : given,
      caller
    },
    work: async (database, sharedKey) => serialise(reply, await work(database, sharedKey)),
    sharing: operation.shared?.takes({ body, query })
      ? toSharing(operation.shared, (answer) => serialise(reply, answer))
      : undefined
  })
  if (isReplayed) reply.header('idempotent-replayed', 'true')
  reply.type(JSON_TYPE)
  return json
}

/** A rotated first key is still the same caller; any other key, or the same person from another account, is not. */
function nameOf({ personId, keyId, viewedFrom }: Caller): string {
  return JSON.stringify([personId, keyId, viewedFrom])
}

function toSharing(shared: NonNullable<Operation['shared']>, serialise: Sharing['serialise']): Sharing {
  return {
    serialise,
    correct: (json, difference) => serialise(shared.correct(JSON.parse(json), difference))
  }
}
