import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, FIRST_TRIES, openFirst, type PoolOptions, type Server } from './connection.ts'
import { failure, isStaleStatement } from './failure.ts'
import type { Rows, Runner, Statement } from './sql.ts'

/*
 * Connections that statements and transactions take turns on, opened when they are needed. The pool is our own: pg-pool
 * knows a single host, and takes a standby for a server that can be written to.
 */

const BACKOFF_FIRST_MS = 50
const BACKOFF_MAX_MS = 1_000

export class ConnectionPool implements Runner {
  readonly #servers: readonly Server[]
  readonly #options: PoolOptions
  readonly #max: number
  readonly #all = new Set<Connection>()
  readonly #idle: Connection[] = []
  readonly #waiting: (PromiseWithResolvers<Connection> & { sinceMs: number })[] = []
  #openingCount = 0
  /** Attempts to connect that failed since the last one that did not. */
  #failureCount = 0
  #serverIndex = 0
  #hasConnected = false
  #isEnded = false
  #onChange: () => void = () => undefined

  constructor(servers: readonly Server[], max: number, options: PoolOptions) {
    this.#servers = servers
    this.#max = max
    this.#options = options
  }

  /** All connections that are open. */
  get connections(): Iterable<Connection> {
    return this.#all
  }

  /** Connections that are open, and statements or transactions that wait for one. */
  get load(): { open: number; idle: number; waiting: number } {
    return { open: this.#all.size, idle: this.#idle.length, waiting: this.#waiting.length }
  }

  /** The server that the last connection was opened to. */
  get server(): Server {
    return this.#servers[this.#serverIndex] as Server
  }

  run(statement: Statement): Promise<Rows> {
    return this.use(async (connection) => {
      try {
        return await connection.run(statement)
      } catch (error) {
        if (!isStaleStatement(error)) throw error
        // The server has done nothing of it yet. Parsed anew, it fits the tables as they are now.
        return connection.run({ ...statement, isPrepared: false })
      }
    })
  }

  async copyFrom(text: string): Promise<Writable> {
    const connection = await this.#acquire()
    try {
      const rows = await connection.copyFrom(text)
      rows.once('close', () => this.#release(connection))
      return rows
    } catch (error) {
      this.#release(connection)
      throw error
    }
  }

  /** Lends a connection; nobody else's statements run on it meanwhile. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire()
    try {
      return await work(connection)
    } finally {
      this.#release(connection)
    }
  }

  /** Ends all connections, after at most `timeoutMs` for what still runs. */
  async end(timeoutMs: number): Promise<void> {
    this.#isEnded = true
    const isBusy = () => this.#waiting.length > 0 || this.#idle.length < this.#all.size
    if (isBusy() && timeoutMs > 0) {
      const quiet = new Promise<void>((resolve) => {
        this.#onChange = () => isBusy() || resolve()
      })
      await Promise.race([quiet, sleep(timeoutMs, undefined, { ref: false })])
    }
    this.#refuseAll(connectionEnded())
    await Promise.all([...this.#all].map((connection) => connection.close(0)))
  }

  #acquire(): Connection | Promise<Connection> {
    if (this.#isEnded) return Promise.reject(connectionEnded())
    const idle = this.#idle.pop()
    if (idle) return idle
    const waiting = { ...Promise.withResolvers<Connection>(), sinceMs: performance.now() }
    this.#waiting.push(waiting)
    this.#openMore()
    return waiting.promise
  }

  #release(connection: Connection): void {
    if (connection.isClosed) this.#remove(connection)
    else if (connection.isAsking) void this.#releaseWhenQuiet(connection)
    else if (connection.isWorn) {
      this.#remove(connection)
      void connection.close(0)
    } else {
      const next = this.#waiting.shift()
      if (next) {
        this.#options.times?.waits.observe((performance.now() - next.sinceMs) / 1000)
        next.resolve(connection)
      } else this.#idle.push(connection)
    }
    this.#onChange()
  }

  /** Work may fail while some of its statements still run. */
  async #releaseWhenQuiet(connection: Connection): Promise<void> {
    await connection.run({ text: 'select', values: [], isPrepared: false }).catch(() => undefined)
    this.#release(connection)
  }

  #openMore(): void {
    const hasRoom = () => this.#all.size + this.#openingCount < this.#max
    while (this.#openingCount < this.#waiting.length && hasRoom() && !this.#isEnded) void this.#open()
  }

  async #open(): Promise<void> {
    this.#openingCount++
    try {
      if (this.#failureCount > 0) await sleep(backoffMs(this.#failureCount))
      const connection = await this.#connect()
      this.#openingCount--
      this.#failureCount = 0
      this.#hasConnected = true
      this.#all.add(connection)
      this.#release(connection)
      if (this.#isEnded && this.#waiting.length === 0) void connection.close(0)
    } catch (error) {
      this.#openingCount--
      this.#failureCount++
      // All are told now: one after the other, each would wait for an attempt of its own.
      if (this.#all.size === 0 && !this.#isTriedAgain(error)) this.#refuseAll(error as Error)
      this.#openMore()
    }
  }

  #isTriedAgain(error: unknown): boolean {
    const isLate = (error as { code?: string }).code === 'CONNECT_TIMEOUT'
    return isLate && !this.#hasConnected && this.#failureCount < FIRST_TRIES
  }

  async #connect(): Promise<Connection> {
    const onClose = (connection: Connection) => this.#remove(connection)
    const { connection, index } = await openFirst(this.#servers, { ...this.#options, onClose }, this.#serverIndex)
    this.#serverIndex = index
    return connection
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection)) return
    const index = this.#idle.indexOf(connection)
    if (index >= 0) this.#idle.splice(index, 1)
    this.#openMore()
    this.#onChange()
  }

  #refuseAll(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

function connectionEnded(): Error {
  return failure('CONNECTION_ENDED', 'the connections are being closed')
}

function backoffMs(failureCount: number): number {
  return Math.min(BACKOFF_FIRST_MS * 2 ** (failureCount - 1), BACKOFF_MAX_MS)
}
