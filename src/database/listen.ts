import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, openFirst, type PoolOptions, type Server } from './connection.ts'
import { createSql, plainStatement, type Sql } from './sql.ts'
import { watch } from './watch.ts'

/* LISTEN on a connection of its own, which is renewed whenever it is lost. */

const RECONNECT_MS = 500
/** A connection that only listens would not notice that it is dead: so it asks something now and then. */
const ASK_MS = 5_000
const END_MS = 1_000

interface Listening extends Pick<PoolOptions, 'onFailure' | 'lineage'> {
  channel: string
  onNotify(payload: string): void
  /** Called when listening begins, and after each gap. */
  onListening(): void
  /** Asks the server for a sign of life. */
  ask(sql: Sql): Promise<unknown>
}

export interface Listener {
  /** The connection that listens, if there is one. */
  readonly connection: Connection | undefined
  /** Leaves a server that has become read-only, for the one that takes writes. */
  leave(): void
  stop(): Promise<void>
}

/** Listens on a connection of its own until it is stopped. */
export async function startListening(
  servers: readonly Server[],
  { channel, onNotify, onListening, ask, onFailure, lineage }: Listening
): Promise<Listener> {
  let isStopped = false
  let serverIndex = 0
  // Set once it listens: a connection that closes before that is an error of `listen`, and nothing to resume.
  let connection: Connection | undefined
  connection = await listen()
  const timer = setInterval(askNow, ASK_MS).unref()
  const stopWatching = watch({
    connections: () => (connection ? [connection] : []),
    server: () => servers[serverIndex] as Server
  })

  async function listen(): Promise<Connection> {
    const options = {
      onNotification: onNotify,
      onClose: (lost: Connection) => void resume(lost),
      ...(onFailure && { onFailure }),
      ...(lineage && { lineage })
    }
    const { connection, index } = await openFirst(servers, options, serverIndex)
    serverIndex = index
    try {
      await connection.run(plainStatement(`listen ${channel}`))
    } catch (error) {
      connection.destroy()
      throw error
    }
    onListening()
    return connection
  }

  function askNow(): void {
    // After a failure the connection closes, which calls `resume`.
    if (connection) ask(createSql(connection)).catch(() => undefined)
  }

  async function resume(lost: Connection): Promise<void> {
    if (lost !== connection) return
    connection = undefined
    while (!isStopped) {
      await sleep(RECONNECT_MS)
      if (isStopped) return
      try {
        const opened = await listen()
        if (isStopped) await opened.close(END_MS)
        else connection = opened
        return
      } catch {
        // The database is still away. Statements of the pool fail too, and that is logged.
      }
    }
  }

  return {
    get connection() {
      return connection
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
