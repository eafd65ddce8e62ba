import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { CannotStart } from '../errors.ts'
import { SOCKET_PORT } from './database.ts'
import type { EmbeddedServer } from './embedded-server.ts'

/*
 * One Chappe per data folder. The lock is a session lock of the embedded server: it ends with the process that holds it,
 * however that process ends, so there is no stale file to clear away.
 */

const LOCK = [7267, 1] as const
/** A killed process's session takes a moment to end. */
const ACQUIRE_TIMEOUT_MS = 1_500
const RETRY_MS = 100

export interface FolderLock {
  release(): Promise<void>
}

/**
 * Takes the folder, or refuses and names who holds it. When the server dies, it is started again and the lock taken
 * back; `onLost` is called if somebody else was faster.
 */
export async function lockFolder(
  server: EmbeddedServer,
  folder: string,
  onLost: (reason: string) => void
): Promise<FolderLock> {
  let isReleased = false
  let session = await acquire()

  async function acquire(): Promise<postgres.Sql> {
    const deadline = Date.now() + ACQUIRE_TIMEOUT_MS
    const sql = postgres({
      host: server.url.socketFolder,
      port: SOCKET_PORT,
      user: server.url.user,
      database: server.url.database,
      max: 1,
      // The driver would otherwise renew the connection after a while, and lose the lock with it.
      max_lifetime: null,
      connection: { application_name: `chappe ${process.pid} holds the folder` },
      onclose: () => void retake(sql)
    })
    while (true) {
      const [row] = await sql<{ locked: boolean }[]>`select pg_try_advisory_lock(${LOCK[0]}, ${LOCK[1]}) as locked`
      if (row?.locked) return sql
      if (Date.now() > deadline) {
        const holder = await findHolder(sql)
        await sql.end({ timeout: 1 })
        throw new CannotStart(
          `Another Chappe${holder ? ` (process ${holder})` : ''} is running on the folder ${folder}. ` +
            'Stop it first, or give this one a folder of its own with CHAPPE_DATA. Nothing was changed.'
        )
      }
      await sleep(RETRY_MS)
    }
  }

  async function retake(lost: postgres.Sql): Promise<void> {
    if (isReleased || lost !== session) return
    try {
      await server.ensureRunning()
      if (isReleased) return
      session = await acquire()
    } catch (error) {
      if (!isReleased) onLost((error as Error).message)
    }
  }

  return {
    async release() {
      isReleased = true
      await session.end({ timeout: 1 })
    }
  }
}

async function findHolder(sql: postgres.Sql): Promise<string | undefined> {
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
