import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { ConnectionShares } from '../database/connection-shares.ts'
import type { Database, Pool, Sql } from '../database/database.ts'
import type { ReadReplicas } from '../database/read-replicas.ts'
import { type InputProblem, invalidInput, Refusal } from '../errors.ts'
import { coerceText } from '../schemas/coerce.ts'
import { findUnstorable } from '../schemas/unstorable.ts'
import { type Validator, validator } from '../schemas/validate.ts'
import type { Act, Author, RecordAct } from './act.ts'
import { announcedBytes } from './announced-bytes.ts'
import { namedFormOf, refuseOtherForms } from './answer-forms.ts'
import { readBody } from './bodies.ts'
import { PlainText } from './callback.ts'
import type { Authenticate, Caller } from './caller.ts'
import { nothingThere } from './error-answers.ts'
import { type EventBatches, toEventStream } from './event-stream.ts'
import { withExampleValues } from './example-values.ts'
import { type Chunks, toCsvStream, toJsonStream } from './extract.ts'
import { type AnswerOnce, NOBODY, readIdempotencyKey, type SharedKey, type Sharing } from './idempotency.ts'
import { Upload } from './multipart.ts'
import type { Operation } from './operation.ts'
import { type LoadShedding, NO_ACCOUNT } from './overload.ts'
import { TEXT_PARAMETERS } from './path-parameters.ts'
import { refusalOf as refusalOfCaller } from './permission.ts'
import type { RequestRates } from './request-rates.ts'
import type { Turns } from './turns.ts'
import type { UploadedFile } from './uploaded-file.ts'
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
  serialise(reply: FastifyReply, answer: unknown): string
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

function findCaller(
  { operation, authenticate, rates }: Served,
  { request, reply, done }: { request: FastifyRequest; reply: FastifyReply; done: (error?: Error) => void }
): void {
  const admit = (caller: Caller) => {
    const refusal = refusalOfCaller(operation, caller) ?? takePlace(rates, caller, reply)
    if (!refusal) request.caller = caller
    done(refusal)
  }
  if (operation.callback) {
    const refusal = refusalOf(operation.callback, request)
    // Its body is not wanted, and may never come.
    if (refusal) reply.header('connection', 'close')
    done(refusal)
  } else if (operation.isOpen) done()
  else {
    const caller = authenticateNow(authenticate, request)
    if (caller instanceof Promise) caller.then(admit, done)
    else admit(caller)
  }
}

/** Counts a request of an account that may make only so many a second, and tells it how many are left. */
function takePlace(rates: RequestRates, caller: Caller, reply: FastifyReply): Refusal | undefined {
  if (caller.limits.length === 0) return undefined
  const taken = rates.take(caller)
  if (taken) reply.headers(taken.headers)
  return taken?.refusal
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
  { params, query, body, file, given }: Input,
  { operation, authenticate, recordAct, pool, shares, replicas, answerOnce, waits, serialise }: Served,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply }
): Promise<unknown> {
  const takesKey = operation.method !== 'GET' && !operation.callback
  const key = takesKey ? readIdempotencyKey(request.headers['idempotency-key']) : undefined
  // Null for an open operation, whose type has no caller.
  const caller = request.caller as Caller
  const author = authorOf(operation, request)
  const record = (sql: Sql, act: Act = {}) => recordAct(sql, author, act)
  const prepared =
    operation.prepare &&
    (await operation.prepare({
      params,
      query,
      body,
      caller,
      pool,
      address: request.ip,
      agent: request.headers['user-agent'] ?? '',
      origin: `${request.protocol}://${request.host}`,
      headers: request.headers,
      record
    }))
  refuseOtherForms(operation, request.headers.accept)
  const form = namedFormOf(operation, request.headers.accept)
  const pdf = form === 'application/pdf' ? operation.pdf : undefined
  const handle = pdf ? pdf.write : operation.handle
  let committed: (() => void)[] = []
  const work = (database: Database, sharedKey?: SharedKey) => {
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
      : await answerOnceTo(request, reply, {
          answerOnce,
          database,
          key,
          caller: request.caller && !operation.anyCallerRepeats ? nameOf(request.caller) : undefined,
          body: file ? { ...(given as object), file: file.sha256 } : given,
          work: async (database, sharedKey) => serialise(reply, await work(database, sharedKey)),
          sharing: operation.shared?.takes({ body, query })
            ? toSharing(operation.shared, (answer) => serialise(reply, answer))
            : undefined
        })
  if (operation.method !== 'GET' && request.caller?.personId) replicas?.noteWrite(request.caller.personId)
  for (const work of committed) work()
  if (key !== undefined) return answer
  if (operation.isEventStream) return sendEvents(reply, answer as EventBatches)
  if (answer instanceof PlainText) return reply.type(answer.type).send(answer.text)
  if (pdf) return reply.type('application/pdf').send(answer)
  if (!operation.row) return serialise(reply, answer)
  return form === 'text/csv'
    ? reply.type('text/csv; charset=utf-8').send(await toCsvStream(answer as Chunks, operation.row))
    : reply.type(JSON_TYPE).send(await toJsonStream(answer as Chunks))
}

type Work = (database: Database) => unknown

/** A replica may not have what its reader has just made. So what is missing there is looked for at the primary. */
async function readReplicaFirst(
  work: Work,
  { replica, primary }: { replica: Database; primary: Database },
  { isExtract }: { isExtract: boolean }
): Promise<unknown> {
  if (isExtract) return readChunks(work, { replica, primary })
  try {
    return await work(replica)
  } catch (error) {
    if (!isNotFound(error)) throw error
    return work(primary)
  }
}

/** The first chunk tells whether the replica has it. */
async function* readChunks(work: Work, { replica, primary }: { replica: Database; primary: Database }): Chunks {
  let chunks = (work(replica) as Chunks)[Symbol.asyncIterator]()
  let chunk = await chunks.next().catch((error) => {
    if (!isNotFound(error)) throw error
    chunks = (work(primary) as Chunks)[Symbol.asyncIterator]()
    return chunks.next()
  })
  for (; !chunk.done; chunk = await chunks.next()) yield chunk.value
}

function isNotFound(error: unknown): boolean {
  return error instanceof Refusal && error.status === 404
}

function refusalOf({ admit }: NonNullable<Operation['callback']>, request: FastifyRequest): Error | undefined {
  try {
    const params = readParams(request.params as Record<string, string>)
    const query = firstValues(request.query as Record<string, string | string[]>)
    request.admitted = admit({ params, headers: request.headers, query, bodyBytes: announcedBytes(request) })
    return undefined
  } catch (error) {
    return error as Error
  }
}

function firstValues(query: Record<string, string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat()[0] ?? '']))
}

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

function authenticateNow(authenticate: Authenticate, request: FastifyRequest): Caller | Promise<Caller> {
  try {
    return authenticate(request)
  } catch (error) {
    return Promise.reject(error)
  }
}

const REVOKED_LOOK_MS = 500

/** Aborts when the credentials of a waiting request have ended since it came, or its account is suspended. */
function whenRevoked(
  { operation, authenticate }: Pick<Served, 'operation' | 'authenticate'>,
  request: FastifyRequest,
  reply: FastifyReply
): AbortSignal {
  const controller = new AbortController()
  const timer = setInterval(() => {
    Promise.resolve(authenticateNow(authenticate, request)).then(
      (caller) => {
        if (refusalOfCaller(operation, caller)) controller.abort()
      },
      (error) => {
        // Any other error, such as a database out of reach, says nothing about the credentials.
        if (error instanceof Refusal && (error.status === 401 || error.status === 403)) controller.abort()
      }
    )
  }, REVOKED_LOOK_MS).unref()
  reply.raw.once('close', () => clearInterval(timer))
  return controller.signal
}

interface Input {
  params: Record<string, string | number>
  query: unknown
  body: unknown
  /** The body as it came, with properties that the operation does not take. */
  given: unknown
  file: UploadedFile | undefined
}

async function sendEvents(reply: FastifyReply, batches: EventBatches): Promise<FastifyReply> {
  // Without the second header, nginx would hold events back until its buffer is full.
  return reply
    .type('text/event-stream; charset=utf-8')
    .header('x-accel-buffering', 'no')
    .send(await toEventStream(batches))
}

function lastEventIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Does the work, or answers with the JSON that was stored for this key. */
async function answerOnceTo(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: {
    answerOnce: AnswerOnce
    database: Database
    key: string
    caller: string | undefined
    body: unknown
    work(database: Database, sharedKey?: SharedKey): Promise<string>
    sharing: Sharing | undefined
  }
): Promise<string> {
  const { json, isReplayed } = await parts.answerOnce({
    database: parts.database,
    accountId: request.caller?.accountId ?? NOBODY,
    key: parts.key,
    request: { method: request.method, url: request.url, body: parts.body, caller: parts.caller },
    work: parts.work,
    sharing: parts.sharing
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

/** Reads and checks path, query and body. All problems of one of them are answered together. */
function inputReader(operation: Operation): (request: FastifyRequest) => Input {
  const query = operation.query && { read: queryReader(operation.query), validate: validator(operation.query) }
  const body = operation.body && { schema: operation.body, validate: validator(operation.body) }
  return (request) => {
    const file = request.body instanceof Upload ? request.body.file : undefined
    const noFile = operation.file !== undefined && !file ? [NO_FILE] : NONE
    const given = body && readBody(request, body.schema, { isChange: operation.method === 'PUT' })
    const missing = isObject(given) ? together(operation.missing?.(given) ?? NONE, misplaced(given, operation)) : NONE
    return {
      params: readParams(request.params as Record<string, string>),
      query: query && check(query.validate, query.read(request)),
      body:
        body &&
        onlyDeclared(
          check(body.validate, given, { found: together(missing, noFile), example: operation.example.body }),
          body.schema
        ),
      given,
      file
    }
  }
}

const NO_FILE: InputProblem = {
  path: 'file',
  message: 'is missing: add a part named file that has a file name, such as people.csv'
}
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const NONE: readonly InputProblem[] = []

/** Nearly always there are none. */
function together(some: readonly InputProblem[], others: readonly InputProblem[]): readonly InputProblem[] {
  return some.length + others.length === 0 ? NONE : [...some, ...others]
}

function check<T>(
  validate: Validator<T>,
  value: unknown,
  { found = NONE, example }: { found?: readonly InputProblem[]; example?: unknown } = {}
): T {
  const validation = validate(value)
  if ('problems' in validation) throw invalidInput([...withExampleValues(validation.problems, example), ...found])
  if (found.length > 0) throw invalidInput([...found])
  return validation.value
}

/** An id that is no positive whole number does not exist: the answer is a 404. */
function readParams(params: Record<string, string>): Record<string, string | number> {
  const read: Record<string, string | number> = {}
  for (const [name, text] of Object.entries(params)) {
    const isText = TEXT_PARAMETERS.has(name)
    if (isText ? text.includes('\0') : !/^[1-9]\d{0,14}$/.test(text)) {
      throw nothingThere()
    }
    read[name] = isText ? text : Number(text)
  }
  return read
}

function queryReader(schema: TSchema): (request: FastifyRequest) => unknown {
  const { properties = {} } = schema as { properties?: Record<string, { default?: unknown }> }
  const defaults: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties))
    if ('default' in property) defaults[name] = property.default
  return (request) => {
    const query = { ...defaults }
    if (!request.url.includes('?')) return query
    for (const [name, value] of readSpellings(request.query as object, properties)) query[name] = value
    const unstorable = request.url.includes('%00') ? findUnstorable(schema, query) : undefined
    if (unstorable) throw invalidInput([unstorable])
    return coerceText(schema, query)
  }
}

/**
 * Parameters by their declared names. Other spellings count too (`resumebefore`, `resume_before`, `resumeBefore[]`,
 * `resumeBefore[0]`): an ignored one would send a message that was only to be previewed. Two spellings of one parameter
 * are refused, since they could contradict each other.
 */
function* readSpellings(given: object, properties: object): Iterable<[string, unknown]> {
  const declared = Object.keys(properties)
  const seen = new Set<string>()
  for (const [spelling, value] of Object.entries(given)) {
    const name = declared.find((name) => name === spelling || plain(name) === plain(spelling))
    if (name === undefined) continue
    if (seen.has(name)) throw invalidInput([{ path: name, message: 'must be given once' }])
    seen.add(name)
    yield [name, value]
  }
}

/** The letters and digits of a name in lower case, without brackets. */
function plain(spelling: string): string {
  return spelling
    .toLowerCase()
    .replace(/\[.*$/, '')
    .replaceAll(/[^a-z0-9]/g, '')
}

/** Parameters of the query that stand in the body: ignored, they would send a message that was only to be previewed. */
function misplaced(given: object, operation: Operation): readonly InputProblem[] {
  const inBody = propertiesOf(operation.body)
  if (Array.isArray(given) || hasOnly(given, inBody)) return NONE
  const inQuery = Object.keys(propertiesOf(operation.query))
  return Object.entries(given).flatMap(([spelling, value]) => {
    if (Object.hasOwn(inBody, spelling) || NOT_ASKED.has(value)) return []
    const name = inQuery.find((name) => plain(name) === plain(spelling))
    return name ? [{ path: spelling, message: `belongs in the query: ${operation.path}?${name}=true` }] : []
  })
}

/** Whether an object has no other properties than these. Nearly all bodies: the rest of the checks is then spared. */
function hasOnly(given: object, properties: object): boolean {
  for (const name of Object.keys(given)) if (!Object.hasOwn(properties, name)) return false
  return true
}

const NOT_ASKED: ReadonlySet<unknown> = new Set([null, false, 0, '', 'false', '0'])

function propertiesOf(schema: TSchema | undefined): object {
  return (schema as { properties?: object } | undefined)?.properties ?? {}
}

/**
 * Removes properties that the operation does not declare: a handler that passes its body on must not let a caller set
 * more. Only at the top: deeper down variables may have any name, and stores and rules take only the properties they
 * know.
 */
function onlyDeclared(value: unknown, schema: TSchema): unknown {
  const { properties } = schema as { properties?: object }
  if (!properties || !isObject(value) || Array.isArray(value) || hasOnly(value, properties)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(properties, name)))
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Writes an answer with what its schema declares, and nothing else. The first answer compiles the schema: to compile those of
 * all operations takes half of a start.
 */
function answerSerialiser({ answer: schema }: Operation): Served['serialise'] {
  let serialise: ((answer: Answer) => string) | undefined
  return (reply, answer) => {
    serialise ??= reply.compileSerializationSchema({ ...withoutNames(schema) })
    reply.type(JSON_TYPE)
    return serialise(answer as Answer)
  }
}

type Answer = Parameters<ReturnType<FastifyReply['compileSerializationSchema']>>[0]

/** Removes the names of schemas: the serialiser would take them for addresses. */
function withoutNames(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) => (key === '$id' ? undefined : value))
}
