import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TSchema } from 'typebox'
import type { Database, Pool, Sql } from '../database/database.ts'
import type { Act, Author } from './act.ts'
import type { SharedKey } from './idempotency.ts'
import type { PathParameters } from './path-parameters.ts'

/** What a handler gets. */
export interface Request<Route extends string, Body extends TSchema, Query extends TSchema> {
  params: PathParameters<Route>
  body: Static<Body>
  query: Static<Query>
  /** Where to read and write. With an Idempotency-Key, a transaction that also stores the answer, unless it is shared. */
  database: Database
  /** The Idempotency-Key of a request that shares a transaction, which stores the answer. */
  sharedKey: SharedKey | undefined
  /** Runs once the work is committed and before the answer leaves; not at all if the request is refused. */
  afterCommit(work: () => void | Promise<void>): void
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
  params: PathParameters<Route>
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

/** A request before its body: path and headers. */
export interface Arrival<Route extends string> {
  params: PathParameters<Route>
  headers: IncomingHttpHeaders
  /** The first value of each parameter. */
  query: Readonly<Record<string, string>>
  /** The announced length of the body; the longest allowed where none is announced. */
  bodyBytes: number
}
