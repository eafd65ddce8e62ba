import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CannotStart } from '../errors.ts'
import { type Database, giveUpInDeadlocks, isBusy, type Sql } from './database.ts'

const MIGRATIONS_FOLDER = join(import.meta.dirname, 'migrations')
const POSTGRES_VERSION_MIN = 150_000

// Any number that no other program on the same database is likely to lock.
export const MIGRATION_LOCK = 7_267_733_001

/** Later migrations leave the release before them working on the same database: docs/upgrades.md. */
export const LAST_BEFORE_RULE = '0110_price_floors.sql'

/** How long migrations try to get locks that others hold. A chart waits twice as long for a start. */
const PATIENCE_MS = 5 * 60_000
const PAUSE_MS = 1_000

export interface Migration {
  name: string
  checksum: string
  text: string
}

interface Applied {
  name: string
  checksum: string
  /** An older program works with the migration if it knows all of these. Null: no older program does. */
  worksWith: string[] | null
}

/**
 * Brings the database up to this program's schema and returns the names of what was applied. A migration is a transaction
 * under a lock: of several processes that start at once, one applies it and the others find it done. Other processes may
 * be at work. Migrations never make them wait long for a table: they give way, and try again.
 */
export async function migrate(
  database: Database,
  migrations?: Migration[],
  { patienceMs = PATIENCE_MS }: { patienceMs?: number } = {}
): Promise<string[]> {
  const wanted = migrations ?? (await readMigrations())
  await refuseOldServer(database)
  const done: string[] = []
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      const applied = await database.begin((database) => applyNext(database, wanted))
      if (applied.length === 0) return done
      done.push(...applied)
      continue
    } catch (error) {
      refuseMissingRights(error)
      if (!isBusy(error)) throw error
      if (performance.now() >= until) throw new CannotStart(`${WAITED_TOO_LONG} PostgreSQL says: ${String(error)}`)
    }
    await sleep(PAUSE_MS)
  }
}

/** PostgreSQL's insufficient_privilege: mostly, a new database belongs to the superuser that made it. */
function refuseMissingRights(error: unknown): void {
  const { code, message } = error as { code?: string; message: string }
  if (code !== '42501') return
  throw new CannotStart(
    `The user of DATABASE_URL must own the database and its tables; PostgreSQL says: ${message}. Try \`alter database chappe owner to chappe\`, with your names.`
  )
}

const WAITED_TOO_LONG =
  'The database could not be migrated: another program, such as a dump or a long report, holds its tables. Wait for its end, and start again.'

/** Applies the next migration. Those from before the rule are applied together: no process is at work beside them. */
async function applyNext(database: Sql, wanted: Migration[]): Promise<string[]> {
  await database`set local statement_timeout = 0` // First: the lock may be held for as long as a migration takes.
  await database`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
  await giveUpInDeadlocks(database)
  const applied = await readApplied(database)
  refuseForeignHistory(wanted, applied)

  const known = new Set(applied.map(({ name }) => name))
  const missing = wanted.filter(({ name }) => !known.has(name))
  const early = missing.filter(({ name }) => name <= LAST_BEFORE_RULE)
  // One at a time: a transaction that locks several tables in use would meet others that need them in another order.
  const next = early.length > 0 ? early : missing.slice(0, 1)
  for (const migration of next) {
    await database.unsafe(migration.text)
    await database`
      insert into schema_migrations (name, checksum, works_with)
      values (${migration.name}, ${migration.checksum}, ${worksWith(migration)})
    `
  }
  return next.map(({ name }) => name)
}

async function readApplied(database: Sql): Promise<Applied[]> {
  await database`
    create table if not exists schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now(),
      works_with text[]
    )
  `
  const [column] = await database`
    select
    from pg_attribute
    where attrelid = 'schema_migrations'::regclass
      and attname = 'works_with'
  `
  // Only where it is missing: even a column that is there already would lock the table against a dump.
  if (!column) await database`alter table schema_migrations add column works_with text[]`
  return database<Applied[]>`select name, checksum, works_with from schema_migrations`
}

const ALLOWED = /^-- allow [a-z-]+ \(works with (\S+)\):/gm

/** The migrations that an older program must know to work with this one. A statement that takes something away names them. */
export function worksWith({ name, text }: Pick<Migration, 'name' | 'text'>): string[] | null {
  if (name <= LAST_BEFORE_RULE) return null
  const named = [...text.matchAll(ALLOWED)].map(([, other = '']) => other)
  return [...new Set(named)].filter((other) => other !== 'all').sort()
}

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(MIGRATIONS_FOLDER, name), 'utf8')
      return { name, checksum: createHash('sha256').update(text).digest('hex'), text }
    })
  )
}

async function refuseOldServer(sql: Sql): Promise<void> {
  const [row] = await sql<{ number: string; version: string }[]>`
    select current_setting('server_version_num') as number, current_setting('server_version') as version
  `
  if (row && Number(row.number) < POSTGRES_VERSION_MIN) {
    throw new CannotStart(`Chappe needs PostgreSQL 15 or newer; DATABASE_URL leads to ${row.version}.`)
  }
}

function refuseForeignHistory(wanted: Migration[], applied: Applied[]): void {
  const known = new Map(wanted.map((migration) => [migration.name, migration]))
  for (const { name, checksum, worksWith } of applied) {
    const same = known.get(name)
    if (same && same.checksum !== checksum) {
      throw new CannotStart(
        `The migration ${name} was changed after it had been applied to this database. Run the files of a release as they are.`
      )
    }
    if (same) continue
    const missing = worksWith?.find((other) => !known.has(other))
    if (worksWith && missing === undefined) continue
    const sentence = `A newer version of Chappe has used the database: this version does not know the migration ${name}`
    throw new CannotStart(
      missing === undefined
        ? `${sentence}, and cannot work with it. Start the newer version.`
        : `${sentence}, which works only with versions that know ${missing}. Start such a version.`
    )
  }
}
