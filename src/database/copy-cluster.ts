import { chown, copyFile, lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection } from './connection.ts'
import { createSql } from './sql.ts'

/*
 * Copies the files of a PostgreSQL that runs, by its own functions for backups. Files change while they are copied; the
 * write-ahead log from the beginning of the copy to its end makes the copy whole when a server starts on it.
 */

/** Folders of which only the names are needed: a server that starts makes their contents. */
const EMPTIED = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal'
])
/** Files of the server that runs, and temporary ones. */
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label.*|tablespace_map.*|current_logfiles|pg_internal\.init.*|pgsql_tmp.*)$/
/** Names of segments of the log: their order is that of the log. */
const SEGMENT = /^[0-9A-F]{24}$/

interface Copy {
  from: string
  to: string
  /** Ends the copy before its next file. */
  signal?: AbortSignal | undefined
}

/** Copies the cluster in the folder `from`, which the connection leads to, to the new folder `to`. */
export async function copyCluster(connection: Connection, { from, to, signal }: Copy): Promise<void> {
  const sql = createSql(connection)
  // Keeps the log from being removed meanwhile. A temporary one ends with the connection, however that ends.
  await sql`select pg_create_physical_replication_slot(${`chappe_backup_${process.pid}`}, true, true)`
  const [begin] = await sql<[{ segment: string }]>`
    select pg_walfile_name(lsn) as segment
    from pg_backup_start('chappe', fast => true) as lsn
  `
  await copyFolder({ from, to, signal }, (name) => !LEFT_OUT.test(name), EMPTIED)
  const [end] = await sql<[{ segment: string; label: string }]>`
    select pg_walfile_name(lsn) as segment, labelfile as label
    from pg_backup_stop(wait_for_archive => false)
  `
  const isNeeded = (name: string) => SEGMENT.test(name) && name >= begin.segment && name <= end.segment
  await copyFolder({ from: join(from, 'pg_wal'), to: join(to, 'pg_wal'), signal }, isNeeded)
  const label = join(to, 'backup_label')
  await writeFile(label, end.label, { mode: 0o600 })
  await ownLike(from, label)
}

/** Copies files and folders whose names are wanted. Folders in `emptied` are made, and stay empty. */
export async function copyFolder(
  { from, to, signal }: Copy,
  isWanted: (name: string) => boolean,
  emptied: ReadonlySet<string> = new Set()
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  await ownLike(from, to)
  for (const { name, isFolder } of await listFolder(from)) {
    signal?.throwIfAborted()
    if (!isWanted(name)) continue
    const [source, target] = [join(from, name), join(to, name)]
    if (isFolder)
      await copyFolder({ from: source, to: target, signal }, (inner) => !emptied.has(name) && isWanted(inner))
    else await copyUnlessGone(source, target)
  }
}

async function listFolder(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
}

/** A table may be dropped while it is copied: the log says so too. */
async function copyUnlessGone(source: string, target: string): Promise<void> {
  try {
    await copyFile(source, target)
    await ownLike(source, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** As root, PostgreSQL runs as another user, who owns its files. */
async function ownLike(source: string, target: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await lstat(source)
  await chown(target, uid, gid)
}
