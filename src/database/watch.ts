import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Connection, openConnection, type Server } from './connection.ts'
import { plainStatement } from './sql.ts'

/*
 * A connection whose packets vanish looks just like one whose server is still working: both are silent. Time alone can't
 * tell them apart, since a million rows may take minutes. So the server itself is asked, over a new connection, what became
 * of the silent one: while it works on the statement, it may take as long as it takes; if it does not, or can't be reached
 * at all, the connection is cut, and everybody who waits for it is told.
 *
 * Not by the means of TCP: Node can't set TCP_USER_TIMEOUT, without which what is sent and never confirmed is repeated for
 * a quarter of an hour, and keep-alive says nothing of what lies behind a proxy.
 *
 * Silence is counted in ticks, not by the clock: a process that was stopped for a minute has not listened for one tick.
 */

const TICK_MS = 1_000
/** A healthy server answers in milliseconds; only those who wait for a lock or for many rows are ever asked about. */
const SILENT_TICKS = 5
/** While our own words are still leaving: 10 MB over a line of 3 Mbit/s. */
const SENDING_TICKS = 30
const PROBE_CONNECT_MS = 3_000
const PROBE_ANSWER_TICKS = 3

/** Connections, and the server that they lead to. */
export interface Watched {
  connections(): Iterable<Connection>
  server(): Server
}

interface Mark {
  bytesRead: number
  silentTicks: number
}

/** Cuts connections that wait for nothing. Returns what ends the watch. */
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
        // Asked about again and again, for as long as it is silent.
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
      // First those that nobody waits for and that the server does not know: whoever is told to ask again must not get one.
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

/** What the server does for each of our sessions; none at all if it can't be reached; undefined if it would not tell. */
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
    // Too many connections, starting, shutting down: it is there, and ends the connections itself that have to end.
    return error instanceof pg.DatabaseError ? undefined : new Map()
  } finally {
    connection?.destroy()
  }
}

async function refuseAfter(ticks: number): Promise<never> {
  for (let tick = 0; tick < ticks; tick++) await sleep(TICK_MS, undefined, { ref: false })
  throw new Error(`the server did not answer within ${ticks} s`)
}
