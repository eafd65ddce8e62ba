import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CopyIn } from './copy-in.ts'
import { failure, isStaleStatement, toClosedFailure, toConnectFailure } from './failure.ts'
import type { LineageGuard } from './lineage.ts'
import type { PoolTimes } from './pool-metrics.ts'
import { type KnownColumns, PreparedQuery } from './prepared-query.ts'
import { isDistributed } from './shape.ts'
import type { Rows, Runner, Statement } from './sql.ts'
import { READ_ONLY } from './storage.ts'
import { TYPES } from './types.ts'
import { completeError } from './worker-errors.ts'

/*
 * One connection to PostgreSQL, over node-postgres. Statements that do not wait for each other travel together, and are
 * answered in their order. When the connection closes, every statement that waits for an answer fails.
 */

const CONNECT_TIMEOUT_MS = 5_000
/** Of the first connection of a pool or a listener: a busy server may take too long, and a start must not fail for that. */
export const FIRST_TRIES = 3
/** Firewalls forget connections that are silent for some minutes. */
const KEEP_ALIVE_MS = 60_000
/** After a goodbye, how long the server may take to close its end. */
const GOODBYE_MS = 1_000
/** A process of the server grows with each statement that it prepares: it is renewed after 30 to 60 minutes. */
const LIFETIME_MIN_MS = 30 * 60_000
/** More texts than the code has; the texts past it are not prepared. */
const NAMES_MAX = 5_000
/** The routine of PostgreSQL that warns when a commit's wait for the synchronous standby is cancelled. */
const UNCONFIRMED_COMMIT = 'SyncRepWaitForLSN'

/** How to reach a server. */
export interface Server extends pg.ClientConfig {
  /** Whether a server without TLS will do, although TLS is asked for. */
  isPlainAllowed?: boolean
}

export interface ConnectionOptions {
  connectTimeoutMs?: number
  onNotice?(notice: string): void
  onNotification?(channel: string, payload: string): void
  /** Called for each statement that the server refuses. */
  onFailure?(error: { code?: string | undefined }): void
  /** Where the times of statements are noted. */
  times?: PoolTimes
  /** Called once, however the connection closed, also for one that never opened. */
  onClose?(connection: Connection): void
}

/** What a server must be for a pool to use it. */
export type ServerKind = 'primary' | 'standby' | 'any'

export interface PoolOptions extends ConnectionOptions {
  /** A primary, unless another kind is asked for. */
  kind?: ServerKind
  /** Refuses old primaries. */
  lineage?: LineageGuard
}

/** Connects to the first server that may be used, beginning with the one at `firstIndex`. */
export async function openFirst(
  servers: readonly Server[],
  options: PoolOptions,
  firstIndex = 0
): Promise<{ connection: Connection; index: number }> {
  await options.lineage?.survey(servers)
  for (let tried = 0; ; tried++) {
    const index = (firstIndex + tried) % servers.length
    try {
      return { connection: await openFitting(servers[index] as Server, options), index }
    } catch (error) {
      // A wrong password is wrong everywhere; a server that starts, stops, is full or is gone may have a neighbour.
      const isFinal = error instanceof pg.DatabaseError && !/^5[37]/.test(error.code ?? '')
      if (isFinal || tried === servers.length - 1) throw error
    }
  }
}

async function openFitting(server: Server, options: PoolOptions): Promise<Connection> {
  const connection = await openConnection(server, options)
  // The watch of the pool begins later: without this timer, a server that falls silent now is waited for without an end.
  const timer = setTimeout(() => connection.destroy(), options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS)
  try {
    refuseOtherKind(connection, options.kind ?? 'primary')
    await options.lineage?.admit(connection)
    return connection
  } catch (error) {
    connection.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function refuseOtherKind(connection: Connection, kind: ServerKind): void {
  if (kind === 'primary' && connection.isReadOnly) {
    throw failure(READ_ONLY, 'the server takes no writes: it is a standby, or read-only')
  }
  if (kind === 'standby' && !connection.isStandby) {
    throw failure('08004', 'the server is no standby')
  }
}

export async function openConnection(server: Server, options: ConnectionOptions = {}): Promise<Connection> {
  const client = new pg.Client({
    ...server,
    pipeline: true,
    types: TYPES,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS
  })
  const connection = new Connection(client, options)
  try {
    await client.connect()
    return connection
  } catch (error) {
    connection.destroy()
    const isWithoutTls = (error as Error).message === 'The server does not support SSL connections'
    if (isWithoutTls && server.isPlainAllowed) return openConnection({ ...server, ssl: false }, options)
    throw toConnectFailure(error)
  }
}

export class Connection implements Runner {
  /** The timeline of the server, if its pool asks for it. */
  timeline: number | undefined
  readonly #client: pg.Client
  readonly #options: ConnectionOptions
  readonly #wornAt = performance.now() + LIFETIME_MIN_MS * (1 + Math.random())
  /** The server's settings that it reports by itself. */
  readonly #reported = new Map<string, string>()
  readonly #knownColumns: KnownColumns = new Map()
  #waitingCount = 0
  #copy: CopyIn | undefined
  #isCorked = false
  #isStale = false
  #isUnconfirmed = false
  #isClosing = false
  #isClosed = false
  #onQuiet: () => void = () => undefined

  constructor(client: pg.Client, options: ConnectionOptions) {
    this.#client = client
    this.#options = options
    // Statements that wait are rejected by node-postgres itself.
    client.on('error', () => {
      this.destroy()
      this.#closed()
    })
    client.once('end', () => this.#closed())
    client.on('notice', ({ message, routine }) => {
      if (routine === UNCONFIRMED_COMMIT) this.#isUnconfirmed = true
      options.onNotice?.(message ?? '')
    })
    client.on('notification', ({ channel, payload }) => options.onNotification?.(channel, payload ?? ''))
    // Before the client's own listener, which makes rows with these names.
    client.connection.prependListener('rowDescription', ({ fields }: { fields: { name: string }[] }) => {
      for (const field of fields) field.name = toCamel(field.name)
    })
    client.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      this.#reported.set(parameterName, parameterValue)
    })
  }

  /** Whether statements wait for their answers. */
  get isAsking(): boolean {
    return this.#waitingCount > 0
  }

  get isReadOnly(): boolean {
    return this.#reported.get('default_transaction_read_only') === 'on' || this.isStandby
  }

  get isStandby(): boolean {
    // Since PostgreSQL 14 a standby says so by in_hot_standby alone.
    return this.#reported.get('in_hot_standby') === 'on'
  }

  /** Whether a new connection should take its place: its prepared statements are out of date, or its time is over. */
  get isWorn(): boolean {
    return this.#isStale || performance.now() > this.#wornAt
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get socket(): Socket {
    return this.#client.connection.stream as Socket
  }

  /** The process of the server that serves this connection. */
  get pid(): number | null {
    return (this.#client as unknown as { processID: number | null }).processID
  }

  async run(statement: Statement): Promise<Rows> {
    // A statement in the middle of a COPY would be taken for one of its rows.
    while (this.#copy) await this.#copy.ended.catch(() => undefined)
    return this.#ask(statement)
  }

  async copyFrom(text: string): Promise<Writable> {
    while (this.#copy) await this.#copy.ended.catch(() => undefined)
    const copy = new CopyIn(text, (error) => this.#noted(error))
    this.#copy = copy
    this.#begin()
    const over = () => {
      if (this.#copy === copy) this.#copy = undefined
      this.#end()
    }
    copy.ended.then(over, over)
    this.#client.query(copy)
    return copy.open()
  }

  /** Ends a COPY that nobody will complete. */
  abortCopy(): void {
    this.#copy?.abort()
  }

  /** Waits up to `timeoutMs` for the statements that run, and says goodbye. */
  async close(timeoutMs: number): Promise<void> {
    if (this.isAsking && timeoutMs > 0) {
      const quiet = new Promise<void>((resolve) => {
        this.#onQuiet = resolve
      })
      await Promise.race([quiet, sleep(timeoutMs, undefined, { ref: false })])
    }
    this.#isClosing = true
    if (!this.isAsking && !this.#isClosed) {
      await Promise.race([this.#client.end(), sleep(GOODBYE_MS, undefined, { ref: false })])
    }
    this.destroy()
  }

  /** Closes the connection at once. Statements that wait fail. */
  destroy(): void {
    this.#isClosing = true
    this.socket.destroy()
  }

  #ask({ text, values, isPrepared }: Statement): Promise<Rows> {
    const { promise, resolve, reject } = Promise.withResolvers<Rows>()
    this.#begin()
    this.#cork()
    const askedAtMs = performance.now()
    const answered = (error: Error | null, answer: Answer | Answer[]) => {
      this.#end()
      this.#options.times?.statements.observe((performance.now() - askedAtMs) / 1000)
      const isUnconfirmed = this.#isUnconfirmed
      this.#isUnconfirmed = false
      if (error) reject(this.#noted(error))
      else if (isUnconfirmed) reject(unconfirmedCommit())
      else resolve(toRows(answer))
    }
    const name = isPrepared ? nameOf(text) : undefined
    const query =
      name === undefined
        ? new pg.Query(text, values, answered as never)
        : new PreparedQuery({ name, text, values }, this.#knownColumns, answered)
    this.#client.query(query as pg.Query)
    return promise
  }

  /**
   * Statements that are asked for in the same turn of the event loop leave in one write. The `commit` of a transaction is
   * asked for by promises that resolve one tick after the statements of its end, and leaves with them.
   */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    const { socket } = this
    socket.cork()
    const uncork = () => {
      this.#isCorked = false
      socket.uncork()
    }
    process.nextTick(() => queueMicrotask(() => process.nextTick(uncork)))
  }

  #begin(): void {
    this.#waitingCount++
  }

  #end(): void {
    this.#waitingCount--
    if (this.#waitingCount === 0) this.#onQuiet()
  }

  #closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#options.onClose?.(this)
  }

  #noted(error: Error): Error {
    if (isStaleStatement(error)) this.#isStale = true
    if (error instanceof pg.DatabaseError) {
      if (isDistributed()) completeError(error)
      this.#options.onFailure?.(error)
    }
    return this.#isClosing || this.#isClosed || this.socket.destroyed ? toClosedFailure(error) : error
  }
}

type Answer = Pick<pg.QueryResult, 'rows' | 'rowCount'>

/** A text without parameters may hold several statements; the answer of the last one counts. */
function toRows(answer: Answer | Answer[]): Rows {
  const { rows, rowCount } = (Array.isArray(answer) ? answer.at(-1) : answer) as Answer
  // Not enumerable: rows compare and serialise as a plain array.
  return Object.defineProperty(rows, 'count', { value: rowCount ?? 0 }) as unknown as Rows
}

/** PostgreSQL answers such a commit with a success and a warning. A failover would lose it, so it counts as failed. */
function unconfirmedCommit(): Error {
  return failure('08007', 'the commit was not confirmed by the synchronous standby')
}

const statementNames = new Map<string, string>()

/** The name under which a text is prepared, the same on every connection. */
function nameOf(text: string): string | undefined {
  const known = statementNames.get(text)
  if (known !== undefined || statementNames.size >= NAMES_MAX) return known
  const name = `s${statementNames.size + 1}`
  statementNames.set(text, name)
  return name
}

const camelNames = new Map<string, string>()

function toCamel(column: string): string {
  let name = camelNames.get(column)
  if (name === undefined) {
    name = column.replaceAll(/(?<=.)_(.)/g, (_, letter: string) => letter.toUpperCase())
    if (camelNames.size < NAMES_MAX) camelNames.set(column, name)
  }
  return name
}
