import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type Driver from 'postgres'
import { onReadOnly } from './storage.ts'

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
const PROBE_CONNECT_SECONDS = 3
const PROBE_ANSWER_TICKS = 3

/** Options of the driver beyond those of the pool; its types know neither all of them nor that null means never. */
export type DriverOptions = Record<string, unknown>

export type Open = (options: DriverOptions) => Driver.Sql

export interface Session {
  sql: Driver.Sql
  /** Ends all connections, after at most `timeoutSeconds` for the queries that still run. */
  end(timeoutSeconds: number): Promise<void>
}

/** What driver.ts adds to a connection of the driver. */
interface Connection {
  look(): { socket: Socket | null; pid: number | null; isAsking: boolean; isEnding: boolean }
  /** Cuts it for good. */
  abandon(): void
}

/** Opens connections none of which waits for ever, nor stays with a server that has become read-only. */
export function openWatched(open: Open, options: DriverOptions, where: string): Session {
  const sql = open(options)
  const stopWatching = watch(sql, open)
  const stay = onReadOnly(where, () => {
    for (const connection of connectionsOf(sql)) connection.look().socket?.destroy()
  })
  return {
    sql,
    async end(timeoutSeconds) {
      await sql.end({ timeout: timeoutSeconds })
      stopWatching()
      stay()
      abandon(sql)
    }
  }
}

interface Mark {
  socket: Socket
  bytesRead: number
  silentTicks: number
}

function watch(sql: Driver.Sql, open: Open): () => void {
  const marks = new Map<Connection, Mark>()
  let isProbing = false
  const timer = setInterval(tick, TICK_MS).unref()

  function tick(): void {
    let isSilenceLong = false
    for (const connection of connectionsOf(sql)) {
      const { socket, isAsking, isEnding } = connection.look()
      const mark = marks.get(connection)
      if (!socket) marks.delete(connection)
      else if (mark?.socket !== socket || mark.bytesRead !== socket.bytesRead || !(isAsking || isEnding)) {
        marks.set(connection, { socket, bytesRead: socket.bytesRead, silentTicks: 0 })
      } else {
        mark.silentTicks++
        // One that has said goodbye needs no answer.
        if (isEnding && mark.silentTicks >= SILENT_TICKS) socket.destroy()
        // Asked about again and again, for as long as it is silent.
        else if (isSilent(mark) && mark.silentTicks % SILENT_TICKS === 0) isSilenceLong = true
      }
    }
    if (isSilenceLong && !isProbing) void probe()
  }

  async function probe(): Promise<void> {
    isProbing = true
    try {
      const before = new Map([...marks].map(([connection, mark]) => [connection, { ...mark }]))
      const sessions = await listSessions(sql, open)
      if (!sessions) return
      // An answer may have been on its way, or waiting for this process to read it.
      await sleep(TICK_MS, undefined, { ref: false })
      const unchanged = [...before].filter(
        ([connection, { socket, bytesRead }]) => connection.look().socket === socket && socket.bytesRead === bytesRead
      )
      // First those that nobody waits for and that the server does not know: whoever is told to ask again must not get one.
      for (const [connection, { socket }] of unchanged) {
        const { isAsking, pid } = connection.look()
        if (!isAsking && !sessions.has(pid)) socket.destroy()
      }
      await sleep(TICK_MS / 10, undefined, { ref: false })
      for (const [connection, mark] of unchanged) {
        const { isAsking, pid } = connection.look()
        if (isAsking && isSilent(mark) && sessions.get(pid) !== 'active') mark.socket.destroy()
      }
    } finally {
      isProbing = false
    }
  }

  return () => clearInterval(timer)
}

function isSilent({ socket, silentTicks }: Pick<Mark, 'socket' | 'silentTicks'>): boolean {
  return silentTicks >= (socket.writableLength > 0 ? SENDING_TICKS : SILENT_TICKS)
}

/** What the server does for each of our sessions; none at all if it can't be reached; undefined if it would not tell. */
async function listSessions(sql: Driver.Sql, open: Open): Promise<Map<number | null, string> | undefined> {
  const probe = open({ max: 1, connect_timeout: PROBE_CONNECT_SECONDS, fetch_types: false })
  const { shared, host } = optionsOf(probe)
  shared.host = optionsOf(sql).shared.host
  try {
    const rows = await Promise.race([
      probe<{ pid: number; state: string }[]>`
        select pid, state
        from pg_stat_activity
        where usename = current_user
          and application_name = current_setting('application_name')
      `,
      refuseAfter(PROBE_CONNECT_SECONDS * host.length + PROBE_ANSWER_TICKS)
    ])
    return new Map(rows.map(({ pid, state }) => [pid, state]))
  } catch (error) {
    // Too many connections, starting, shutting down: it is there, and ends the connections itself that have to end.
    return (error as Error).name === 'PostgresError' ? undefined : new Map()
  } finally {
    void probe.end({ timeout: 0 }).then(() => abandon(probe))
  }
}

async function refuseAfter(ticks: number): Promise<never> {
  for (let tick = 0; tick < ticks; tick++) await sleep(TICK_MS, undefined, { ref: false })
  throw new Error(`the server did not answer within ${ticks} s`)
}

function abandon(sql: Driver.Sql): void {
  for (const connection of connectionsOf(sql)) connection.abandon()
}

function connectionsOf(sql: Driver.Sql): readonly Connection[] {
  return (sql as unknown as { connections: Connection[] }).connections
}

function optionsOf(sql: Driver.Sql): { host: string[]; shared: { host?: number | undefined } } {
  return sql.options as unknown as { host: string[]; shared: { host?: number | undefined } }
}
