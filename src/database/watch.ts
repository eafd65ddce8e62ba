import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Connection, openConnection, type Server } from './connection.ts'
import { plainStatement } from './sql.ts'

/*
 * Finds connections that are dead without having closed. A connection whose packets vanish looks just like one whose
 * server is still working: both are silent, and a million rows may take minutes. So the server itself is asked, over a
 * new connection, about the silent one. While the server works on its statement, the statement may take as long as it
 * takes. If the server does not, or can't be reached, the connection is cut and its statements fail.
 *
 * TCP is no help: Node can't set TCP_USER_TIMEOUT, without which unconfirmed packets are repeated for a quarter of an
 * hour; and a proxy answers keep-alive for a server that is gone.
 *
 * Silence is counted in ticks, not by the clock: a process that was stopped for a minute has not listened for one tick.
 */

const TICK_MS = 1_000
/**
 * A healthy server answers in milliseconds; only statements that wait for a lock or for many rows are ever asked about.
 */
const SILENT_TICKS = 5
/** While our own bytes are still leaving: 10 MB over a line of 3 Mbit/s. */
const SENDING_TICKS = 30
/** A server that is very busy takes seconds to let somebody in; one that has vanished lets nobody in, however long it is. */
const PROBE_CONNECT_MS = 8_000
const PROBE_ANSWER_TICKS = 5

/** Connections, and the server that they lead to. */
export interface Watched {
  connections(): Iterable<Connection>
  server(): Server
}

interface Mark {
  bytesRead: number
  silentTicks: number
}

/** Cuts dead connections. Returns a function that ends the watch. */
export function watch({ connections, server }: Watched): () => void {
  const marks = new Map<Connection, Mark>()
  let isProbing = false
  const timer = setInterval(tick, TICK_MS).unref()

  function tick(): void {
    let isSilenceLong = false
    const open = new Set(connections())
    for (const connection of marks.keys()) if (!open.has(connection)) marks.delete(connection)
    for (const connection of open) {
      const { isAsking, socket } = connection
      const mark = marks.get(connection)
      if (!mark || mark.bytesRead !== socket.bytesRead || !isAsking) {
        marks.set(connection, { bytesRead: socket.bytesRead, silentTicks: 0 })
      } else {
        mark.silentTicks++
        // Again and again, for as long as the connection is silent.
        if (isSilent(socket, mark) && mark.silentTicks % SILENT_TICKS === 0) isSilenceLong = true
      }
    }
    if (isSilenceLong && !isProbing) void probe()
  }

  async function probe(): Promise<void> {
    isProbing = true
    try {
      const before = new Map([...marks].map(([connection, mark]) => [connection, { ...mark }]))
      const sessions = await listSessions(server())
      if (!sessions) return
      // An answer may have been on its way, or waiting for this process to read it.
      await sleep(TICK_MS, undefined, { ref: false })
      const unchanged = [...before].filter(
        ([connection, { bytesRead }]) => !connection.isClosed && connection.socket.bytesRead === bytesRead
      )
      // Idle connections that the server does not know are cut first: a statement that is repeated must not get one of
      // them.
      for (const [connection] of unchanged) {
        if (!connection.isAsking && !sessions.has(connection.pid)) connection.destroy()
      }
      await sleep(TICK_MS / 10, undefined, { ref: false })
      for (const [connection, mark] of unchanged) {
        const isDead = sessions.get(connection.pid) !== 'active'
        if (connection.isAsking && isSilent(connection.socket, mark) && isDead) connection.destroy()
      }
    } finally {
      isProbing = false
    }
  }

  return () => clearInterval(timer)
}

function isSilent(socket: Socket, { silentTicks }: Mark): boolean {
  return silentTicks >= (socket.writableLength > 0 ? SENDING_TICKS : SILENT_TICKS)
}

/** The state of each of our sessions: none if the server can't be reached, undefined if it refuses to tell. */
async function listSessions(server: Server): Promise<Map<number | null, string> | undefined> {
  let connection: Connection | undefined
  try {
    connection = await openConnection(server, { connectTimeoutMs: PROBE_CONNECT_MS })
    const rows = await Promise.race([
      connection.run(
        plainStatement(`
          select pid, state
          from pg_stat_activity
          where usename = current_user
            and application_name = current_setting('application_name')
        `)
      ),
      refuseAfter(PROBE_ANSWER_TICKS)
    ])
    return new Map(rows.map(({ pid, state }) => [pid, state]))
  } catch (error) {
    // Too many connections, starting, shutting down: the server is there, and itself ends connections that have to end.
    return error instanceof pg.DatabaseError ? undefined : new Map()
  } finally {
    connection?.destroy()
  }
}

async function refuseAfter(ticks: number): Promise<never> {
  for (let tick = 0; tick < ticks; tick++) await sleep(TICK_MS, undefined, { ref: false })
  throw new Error(`the server did not answer within ${ticks} s`)
}
