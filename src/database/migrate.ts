import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CannotStart } from '../errors.ts'
import type { Database, Sql } from './database.ts'

const MIGRATIONS_FOLDER = join(import.meta.dirname, 'migrations')
const POSTGRES_VERSION_MIN = 150_000

// Any number that no other program on the same database is likely to lock.
const MIGRATION_LOCK = 7_267_733_001

export interface Migration {
  name: string
  checksum: string
  text: string
}

/**
 * Brings the database up to this program's schema and returns the names of what was applied. All of it is one
 * transaction under a lock: of several processes that start at once, one does the work and the others find it done.
 */
export async function migrate(database: Database, migrations?: Migration[]): Promise<string[]> {
  const wanted = migrations ?? (await readMigrations())
  await refuseOldServer(database)
  return database.begin(async (database) => {
    await database`set local statement_timeout = 0` // First: the lock may be held for as long as a migration takes.
    await database`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
    await database`
      create table if not exists schema_migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )
    `
    const applied = await database<{ name: string; checksum: string }[]>`
      select name, checksum
      from schema_migrations
    `
    refuseForeignHistory(wanted, applied)

    const missing = wanted.filter(({ name }) => !applied.some((row) => row.name === name))
    for (const { name, checksum, text } of missing) {
      await database.unsafe(text)
      await database`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`
    }
    return missing.map(({ name }) => name)
  })
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

function refuseForeignHistory(wanted: Migration[], applied: { name: string; checksum: string }[]): void {
  for (const { name, checksum } of applied) {
    const known = wanted.find((migration) => migration.name === name)
    if (!known) {
      throw new CannotStart(
        `The database has the migration ${name}, which this version of Chappe does not know: it was last used by a newer one.`
      )
    }
    if (known.checksum !== checksum) {
      throw new CannotStart(`The migration ${name} was changed after it had been applied to this database.`)
    }
  }
}
