import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, FIRST_TRIES, openFirst, type PoolOptions, type Server } from './connection.ts'
import { createSql, plainStatement, type Sql } from './sql.ts'
import { watch } from './watch.ts'

/* LISTEN on one connection for all channels of a pool. The connection is renewed whenever it is lost. */

const RECONNECT_MS = 500
/** A connection that only listens would not notice that it is dead: so it asks something now and then. */
const ASK_MS = 5_000
const END_MS = 1_000

interface Listening extends Pick<PoolOptions, 'onFailure' | 'lineage'> {
  /** Asks the server for a sign of life. */
  ask(sql: Sql): Promise<unknown>
}

/** A part of the service that listens on a channel. */
export interface Subscriber {
  channel: string
  onNotify(payload: string): void
  /** Called when listening begins, and after each gap. */
  onListening(): void
}

export interface Listener {
  /** The connection that listens, if there is one. */
  readonly connection: Connection | undefined
  /** Rejects if the first connection can't be opened. A later one is opened as soon as the server is there again. */
  add(subscriber: Subscriber): Promise<void>
  /** Leaves a server that has become read-only, for the one that takes writes. */
  leave(): void
  stop(): Promise<void>
}

export function createListener(servers: readonly Server[], { ask, ...guard }: Listening): Listener {
  const subscribers: Subscriber[] = []
  let isStopped = false
  let serverIndex = 0
  // Set once it listens: a connection that closes before that is an error of `open`, and nothing to resume.
  let connection: Connection | undefined
  let resuming: Promise<void> | undefined
  // One after the other, so that only one of them opens the connection.
  let adding: Promise<void> = Promise.resolve()
  const timer = setInterval(askNow, ASK_MS).unref()
  const stopWatching = watch({
    connections: () => (connection ? [connection] : []),
    server: () => servers[serverIndex] as Server
  })

  async function open(): Promise<Connection> {
    const options = { onNotification: tell, onClose: onLost, ...guard }
    const { connection: opened, index } = await openFirst(servers, options, serverIndex)
    serverIndex = index
    try {
      await opened.run(plainStatement(subscribers.map(toListen).join('; ')))
    } catch (error) {
      opened.destroy()
      throw error
    }
    for (const { onListening } of subscribers) onListening()
    return opened
  }

  function tell(channel: string, payload: string): void {
    for (const subscriber of subscribers) if (subscriber.channel === channel) subscriber.onNotify(payload)
  }

  function askNow(): void {
    // After a failure the connection closes, which calls `onLost`.
    if (connection) ask(createSql(connection)).catch(() => undefined)
  }

  function take(opened: Connection): void {
    connection = opened
    // It was lost while its owner was told.
    if (opened.isClosed) onLost(opened)
  }

  function onLost(lost: Connection): void {
    if (lost !== connection) return
    connection = undefined
    resuming = resume()
  }

  async function resume(): Promise<void> {
    while (!isStopped) {
      await sleep(RECONNECT_MS)
      if (isStopped) return
      try {
        const opened = await open()
        if (isStopped) await opened.close(END_MS)
        else take(opened)
        return
      } catch {
        // The database is still away. Statements of the pool fail too, and that is logged.
      }
    }
  }

  async function addNow(subscriber: Subscriber): Promise<void> {
    while (subscribers.length > 0 && !connection && !isStopped) await resuming
    if (connection) {
      await connection.run(plainStatement(toListen(subscriber)))
      subscribers.push(subscriber)
      subscriber.onListening()
      return
    }
    subscribers.push(subscriber)
    try {
      take(await openAtFirst(open))
    } catch (error) {
      subscribers.pop()
      throw error
    }
  }

  return {
    get connection() {
      return connection
    },
    add(subscriber) {
      const added = adding.then(() => addNow(subscriber))
      adding = added.catch(() => undefined)
      return added
    },
    leave: () => connection?.destroy(),
    async stop() {
      isStopped = true
      clearInterval(timer)
      stopWatching()
      await connection?.close(END_MS)
    }
  }
}

function toListen({ channel }: Subscriber): string {
  return `listen ${channel}`
}

async function openAtFirst(open: () => Promise<Connection>): Promise<Connection> {
  for (let tries = 1; ; tries++) {
    try {
      return await open()
    } catch (error) {
      if (tries === FIRST_TRIES) throw error
      await sleep(RECONNECT_MS)
    }
  }
}
