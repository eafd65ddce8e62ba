import { access, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { copyCluster, copyFolder } from '../database/copy-cluster.ts'
import { makeDataFolder } from '../database/data-folder.ts'
import { type ConnectOptions, connect, liftStatementTimeout, type Pool } from '../database/database.ts'
import { connectAsSuperuser, findEmbeddedServer, startEmbeddedServer } from '../database/embedded-server.ts'
import { lockFolder } from '../database/folder-lock.ts'
import { migrate } from '../database/migrate.ts'
import { readShape } from '../database/shape.ts'
import { CannotStart } from '../errors.ts'
import { checkCredits } from '../statements/check-statements.ts'
import { countRows, isChappeConnected, isOfChappe } from './check.store.ts'
import { type Held, type HoldOptions, holdBack } from './hold-back.ts'

/*
 * Backups of the embedded database. A backup is a folder like a data folder: `postgres/`, the signing key, and `backup.json`,
 * which says when it was taken and what is in it. It counts only once a server has started on it and read every row.
 */

const FACTS = 'backup.json'
const KEY = 'token-key.json'
const FORMAT = 1
const CLOSE_SECONDS = 5

export interface Facts {
  format: typeof FORMAT
  takenAt: string
  /** The number of rows of each table. */
  rows: Record<string, number>
}

/** Copies the database of a data folder, whether it runs or not, to a new folder, and checks the copy. */
export async function backUp({
  dataFolder,
  to,
  signal
}: {
  dataFolder: string
  to: string
  /** Ends it, with nothing left behind. */
  signal?: AbortSignal
}): Promise<Facts> {
  if (await exists(to)) throw new CannotStart(`${to} is there already: name a folder that is not.`)
  await refuseWithoutDatabase(dataFolder)
  const draft = `${to}.draft-${process.pid}`
  try {
    await mkdir(dirname(to), { recursive: true })
    await mkdir(draft, { mode: 0o711 })
    const takenAt = new Date().toISOString()
    await withServer(dataFolder, async () => {
      const connection = await connectAsSuperuser(dataFolder)
      try {
        await copyCluster(connection, { from: join(dataFolder, 'postgres'), to: join(draft, 'postgres'), signal })
      } finally {
        await connection.close(CLOSE_SECONDS * 1000)
      }
    })
    await copyKey(dataFolder, draft)
    const rows = await onServer(draft, checkRows, signal)
    const facts: Facts = { format: FORMAT, takenAt, rows }
    await writeFile(join(draft, FACTS), `${JSON.stringify(facts, null, 2)}\n`)
    await removeTraces(draft)
    await rename(draft, to)
    return facts
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

/**
 * Makes a data folder's database from a backup, and checks it against the facts of the backup. Unless `hold` is false, nothing
 * that waited to leave leaves: it may have left after the backup. The database comes to its place when all is done.
 */
export async function restore({
  from,
  dataFolder,
  hold,
  signal
}: {
  from: string
  dataFolder: string
  hold: HoldOptions | false
  /** Ends it, with nothing left behind. */
  signal?: AbortSignal
}): Promise<{ facts: Facts; held: Held | undefined }> {
  const facts = await readFacts(from)
  const place = join(dataFolder, 'postgres')
  if (await exists(place)) {
    throw new CannotStart(
      `${dataFolder} has a database already: move ${place} away, or set CHAPPE_DATA to a new folder.`
    )
  }
  await makeDataFolder(dataFolder, 0o711)
  const draft = join(dataFolder, `restore-${process.pid}`)
  try {
    await mkdir(draft, { mode: 0o711 })
    await copyFolder({ from: join(from, 'postgres'), to: join(draft, 'postgres'), signal }, () => true)
    const work = async (pool: Pool) => {
      refuseOther(facts.rows, await checkRows(pool))
      await migrate(pool)
      return hold ? holdBack(pool, hold) : undefined
    }
    const held = await onServer(draft, work, signal)
    await copyKey(from, dataFolder)
    await rename(join(draft, 'postgres'), place)
    return { facts, held }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** The same for a database that another tool restored, before the first process starts on it. */
export async function holdRestored(
  { databaseUrl, dataFolder }: { databaseUrl: ConnectOptions['url'] | undefined; dataFolder: string },
  options: HoldOptions
): Promise<Held> {
  const work = async (pool: Pool) => {
    const isInUse = await isChappeConnected(pool).catch((error: Error) => {
      throw new CannotStart(`The database can't be used: ${error.message}.`)
    })
    if (isInUse) {
      throw new CannotStart('A process of Chappe runs on this database: stop all of them first.')
    }
    if (!(await isOfChappe(pool))) {
      throw new CannotStart('This is no database of Chappe. DATABASE_URL must name the one that was restored.')
    }
    await migrate(pool)
    await readShape(pool)
    return holdBack(pool, options)
  }
  if (databaseUrl !== undefined) return onDatabase(databaseUrl, work)
  await refuseWithoutDatabase(dataFolder)
  return withServer(dataFolder, (url) => onDatabase(url, work))
}

/** Does some work while the server of the folder runs. One that runs already goes on; else no Chappe can start meanwhile. */
async function withServer<T>(folder: string, work: (url: ConnectOptions['url']) => Promise<T>): Promise<T> {
  const running = await findEmbeddedServer(folder)
  if (running) return work(running)
  const server = await startEmbeddedServer(folder)
  const lock = await lockFolder(server, folder, { onLost: () => undefined, onWaiting: () => undefined })
  try {
    return await work(server.url)
  } finally {
    await lock.release(() => server.stop())
  }
}

/** Starts a server on a copy, does some work there, and stops the server in good order, also when the signal ends the work. */
async function onServer<T>(
  folder: string,
  work: (pool: Pool) => Promise<T>,
  signal: AbortSignal | undefined
): Promise<T> {
  signal?.throwIfAborted()
  const server = await startEmbeddedServer(folder)
  try {
    return await untilAborted(onDatabase(server.url, work), signal)
  } finally {
    await server.stop()
  }
}

/** The result of the work, or the reason of the signal. The work may go on: what it works on is stopped then. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal?.reason)
  signal?.addEventListener('abort', abort)
  try {
    signal?.throwIfAborted()
    return await Promise.race([work, aborted.promise])
  } finally {
    signal?.removeEventListener('abort', abort)
    work.catch(() => undefined) // Its server is stopped under it.
  }
}

async function onDatabase<T>(url: ConnectOptions['url'], work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = connect({ url, applicationName: 'chappe backup', connectionsMax: 1 })
  try {
    return await work(pool)
  } finally {
    await pool.close(CLOSE_SECONDS)
  }
}

/** Reads every row and checks the ledger. Returns the number of rows of each table. */
async function checkRows(pool: Pool): Promise<Record<string, number>> {
  const broken = (await checkCredits(pool)).filter(({ violations }) => violations.length > 0)
  if (broken.length > 0) throw new CannotStart(`The ledger of the copy is wrong: not ${broken[0]?.promise}.`)
  return pool.begin(async (database) => {
    await liftStatementTimeout(database)
    return countRows(database)
  })
}

function refuseOther(expected: Record<string, number>, found: Record<string, number>): void {
  for (const [table, count] of Object.entries(expected)) {
    if (found[table] === count) continue
    throw new CannotStart(`The backup is damaged: ${table} has ${found[table] ?? 'no'} rows, and had ${count}.`)
  }
}

async function readFacts(folder: string): Promise<Facts> {
  const text = await readFile(join(folder, FACTS), 'utf8').catch(() => {
    throw new CannotStart(`${folder} is no backup: it has no ${FACTS}.`)
  })
  const facts = JSON.parse(text) as Facts
  if (facts.format !== FORMAT) throw new CannotStart(`${folder} is a backup of another version of Chappe.`)
  return facts
}

/** Without the key people log in anew; it may be missing. An existing key stays. */
async function copyKey(from: string, to: string): Promise<void> {
  const [source, target] = [join(from, KEY), join(to, KEY)]
  if ((await exists(source)) && !(await exists(target))) await copyFile(source, target)
}

/** Whatever a server leaves behind besides its data. */
async function removeTraces(folder: string): Promise<void> {
  const kept = new Set(['postgres', KEY, FACTS])
  for (const name of await readdir(folder)) {
    if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function refuseWithoutDatabase(dataFolder: string): Promise<void> {
  if (await exists(join(dataFolder, 'postgres', 'PG_VERSION'))) return
  throw new CannotStart(`${dataFolder} has no embedded database; with DATABASE_URL, see docs/data-keeping.md.`)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false
  )
}
