import { setTimeout as sleep } from 'node:timers/promises'
import { CannotStart } from '../errors.ts'
import { type Connection, openConnection } from './connection.ts'
import { isDatabaseUnavailable, type Sql, socketServer } from './database.ts'
import type { EmbeddedServer } from './embedded-server.ts'
import { createSql } from './sql.ts'

/*
 * One Chappe per data folder. The lock is a session lock of the embedded server: it ends with the process that holds
 * it, however that process ends, so there is no stale file to clear away.
 */

const LOCK = [7267, 1] as const
/** A killed process's session takes a moment to end. */
const ACQUIRE_TIMEOUT_MS = 1_500
const RETRY_MS = 100
const ATTEMPTS_MAX = 3
const RETAKE_PAUSE_MS = 1_000
const TELL_EVERY = 30
const END_MS = 1_000

export interface FolderLock {
  /**
   * Does the last work on the folder, and only then releases it: no other process may take the folder while its server
   * stops. Once the lock is lost, does nothing.
   */
  release(lastWork: () => Promise<void>): Promise<void>
}

/**
 * Takes the folder, or refuses and names the process that holds it. When the server dies, it is started again and the
 * lock taken back, however long that takes: on a full disk the server can't start before there is room. `onLost` is
 * called when another process has taken the folder.
 */
export async function lockFolder(
  server: EmbeddedServer,
  folder: string,
  { onLost, onWaiting }: { onLost: (reason: string) => void; onWaiting: (reason: string) => void }
): Promise<FolderLock> {
  let isReleased = false
  let isLost = false
  // Set once the lock is held: a connection that closes before that is an error of `acquire`, and nothing to retake.
  let session: Connection | undefined
  session = await acquireFirst()

  /**
   * The process that holds the folder may be stopping, and its server with it: then the server is started again, for
   * us.
   */
  async function acquireFirst(): Promise<Connection> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await acquire()
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isDatabaseUnavailable(error)) throw error
        await server.ensureRunning()
      }
    }
  }

  async function acquire(): Promise<Connection> {
    const deadline = Date.now() + ACQUIRE_TIMEOUT_MS
    const opened = await openConnection(
      { ...socketServer(server.url), application_name: `chappe ${process.pid} holds the folder` },
      { onClose: (lost) => void retake(lost) }
    )
    const sql = createSql(opened)
    try {
      while (true) {
        const [row] = await sql<{ locked: boolean }[]>`select pg_try_advisory_lock(${LOCK[0]}, ${LOCK[1]}) as locked`
        if (row?.locked) return opened
        if (Date.now() > deadline) throw await refusal(sql, folder)
        await sleep(RETRY_MS)
      }
    } catch (error) {
      await opened.close(END_MS)
      throw error
    }
  }

  async function retake(lost: Connection): Promise<void> {
    if (lost !== session) return
    for (let attempt = 1; !isReleased; attempt++) {
      try {
        await server.ensureRunning()
        if (!isReleased) session = await acquire()
        return
      } catch (error) {
        if (isReleased) return
        // A server that dies again while it starts may live the next time; a folder that is taken stays taken.
        if (error instanceof FolderTaken) {
          isLost = true
          return onLost(error.message)
        }
        if (attempt % TELL_EVERY === 1) onWaiting((error as Error).message)
        await sleep(RETAKE_PAUSE_MS)
      }
    }
  }

  return {
    async release(lastWork) {
      isReleased = true
      // The server of a folder that another Chappe has taken is not ours to stop.
      if (!isLost) await lastWork()
      await session?.close(END_MS)
    }
  }
}

class FolderTaken extends CannotStart {}

async function refusal(sql: Sql, folder: string): Promise<FolderTaken> {
  const holder = await findHolder(sql)
  return new FolderTaken(
    `Another Chappe${holder ? ` (process ${holder})` : ''} is running on the folder ${folder}. ` +
      'Stop it first, or give this one a folder of its own with CHAPPE_DATA. Nothing was changed.'
  )
}

async function findHolder(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`
    select application_name as name
    from pg_locks
    join pg_stat_activity using (pid)
    where locktype = 'advisory'
      and classid = ${LOCK[0]}
      and objid = ${LOCK[1]}
      and granted
  `
  return row && /\d+/.exec(row.name)?.[0]
}
