import type { IncomingHttpHeaders } from 'node:http'
import type Type from 'typebox'
import type { Static, TSchema } from 'typebox'
import type { Caller } from './caller.ts'
import { type Described, type Description, describe, type Method } from './description.ts'
import type { PermissionNeeded } from './permission.ts'
import type { Arrival, Preparation, Request } from './request.ts'
import type { UploadedFile } from './uploaded-file.ts'

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

/** An operation without its types, as the frame serves it. */
export interface Operation extends Described {
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
  callback: CallbackTerms<string, unknown> | undefined
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

/** How another system calls an operation. */
export interface CallbackTerms<Route extends string, Admitted> {
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
  admit(arrival: Arrival<Route>): Admitted
}
