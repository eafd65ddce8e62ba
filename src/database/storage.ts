import type { Database, Sql } from './database.ts'

/*
 * What this process knows of a database's means to store something, whichever of its pools found out.
 *
 * On a full disk PostgreSQL goes on: it reads, and it changes what finds room in the pages that are there. Only what needs a
 * new page fails. So whether there is room can't be asked by a small write; whoever was refused for want of room is
 * remembered until as much can be written as the server itself takes at a time.
 *
 * A server that has become read-only still answers those who only read, with what gets older and older, while another has
 * taken its place. So everybody leaves it, and who connects anew finds the one that takes writes (`target_session_attrs`).
 */

/** disk_full. */
export const DISK_FULL = '53100'
/** read_only_sql_transaction. */
export const READ_ONLY = '25006'

/** A segment of the write-ahead log: a server that can't get one goes down. */
const ROOM_BYTES = 16 * 1024 * 1024
const ROW_BYTES = 8_000

/** How long a commit may wait for a synchronous standby before we say that nothing can be stored. */
const COMMIT_WAIT_MAX = '5 seconds'

/** The databases that had no room when they were last asked for some. */
const full = new Set<string>()

/** Who has connections to a database, and how to end them. */
const leavers = new Map<string, Set<() => void>>()

export function noteFailure(where: string, { code }: { code?: string | undefined }): void {
  if (code === DISK_FULL) full.add(where)
  if (code === READ_ONLY) for (const leave of leavers.get(where) ?? []) leave()
}

/** Calls back when the server has become read-only, until what it returns is called. */
export function onReadOnly(where: string, leave: () => void): () => void {
  const others = leavers.get(where) ?? new Set()
  leavers.set(where, others.add(leave))
  return () => {
    others.delete(leave)
    if (others.size === 0) leavers.delete(where)
  }
}

/** Rejects, and everybody leaves, if the server has become read-only. */
export async function refuseReadOnly(where: string, sql: Sql): Promise<void> {
  const [row] = await sql`select current_setting('transaction_read_only') as setting`
  if (row?.setting !== 'on') return
  noteFailure(where, { code: READ_ONLY })
  throw Object.assign(new Error('it takes no writes: it is a standby, or read-only'), { code: READ_ONLY })
}

/** Rejects while commits wait for a synchronous standby that does not answer. */
export async function refuseHeld(sql: Sql): Promise<void> {
  const [row] = await sql<[{ isHeld: boolean }]>`
    select exists (
      select
      from pg_stat_activity
      where usename = current_user
        and wait_event = 'SyncRep'
        and query_start < now() - ${COMMIT_WAIT_MAX}::interval
    ) as is_held
  `
  if (row?.isHeld) throw new Error('its commits wait for a synchronous standby')
}

/** Rejects while there is no room, of a database that had none. A sort that does not fit into memory goes to disk, and leaves nothing behind there. */
export async function refuseFull(where: string, database: Database): Promise<void> {
  if (!full.has(where)) return
  try {
    await database.begin(async (database) => {
      await database`set local work_mem = '64kB'`
      await database`
        select count(filler)
        from (
          select repeat('x', ${ROW_BYTES}) as filler
          from generate_series(1, ${Math.ceil(ROOM_BYTES / ROW_BYTES)}) as number
          order by number desc
          offset 0
        ) as rows
      `
    })
  } catch (error) {
    if ((error as { code?: string }).code === DISK_FULL) throw new Error('its disk is full')
    throw error
  }
  full.delete(where)
}
