import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ConnectionShares } from '../database/connection-shares.ts'
import type { Database, Pool, Sql } from '../database/database.ts'
import type { ReadReplicas } from '../database/read-replicas.ts'
import { Refusal } from '../errors.ts'
import type { Act, Author, RecordAct } from './act.ts'
import { namedFormOf, refuseOtherForms } from './answer-forms.ts'
import { answerOnceTo } from './answer-once.ts'
import { answerSerialiser, type Serialise, sendEvents, sendExtract } from './answers.ts'
import { PlainText } from './callback.ts'
import { type Authenticate, type Caller, NO_ACCOUNT } from './caller.ts'
import type { EventBatches } from './event-stream.ts'
import type { Chunks, HoldAnswer } from './extract.ts'
import { findCaller, whenRevoked } from './find-caller.ts'
import { type AnswerOnce, readIdempotencyKey, type SharedKey } from './idempotency.ts'
import { type Input, inputReader } from './input.ts'
import { Upload } from './multipart.ts'
import type { Operation } from './operation.ts'
import type { LoadShedding } from './overload.ts'
import { readReplicaFirst } from './read-replica-first.ts'
import type { RequestRates } from './request-rates.ts'
import type { Turns } from './turns.ts'
import type { Waits } from './waits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** What the `admit` of a callback has found. */
    admitted: unknown
  }
  interface FastifyContextConfig {
    /** The operation's id, for the log and the metrics. */
    operation?: string
    /** Whether it takes `multipart/form-data` with a file. */
    takesFile?: boolean
    /** Whether its work may take minutes. */
    isLongWork?: boolean
    /** Whether carriers call it, not customers. */
    isCallback?: boolean
    /** Whether its body is not parsed. */
    isRaw?: boolean
    /** The `WWW-Authenticate` of a 401, if the operation takes other credentials than usual. */
    challenge?: string | undefined
  }
}

/** The dependencies of all operations. */
export interface Serving {
  authenticate: Authenticate
  recordAct: RecordAct
  pool: Pool
  shares: ConnectionShares
  /** The replicas of the database, if there are any. */
  replicas?: ReadReplicas | undefined
  answerOnce: AnswerOnce
  load: LoadShedding
  longWorkTurns: Turns
  waits: Waits
  rates: RequestRates
}

/** An operation with its dependencies. */
interface Served extends Serving {
  operation: Operation
  readInput(request: FastifyRequest): Input
  serialise: Serialise
}

/** Serves one operation: finds the caller, reads the input, does the work, sends the answer. */
export function registerOperation(app: FastifyInstance, operation: Operation, serving: Serving): void {
  const served: Served = {
    ...serving,
    operation,
    readInput: inputReader(operation),
    serialise: answerSerialiser(operation)
  }
  const answer = operation.isLongWork ? answerInTurn : answerNow
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    bodyLimit: operation.bodyBytesMax,
    config: {
      operation: operation.id,
      takesFile: operation.file !== undefined,
      isLongWork: operation.isLongWork,
      isCallback: operation.callback !== undefined,
      isRaw: operation.callback?.isRaw === true,
      challenge: operation.callback?.challenge
    },
    // Before the body is read: without credentials, nobody sends us anything large.
    onRequest: (request, reply, done) => findCaller(served, { request, reply, done }),
    handler: (request, reply) => serving.load.run(reply, () => answer(served, request, reply))
  })
}

async function answerNow(served: Served, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return answerTo(served.readInput(request), served, { request, reply })
}

/** Long work waits for its turn, and removes the file that came with it, however it ends. */
async function answerInTurn(served: Served, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { operation, readInput, longWorkTurns } = served
  const upload = request.body instanceof Upload ? request.body : undefined
  if (operation.file !== undefined && request.body !== undefined && !upload) {
    throw new Refusal(415, 'unsupported_media_type', 'The body must be multipart/form-data with a part named file.')
  }
  try {
    const input = readInput(request)
    const work = () => answerTo(input, served, { request, reply })
    return await (operation.isLongFor(input.body) ? longWorkTurns(request.caller ?? NO_ACCOUNT, work) : work())
  } finally {
    await upload?.discard()
  }
}

async function answerTo(
  input: Input,
  { operation, authenticate, recordAct, pool, shares, replicas, answerOnce, load, waits, serialise }: Served,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply }
): Promise<unknown> {
  const { params, query, body, file } = input
  const takesKey = operation.method !== 'GET' && !operation.callback
  const key = takesKey ? readIdempotencyKey(request.headers['idempotency-key']) : undefined
  // Null for an open operation, whose type has no caller.
  const caller = request.caller as Caller
  const author = authorOf(operation, request)
  const record = (sql: Sql, act: Act = {}) => recordAct(sql, author, act)
  const preparation = { params, query, body, caller, pool, record }
  const { prepared, refusal } = operation.prepare
    ? await prepareFor(request, operation.prepare, {
        preparation,
        mayBeRepeat: key !== undefined && (request.caller !== null || operation.usedLinkRepeats)
      })
    : UNPREPARED
  refuseOtherForms(operation, request.headers.accept)
  const form = namedFormOf(operation, request.headers.accept)
  const pdf = form === 'application/pdf' ? operation.pdf : undefined
  const handle = pdf ? pdf.write : operation.handle
  let committed: (() => void | Promise<void>)[] = []
  const work = (database: Database, sharedKey?: SharedKey) => {
    if (refusal) throw refusal
    committed = []
    return handle({
      params,
      query,
      body,
      caller,
      prepared,
      file,
      database,
      sharedKey,
      lastEventId: operation.isEventStream ? lastEventIdOf(request) : undefined,
      headers: request.headers,
      admitted: request.admitted,
      record,
      author,
      afterCommit: (work) => committed.push(work),
      isGone: () => reply.raw.destroyed,
      beginWait: () =>
        AbortSignal.any([waits.begin(caller, reply), whenRevoked({ operation, authenticate }, request, reply)])
    })
  }
  const database = shares.databaseOf(request.caller?.topLevelId ?? NO_ACCOUNT.topLevelId)
  const replica = operation.mayLag ? replicas?.databaseFor(caller, database) : undefined
  const answer =
    key === undefined
      ? await (replica
          ? readReplicaFirst(work, { replica, primary: database }, { isExtract: operation.row !== undefined && !pdf })
          : work(database))
      : await answerOnceTo(request, reply, { operation, answerOnce, serialise, key, database, input, work })
  if (operation.method !== 'GET' && request.caller?.personId) replicas?.noteWrite(request.caller.personId)
  for (const work of committed) await work()
  if (key !== undefined) return answer
  if (operation.isEventStream) return sendEvents(reply, answer as EventBatches)
  if (answer instanceof PlainText) return reply.type(answer.type).send(answer.text)
  if (pdf) return reply.type('application/pdf').send(answer)
  const hold: HoldAnswer = (characters) => load.holdAnswer(reply, characters)
  const { row } = operation
  if (row) return sendExtract(reply, answer as Chunks, { row, isCsv: form === 'text/csv', hold })
  const json = serialise(reply, answer)
  // The work of a write is done, and must not be called refused.
  const full = operation.method === 'GET' ? hold(json.length) : undefined
  if (full) throw full
  return json
}

interface Prepared {
  prepared?: unknown
  refusal?: Refusal
}

const UNPREPARED: Prepared = {}

/**
 * Prepares the work. The refusal of what may be a repeat waits until it is known that the Idempotency-Key has no answer: the first
 * request may have used up what a repeat shows, such as a code, a link or the password that it changed.
 */
async function prepareFor(
  { ip, protocol, host, headers }: FastifyRequest,
  prepare: NonNullable<Operation['prepare']>,
  {
    preparation,
    mayBeRepeat
  }: {
    preparation: Pick<Preparing, 'params' | 'query' | 'body' | 'caller' | 'pool' | 'record'>
    mayBeRepeat: boolean
  }
): Promise<Prepared> {
  const agent = headers['user-agent'] ?? ''
  try {
    return { prepared: await prepare({ ...preparation, address: ip, agent, origin: `${protocol}://${host}`, headers }) }
  } catch (error) {
    if (!mayBeRepeat || !(error instanceof Refusal)) throw error
    return { refusal: error }
  }
}

type Preparing = Parameters<NonNullable<Operation['prepare']>>[0]

function authorOf({ id }: Operation, { caller, ip }: FastifyRequest): Author {
  return {
    operation: id,
    accountId: caller?.accountId ?? null,
    personId: caller?.personId ?? null,
    keyId: caller?.keyId ?? null,
    viewedFrom: caller?.viewedFrom ?? null,
    // Undefined for a connection that had ended before anybody asked.
    address: (ip as string | undefined) ?? ''
  }
}

function lastEventIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}
