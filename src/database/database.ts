import type { Server, ServerKind } from './connection.ts'
import { serversOf, toOptions } from './hosts.ts'
import { joinLineage } from './lineage.ts'
import { createListener, type Listener } from './listen.ts'
import { ConnectionPool } from './pool.ts'
import { poolNameOf, poolTimes, showPool } from './pool-metrics.ts'
import { isDistributed } from './shape.ts'
import { createSql, type Runner, type Sql, type Statement } from './sql.ts'
import { DISK_FULL, noteFailure, onReadOnly, READ_ONLY, refuseFull, refuseHeld, refuseReadOnly } from './storage.ts'
import { runTransaction, type TransactionOptions } from './transaction.ts'
import { watch } from './watch.ts'

export type { Sql } from './sql.ts'

/**
 * The pool, or a transaction that stands in for it. `begin` inside a transaction opens a savepoint, so an operation
 * need not know whether it runs inside one (with an Idempotency-Key it does).
 */
export interface Database extends Sql {
  /** Whether statements here are part of a transaction. */
  readonly isTransaction: boolean
  begin<T>(work: (database: Database) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Does this work when all other work of the transaction is done; outside of a transaction, at once. Its statements
   * leave together with the commit: the rows that they lock are free again a moment later. So they must not wait for
   * each other's answers.
   */
  atEnd(work: (sql: Sql) => Promise<unknown>): Promise<void>
  /** Does this after the commit, and not at all without one; outside of a transaction, at once. It must not throw. */
  afterCommit(work: () => void): void
}

export interface Pool extends Database, Runner {
  /**
   * Calls `onNotify` for every NOTIFY on the channel. `onListening` is called at the beginning, and after each gap:
   * some may have been missed.
   */
  listen(channel: string, onNotify: (payload: string) => void, onListening?: () => void): Promise<void>
  /** Wakes the processes that listen on the channel. */
  signal(channel: string): Promise<void>
  /** Rejects, with a sentence, while the database can't be reached or can't store anything. */
  check(): Promise<void>
  /** Ends all connections, after at most `timeoutSeconds` for the queries that still run. */
  close(timeoutSeconds: number): Promise<void>
}

export interface SocketUrl {
  socketFolder: string
  user: string
  database: string
}

export interface ConnectOptions {
  /**
   * A connection URL, of one host or several of which one takes writes, or the folder of the embedded server's socket.
   */
  url: string | SocketUrl
  applicationName: string
  connectionsMax: number
  /**
   * For workers that look up rows by their keys, hundreds at a time: always by an index, and by a plan that is made
   * once. Left to itself, the planner reads a whole table of 100,000 rows for 400 of them, which took six times as
   * long.
   */
  isLookupOnly?: boolean
  /** Whether a statement ends after 30 s; it does, unless this is false. */
  hasTimeLimit?: boolean
  /** What the server must be; a primary, unless another kind is asked for. */
  kind?: ServerKind
  onNotice?: (notice: string) => void
}

const LOOKUP_ONLY = {
  // A process that is frozen in the middle of a transaction must not keep others from taking over for long.
  idle_in_transaction_session_timeout: 10_000,
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off'
}

/** Of a distributed table, Citus can't plan every statement in general: the server has ended by a segmentation fault. */
const GENERIC_PLANS = { plan_cache_mode: 'force_generic_plan' }

/**
 * Citus stores rows of several accounts over one connection to each node. By default it opens one for each account, prepares a
 * commit on each of them, and closes all but one at the end of the transaction: 20 accounts took ten times the CPU of one.
 */
const ONE_CONNECTION_A_NODE = { 'citus.multi_shard_modify_mode': 'sequential' }

/** No statement of an API request takes longer; past it the request is answered 503 and its locks are free again. */
const STATEMENT_TIMEOUT_MS = 30_000
/** A transaction that waits for our own code this long has lost its owner. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000

export function connect({ url, connectionsMax, kind = 'primary', onNotice, ...session }: ConnectOptions): Pool {
  const where = JSON.stringify([kind, url])
  const servers = sessionsOf(url, session)
  const onFailure = (error: { code?: string | undefined }) => noteFailure(where, error)
  let listener: Listener | undefined
  const leaveOlder = (timeline: number) => {
    for (const connection of [...connections.connections, listener?.connection]) {
      if ((connection?.timeline ?? timeline) < timeline) connection?.destroy()
    }
  }
  // The embedded server has no standby.
  const lineage = kind === 'primary' && typeof url === 'string' ? joinLineage(where, leaveOlder) : undefined
  const times = poolTimes(poolNameOf(session.applicationName))
  const guarded = { kind, onFailure, ...(lineage && { lineage }) }
  const connections = new ConnectionPool(servers, connectionsMax, {
    ...guarded,
    times,
    ...(onNotice && { onNotice })
  })
  const stopShowing = showPool(poolNameOf(session.applicationName), connections)
  const stopWatching = watch({
    connections: () => connections.connections,
    server: () => connections.server
  })
  const stopLeaving = onReadOnly(where, () => {
    for (const connection of connections.connections) connection.destroy()
    listener?.leave()
  })
  const sql = createSql(connections)
  const pool: Pool = Object.assign(sql, {
    isTransaction: false,
    run: (statement: Statement) => connections.run(statement),
    copyFrom: (text: string) => connections.copyFrom(text),
    begin: <T>(work: (database: Database) => Promise<T>, options?: TransactionOptions) =>
      connections.use((connection) => runTransaction(connection, work, options)),
    async atEnd(work: (sql: Sql) => Promise<unknown>) {
      await work(sql)
    },
    afterCommit(work: () => void) {
      work()
    },
    async listen(channel: string, onNotify: (payload: string) => void, onListening: () => void = () => undefined) {
      listener ??= createListener(servers, { ask: (sql) => refuseReadOnly(where, sql), ...guarded })
      await listener.add({ channel, onNotify, onListening })
    },
    async signal(channel: string) {
      await sql`select pg_notify(${channel}, '')`
    },
    async check() {
      await refuseReadOnly(where, sql)
      await refuseHeld(sql)
      await refuseFull(where, pool)
    },
    async close(timeoutSeconds: number) {
      await listener?.stop()
      await connections.end(timeoutSeconds * 1000)
      stopWatching()
      stopShowing()
      stopLeaving()
      lineage?.leave()
    }
  })
  return pool
}

function sessionsOf(
  url: ConnectOptions['url'],
  {
    applicationName,
    isLookupOnly,
    hasTimeLimit = true
  }: Pick<ConnectOptions, 'applicationName' | 'isLookupOnly' | 'hasTimeLimit'>
): Server[] {
  const servers = typeof url === 'string' ? serversOf(url) : [socketServer(url)]
  return servers.map((server) =>
    withSettings(server, applicationName, {
      statement_timeout: hasTimeLimit ? STATEMENT_TIMEOUT_MS : 0,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      ...(isLookupOnly && LOOKUP_ONLY),
      ...(isLookupOnly && !isDistributed() && GENERIC_PLANS),
      ...(isDistributed() && ONE_CONNECTION_A_NODE)
    })
  )
}

/** The embedded server, which listens on a socket in its folder. */
export function socketServer({ socketFolder, user, database }: SocketUrl): Server {
  return { host: socketFolder, port: SOCKET_PORT, user, database, ssl: false }
}

/** A setting in the URL counts before ours: of two, PostgreSQL takes the last. */
function withSettings(server: Server, applicationName: string, settings: Record<string, string | number>): Server {
  const options = [toOptions(Object.entries(settings)), server.options]
  return { ...server, application_name: applicationName, options: options.filter(Boolean).join(' ') }
}

/**
 * Lifts the limit on the time of a statement for this transaction: a million rows are not stored in 30 s everywhere.
 */
export async function liftStatementTimeout(sql: Sql): Promise<void> {
  await sql`set local statement_timeout = 0`
}

/**
 * Makes this transaction the one that gives up in a deadlock. Its statements wait for a lock half as long as the server
 * waits before it looks for a deadlock (`deadlock_timeout`).
 */
export async function giveUpInDeadlocks(sql: Sql): Promise<void> {
  // Else only the coordinator would have the setting, and a statement would wait at a worker.
  if (isDistributed()) await sql`set local citus.propagate_set_commands = 'local'`
  await sql`set local lock_timeout = '500ms'`
}

/** Makes the statements of this transaction look up rows by their keys only, as a pool with `isLookupOnly` does. */
export async function lookUpOnly(sql: Sql): Promise<void> {
  await sql`
    select set_config(name, 'off', true)
    from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as setting (name)
  `
}

/** PostgreSQL names its socket file after a port, also when it listens on no port at all. */
export const SOCKET_PORT = 5432

/** Whether an error says that the database can't be used right now, as opposed to a query that is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && UNAVAILABLE_CODES.test(code)
}

// PostgreSQL classes 08 (connection), 53 (resources: disk full, too many connections), 57 (shutting down, cancelled by
// a timeout), 55P03 (lock timeout), 40001 and 40P01 (conflicts that a repeat solves), 25P03 (idle in transaction),
// 25006 (a standby, or a server that was made read-only); then the codes of failure.ts and of sockets.
const UNAVAILABLE_CODES =
  /^(08...|53...|57...|55P03|40001|40P01|25P03|25006|CONNECTION_(CLOSED|ENDED)|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/

/** Whether a server that answers could not store what it was given: its disk is full, or it takes no writes. */
export function isUnstorable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === DISK_FULL || code === READ_ONLY
}

/** Whether a statement gave up because of others: it waited too long, or in a deadlock. */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === '57014' || code === '55P03' || code === '40001' || code === '40P01'
}

/** The constraint that refused a write, if the error says so. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string }
  return code?.startsWith('23') ? constraint : undefined
}
