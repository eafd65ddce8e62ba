import type { Database, Sql } from './database.ts'

/*
 * Whether a database can store anything, as far as this process knows. All pools of a process share this knowledge.
 *
 * On a full disk PostgreSQL goes on: it reads, and it changes rows that find room in existing pages. Only a write that
 * needs a new page fails, so a small write proves nothing. A database that refused a write for want of room counts as
 * full until it can write as much as the server itself takes at a time.
 *
 * A server that has become read-only still answers reads, with data that gets older and older, while another server has
 * taken its place. So all connections leave it, and new ones look for the server that takes writes.
 */

/** disk_full. */
export const DISK_FULL = '53100'
/** read_only_sql_transaction. */
export const READ_ONLY = '25006'

/** A segment of the write-ahead log: a server that can't get one goes down. */
const ROOM_BYTES = 16 * 1024 * 1024
const ROW_BYTES = 8_000

/** A commit that waits longer for a synchronous standby means that nothing can be stored. */
const COMMIT_WAIT_MAX = '5 seconds'

/** The databases that refused a write for want of room. */
const full = new Set<string>()

/** By database, the functions that end the connections of each pool. */
const leavers = new Map<string, Set<() => void>>()

export function noteFailure(where: string, { code }: { code?: string | undefined }): void {
  if (code === DISK_FULL) full.add(where)
  if (code === READ_ONLY) for (const leave of leavers.get(where) ?? []) leave()
}

/** Calls `leave` whenever the server has become read-only. Returns a function that ends this. */
export function onReadOnly(where: string, leave: () => void): () => void {
  const others = leavers.get(where) ?? new Set()
  leavers.set(where, others.add(leave))
  return () => {
    others.delete(leave)
    if (others.size === 0) leavers.delete(where)
  }
}

/** Rejects, and ends all connections, if the server has become read-only. */
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

/**
 * Rejects while a full database still has no room. Tried by a sort that does not fit into memory: it goes to disk and
 * leaves nothing there.
 */
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
