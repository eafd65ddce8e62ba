import type { Static, TSchema } from 'typebox'
import type { InputProblem, RefusalCode } from '../errors.ts'

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

/** What a declaration says of an operation, whatever its kind. */
export interface Description<
  Route extends string,
  Body extends TSchema,
  Query extends TSchema,
  Answer extends TSchema
> {
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
  /**
   * Whether an open operation answers a repeat under its Idempotency-Key although `prepare` refuses it by now, as those with
   * credentials do: a link that works once is used up by the first request. Never for a log-in, which proves itself anew.
   */
  usedLinkRepeats?: true
}

/** How requests with an Idempotency-Key share a transaction. Its work stores their answers by their `sharedKey`. */
export interface Shared<Body, Query, Answer> {
  /** Whether a request does. Any other has a transaction of its own. */
  takes(request: { body: Body; query: Query }): boolean
  /** The answer, when the balance has so many credits more than it tells. */
  correct(answer: Answer, difference: number): Answer
}

/** Bodies are small, unless an operation says otherwise. */
const BODY_BYTES_MAX = 1024 * 1024

/** Fills in what a declaration leaves out. */
export function describe(declared: Description<string, TSchema, TSchema, TSchema>): Described {
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
    missing: declared.missing as Described['missing'],
    bodyBytesMax: declared.bodyBytesMax ?? BODY_BYTES_MAX,
    isLongWork: declared.isLongWork !== undefined && declared.isLongWork !== false,
    isLongFor: typeof declared.isLongWork === 'function' ? declared.isLongWork : () => declared.isLongWork === true,
    shared: declared.shared as Described['shared'],
    anyCallerRepeats: declared.anyCallerRepeats ?? false,
    usedLinkRepeats: declared.usedLinkRepeats ?? false
  }
}

/** What operations of every kind have. */
export interface Described {
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
  /** Whether a link that is used up by now may be repeated under its Idempotency-Key. */
  usedLinkRepeats: boolean
}
