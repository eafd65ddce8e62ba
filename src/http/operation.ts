import type { IncomingHttpHeaders } from 'node:http'
import Type, { type Static, type TSchema } from 'typebox'
import type { Database, Pool, Sql } from '../database/database.ts'
import type { InputProblem, RefusalCode } from '../errors.ts'
import type { Act, Author } from './act.ts'
import type { Caller } from './caller.ts'
import type { EventBatches } from './event-stream.ts'
import type { SharedKey } from './idempotency.ts'
import type { PermissionNeeded } from './permission.ts'
import { UPLOAD_BYTES_MAX, type UploadedFile } from './upload.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The groups of the reference. Clients of the field know all but the last one by these names. */
export const TAGS = [
  'auth',
  'Utilisateur',
  'Messages',
  'Modèle',
  'Webhooks',
  'Stops',
  'Listes de contacts',
  'Contacts',
  'Sous-Comptes',
  'Beyond'
] as const

/** A place in a route such as `{id}` is an id, a number; these few are text. */
type TextParameter = 'number' | 'name' | 'code' | 'session' | 'agent' | 'month'
export const TEXT_PARAMETERS: ReadonlySet<string> = new Set([
  'number',
  'name',
  'code',
  'session',
  'agent',
  'month'
] satisfies TextParameter[])

type Parameters<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: K extends TextParameter ? string : number } & Parameters<Rest>
  : unknown

export interface Request<Route extends string, Body extends TSchema, Query extends TSchema> {
  params: Parameters<Route>
  body: Static<Body>
  query: Static<Query>
  /** Where to read and write. With an Idempotency-Key, a transaction that also stores the answer, unless it is shared. */
  database: Database
  /** The Idempotency-Key of a request that shares a transaction, which stores the answer. */
  sharedKey: SharedKey | undefined
  /** Runs once the work is committed and before the answer leaves; not at all if the request is refused. */
  afterCommit(work: () => void): void
  /** Whether the client has closed its connection. For long work that is better undone than stored in silence. */
  isGone(): boolean
  /** Lets the request wait. The signal aborts when the client has gone. Refused when too many requests wait. */
  beginWait(): AbortSignal
  /**
   * Writes what was done into the audit trail. Every operation that changes something calls it once, with the
   * transaction of its work: the entry exists exactly when the work does.
   */
  record(sql: Sql, act?: Act): Promise<void>
  /** The author of the request, for work that writes the entries of many requests together. */
  author: Author
}

/** The input of `prepare`, before the operation's transaction is opened. */
export interface Preparation<Route extends string, Body extends TSchema, Query extends TSchema> {
  params: Parameters<Route>
  body: Static<Body>
  query: Static<Query>
  pool: Pool
  /** The client's address, behind the proxies that we trust. */
  address: string
  /** The client's program, as it names itself. */
  agent: string
  /** The origin that the client asked, such as `https://sms.example.com`. */
  origin: string
  headers: IncomingHttpHeaders
  /** Writes into the audit trail what stays even if the request is refused, such as a failed log-in. */
  record(sql: Sql, act?: Act): Promise<void>
}

interface Description<Route extends string, Body extends TSchema, Query extends TSchema, Answer extends TSchema> {
  /** Method and path as OpenAPI writes them: `PUT /contacts/{id}`. */
  route: Route
  /** The operation's name in the OpenAPI document. */
  id: string
  tag: (typeof TAGS)[number]
  summary: string
  /** For the customer who reads the reference. */
  description: string
  body?: Body
  query?: Query
  answer: Answer
  /** A request and its answer that show how the operation is used. */
  example: { body?: Static<Body>; answer: Static<Answer>; others?: Readonly<Record<string, Static<Answer>>> }
  /** Whether another operation does the same, and programs should call that one. */
  isDeprecated?: true
  /** Refusals beyond those that come with credentials, input, ids and load. */
  refusals?: Partial<Record<RefusalCode, string>>
  /** Problems of a body beyond those that its schema finds; both are answered together. */
  missing?(body: Partial<Static<Body>>): InputProblem[]
  bodyBytesMax?: number
  /** Whether the work may take minutes, always or for some bodies. */
  isLongWork?: boolean | ((body: Static<Body>) => boolean)
  /**
   * Whether its answer may be some seconds old: then a read replica may give it. Never for an answer that decides
   * something: a balance, a STOP, a limit, a permission, a log-in.
   */
  mayLag?: true
  /** For an operation whose work can share a transaction with that of other requests. */
  shared?: Shared<Static<Body>, Static<Query>, Static<Answer>>
  /**
   * Whether any caller of the account may repeat a request under its Idempotency-Key. Only for sends: a program whose key
   * was rotated between two tries must learn that its message has left. Never for an answer with a secret.
   */
  anyCallerRepeats?: true
}

/** How requests with an Idempotency-Key share a transaction. Its work stores their answers by their `sharedKey`. */
export interface Shared<Body, Query, Answer> {
  /** Whether a request does. Any other has a transaction of its own. */
  takes(request: { body: Body; query: Query }): boolean
  /** The answer, when the balance has so many credits more than it tells. */
  correct(answer: Answer, difference: number): Answer
}

type Open<R extends string, B extends TSchema, Q extends TSchema, A extends TSchema, P> = Description<R, B, Q, A> & {
  /** Open to everybody: no credentials asked. */
  isOpen: true
  prepare?(preparation: Preparation<R, B, Q>): Promise<P>
  handle(request: Request<R, B, Q> & { prepared: P }): Promise<Static<A>>
}

type Closed<R extends string, B extends TSchema, Q extends TSchema, A extends TSchema, P> = Description<R, B, Q, A> & {
  isOpen?: false
  permission: PermissionNeeded
  /** Whether a session may ask for it that must set up its second factor first. */
  isForSetup?: true
  /**
   * Work before the transaction: slow work, and writes that must stay even if the request is refused, such as hashing
   * and checking passwords. Inside the transaction it would hold a connection while it waits for another.
   */
  prepare?(preparation: Preparation<R, B, Q> & { caller: Caller }): Promise<P>
  handle(request: Request<R, B, Q> & { caller: Caller; prepared: P }): Promise<Static<A>>
}

/** A full extract: the handler yields chunks of rows, and the answer is streamed as JSON or, if asked for, CSV. */
type Extract<R extends string, Row extends TSchema, Q extends TSchema> = Omit<
  Description<R, Type.TUnknown, Q, Type.TArray<Row>>,
  'answer' | 'body'
> & {
  permission: PermissionNeeded
  row: Row
  handle(request: Request<R, Type.TUnknown, Q> & { caller: Caller }): AsyncIterable<Static<Row>[]>
  /** The same as a report for people, if asked for. */
  pdf?: {
    description: string
    write(request: Request<R, Type.TUnknown, Q> & { caller: Caller }): Promise<Buffer>
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

/** An operation that takes a file beside its fields, as `multipart/form-data`. Its work may take minutes. */
type TakingFile<R extends string, B extends TSchema, Q extends TSchema, A extends TSchema> = Omit<
  Description<R, B, Q, A>,
  'bodyBytesMax' | 'isLongWork' | 'example' | 'shared'
> & {
  permission: PermissionNeeded
  /** The kinds of file, for the reference. */
  file: string
  example: { body: Static<B>; answer: Static<A>; others?: Readonly<Record<string, Static<A>>> }
  handle(request: Request<R, B, Q> & { caller: Caller; file: UploadedFile }): Promise<Static<A>>
}

/**
 * An operation that another system calls in a form of its own. It needs no credentials, since that system proves itself
 * in its own way, and it takes no Idempotency-Key.
 */
type Callback<R extends string, B extends TSchema, A extends TSchema, Admitted> = Omit<
  Description<R, B, Type.TUnknown, A>,
  'query'
> & {
  /** The headers that it reads, each with its purpose. */
  headers: Readonly<Record<string, string>>
  /** How that system proves itself: the `WWW-Authenticate` of a 401. */
  challenge: string
  /** When it answers with plain text instead of JSON. */
  plainText: string
  /** Whether `handle` gets the body as a RawBody: it is signed, or its form is the other system's. */
  isRaw?: true
  /**
   * Refuses requests that path and headers alone show to be wrong, before any of the body is read. What it finds, such as
   * the carrier that the path names, `handle` gets.
   */
  admit(arrival: Arrival<R>): Admitted
  handle(
    request: Request<R, B, Type.TUnknown> & { headers: IncomingHttpHeaders; admitted: Admitted }
  ): Promise<Static<A> | PlainText>
}

/** A request before its body: path and headers. */
export interface Arrival<Route extends string> {
  params: Parameters<Route>
  headers: IncomingHttpHeaders
  /** The first value of each parameter. */
  query: Readonly<Record<string, string>>
  /** The announced length of the body; the longest allowed where none is announced. */
  bodyBytes: number
}

/** An answer that is no JSON. */
export class PlainText {
  readonly text: string
  readonly type: string
  constructor(text: string, type = 'text/plain; charset=utf-8') {
    this.text = text
    this.type = type
  }
}

/** A body as it came, not parsed. */
export class RawBody {
  readonly text: string
  readonly form: 'json' | 'form'
  constructor(text: string, form: RawBody['form']) {
    this.text = text
    this.form = form
  }
}

/** An operation without its types, as the frame serves it. */
export interface Operation {
  method: Method
  path: string
  id: string
  tag: (typeof TAGS)[number]
  summary: string
  description: string
  body: TSchema | undefined
  query: TSchema | undefined
  answer: TSchema
  /** `others` are further answers, by what they are examples of. */
  example: { body?: unknown; answer: unknown; others?: Readonly<Record<string, unknown>> }
  isDeprecated: boolean
  refusals: Partial<Record<RefusalCode, string>>
  missing: ((body: object) => InputProblem[]) | undefined
  bodyBytesMax: number
  isLongWork: boolean
  /** Whether it takes long for this body. */
  isLongFor(body: unknown): boolean
  /** Whether its answer may be some seconds old. */
  mayLag: boolean
  shared: Shared<unknown, unknown, unknown> | undefined
  /** Whether any caller of the account may repeat a request under its Idempotency-Key. */
  anyCallerRepeats: boolean
  isOpen: boolean
  /** What the caller must be allowed to do; `any` for an open one. */
  permission: PermissionNeeded
  /** Whether a session may ask for it that must set up its second factor first. */
  isForSetup: boolean
  /** The schema of a row, if this is a full extract; `handle` then answers its chunks. */
  row: TSchema | undefined
  /** How a full extract is written as PDF, if it can be. */
  pdf: { description: string; write: Operation['handle'] } | undefined
  /** Whether its answer is a stream of events; `handle` then answers its batches. */
  isEventStream: boolean
  /** The kinds of file that it takes, if it takes one. */
  file: string | undefined
  /** Only for an operation that another system calls in its own form. */
  callback:
    | Pick<Callback<string, TSchema, TSchema, unknown>, 'headers' | 'challenge' | 'plainText' | 'isRaw' | 'admit'>
    | undefined
  prepare: ((preparation: Preparation<string, TSchema, TSchema> & { caller: Caller }) => Promise<unknown>) | undefined
  handle(
    request: Request<string, TSchema, TSchema> & {
      caller: Caller
      prepared: unknown
      file: UploadedFile | undefined
      lastEventId: string | undefined
      headers: IncomingHttpHeaders
      /** The result of `admit`. */
      admitted: unknown
    }
  ): unknown
}

/** Ids in bodies. JSON can't carry larger ones exactly, and there are none. */
export const ID_MAX = Number.MAX_SAFE_INTEGER

/** Bodies are small, unless an operation says otherwise. */
const BODY_BYTES_MAX = 1024 * 1024

/** Declares an operation. One description validates, documents and types it; `routes.ts` lists them all. */
export function operation<
  const Route extends `${Method} /${string}`,
  Body extends TSchema = Type.TUnknown,
  Query extends TSchema = Type.TUnknown,
  Answer extends TSchema = TSchema,
  Prepared = undefined
>(declared: Open<Route, Body, Query, Answer, Prepared> | Closed<Route, Body, Query, Answer, Prepared>): Operation {
  return {
    ...describe(declared as unknown as Description<string, TSchema, TSchema, TSchema>),
    isOpen: declared.isOpen ?? false,
    permission: declared.isOpen ? 'any' : declared.permission,
    isForSetup: declared.isOpen ? false : (declared.isForSetup ?? false),
    row: undefined,
    pdf: undefined,
    isEventStream: false,
    file: undefined,
    callback: undefined,
    // The frame validates against the same schemas that typed these two.
    prepare: declared.prepare as Operation['prepare'],
    handle: declared.handle as Operation['handle']
  }
}

/** Declares a full extract. */
export function extract<
  const Route extends `GET /${string}`,
  Row extends TSchema,
  Query extends TSchema = Type.TUnknown
>(declared: Extract<Route, Row, Query>): Operation {
  const answer = Type.Array(declared.row)
  return {
    ...describe({ ...declared, answer } as unknown as Description<string, TSchema, TSchema, TSchema>),
    isOpen: false,
    permission: declared.permission,
    isForSetup: false,
    row: declared.row,
    pdf: declared.pdf as unknown as Operation['pdf'],
    isEventStream: false,
    file: undefined,
    callback: undefined,
    prepare: undefined,
    handle: declared.handle as unknown as Operation['handle']
  }
}

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

/** Declares an operation that takes a file. */
export function upload<
  const Route extends `POST /${string}`,
  Body extends TSchema,
  Query extends TSchema = Type.TUnknown,
  Answer extends TSchema = TSchema
>(declared: TakingFile<Route, Body, Query, Answer>): Operation {
  return {
    ...describe(declared as unknown as Description<string, TSchema, TSchema, TSchema>),
    bodyBytesMax: UPLOAD_BYTES_MAX,
    isLongWork: true,
    isLongFor: () => true,
    isOpen: false,
    permission: declared.permission,
    isForSetup: false,
    row: undefined,
    pdf: undefined,
    isEventStream: false,
    file: declared.file,
    callback: undefined,
    prepare: undefined,
    handle: declared.handle as unknown as Operation['handle']
  }
}

/** Declares an operation that another system calls. */
export function callback<
  const Route extends `POST /${string}`,
  Body extends TSchema,
  Admitted,
  Answer extends TSchema = TSchema
>(declared: Callback<Route, Body, Answer, Admitted>): Operation {
  const { headers, challenge, plainText } = declared
  const admit = declared.admit as NonNullable<Operation['callback']>['admit']
  return {
    ...describe(declared as unknown as Description<string, TSchema, TSchema, TSchema>),
    isOpen: true,
    permission: 'any',
    isForSetup: false,
    row: undefined,
    pdf: undefined,
    isEventStream: false,
    file: undefined,
    callback: { headers, challenge, plainText, admit, ...(declared.isRaw && { isRaw: true }) },
    prepare: undefined,
    handle: declared.handle as unknown as Operation['handle']
  }
}

function describe(declared: Description<string, TSchema, TSchema, TSchema>) {
  const [method, path] = declared.route.split(' ') as [Method, string]
  return {
    method,
    path,
    id: declared.id,
    tag: declared.tag,
    summary: declared.summary,
    description: declared.description,
    body: declared.body,
    query: declared.query,
    answer: declared.answer,
    example: declared.example,
    isDeprecated: declared.isDeprecated ?? false,
    refusals: declared.refusals ?? {},
    mayLag: declared.mayLag ?? false,
    missing: declared.missing as Operation['missing'],
    bodyBytesMax: declared.bodyBytesMax ?? BODY_BYTES_MAX,
    isLongWork: declared.isLongWork !== undefined && declared.isLongWork !== false,
    isLongFor: typeof declared.isLongWork === 'function' ? declared.isLongWork : () => declared.isLongWork === true,
    shared: declared.shared as Operation['shared'],
    anyCallerRepeats: declared.anyCallerRepeats ?? false
  }
}
