import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { openFirstAccount } from '../../src/credits/open-first-account.ts'
import { connect, SOCKET_PORT, type Sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { distribute } from '../../src/distribute.ts'
import { hashAtLeastCost } from '../../src/people/passwords.ts'
import { asSuperuserOf, closeDatabase, joinNodes } from './cluster.ts'

/*
 * A database per test file, copied from one that is migrated once per run: about 30 ms each.
 */

// For this process, and for the password in the template. At its real cost, a tenth of a run's CPU time is hashing.
hashAtLeastCost()

/** One with the schema, and one in which the first account has been made: to hash its password takes as long as a copy. */
const TEMPLATES = { empty: 'chappe_template', begun: 'chappe_template_begun' } as const

export const OPERATOR_SETTINGS = {
  CHAPPE_ADMIN_EMAIL: 'operator@test.example',
  CHAPPE_ADMIN_PASSWORD: 'operator password',
  CHAPPE_ADMIN_APP_ID: 'app-op',
  CHAPPE_ADMIN_API_KEY: 'key-operator'
}

export interface TestDatabase {
  name: string
  url: { socketFolder: string; user: string; database: string }
  drop(): Promise<void>
}

/** A database with the schema. Its files are copied: through the log, as is the default, it takes four times as long. */
export async function createDatabase(from: keyof typeof TEMPLATES = 'empty'): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onEveryNode((sql) =>
    sql.unsafe(`create database ${name} template ${TEMPLATES[from]} owner chappe strategy file_copy`)
  )
  return {
    name,
    url: { socketFolder: socketFolder(), user: 'chappe', database: name },
    drop: () => onEveryNode((sql) => sql.unsafe(`drop database if exists ${name} with (force)`))
  }
}

/** An empty database without the schema. */
export async function createBareDatabase(): Promise<TestDatabase> {
  const name = `bare_${randomBytes(6).toString('hex')}`
  await asSuperuser((sql) => sql.unsafe(`create database ${name} owner chappe`))
  return {
    name,
    url: { socketFolder: socketFolder(), user: 'chappe', database: name },
    drop: () => asSuperuser((sql) => sql.unsafe(`drop database if exists ${name} with (force)`))
  }
}

/** An empty database whose owner must give a password. */
export async function createPasswordDatabase() {
  const name = `password_${randomBytes(6).toString('hex')}`
  const password = 'server-password'
  await asSuperuser(async (sql) => {
    await sql.unsafe(`create role ${name} login password '${password}'`)
    await sql.unsafe(`create database ${name} owner ${name}`)
    const [row] = await sql<[{ file: string }]>`select current_setting('hba_file') as file`
    const rules = await readFile(row.file, 'utf8')
    await writeFile(row.file, `local all ${name} scram-sha-256\n${rules}`)
    await sql`select pg_reload_conf()`
  })
  return {
    name,
    user: name,
    password,
    socketPath: join(socketFolder(), `.s.PGSQL.${SOCKET_PORT}`),
    drop: () =>
      asSuperuser(async (sql) => {
        await sql.unsafe(`drop database if exists ${name} with (force)`)
        await sql.unsafe(`drop role ${name}`)
      })
  }
}

/**
 * An empty database as an operator's own server may have it: a role that nobody logs in as owns it, and the role of the
 * service acts as that one. A third role reads reports.
 */
export async function createForeignDatabase() {
  const name = `foreign_${randomBytes(6).toString('hex')}`
  const [owner, login, reader] = [`${name}_owner`, `${name}_service`, `${name}_reader`]
  await asSuperuser(async (sql) => {
    await sql.unsafe(`create role ${owner} nologin`)
    await sql.unsafe(`create role ${login} login in role ${owner}`)
    await sql.unsafe(`alter role ${login} set role ${owner}`)
    await sql.unsafe(`create role ${reader} login`)
    await sql.unsafe(`create database ${name} owner ${owner}`)
  })
  const urlOf = (user: string) => ({ socketFolder: socketFolder(), user, database: name })
  return {
    owner,
    login,
    reader,
    urlOf,
    drop: () =>
      asSuperuser(async (sql) => {
        await sql.unsafe(`drop database if exists ${name} with (force)`)
        await sql.unsafe(`drop role ${login}, ${reader}, ${owner}`)
      })
  }
}

export async function createTemplates(): Promise<void> {
  for (const [kind, name] of Object.entries(TEMPLATES)) {
    await onEveryNode((sql) => sql.unsafe(`create database ${name} owner chappe`))
    if (isCluster()) await joinNodes(nodeFolders(), name)
    const database = connect({
      url: { socketFolder: socketFolder(), user: 'chappe', database: name },
      applicationName: 'template',
      connectionsMax: 1
    })
    await migrate(database)
    if (kind === 'begun') await openFirstAccount(database, readConfig(OPERATOR_SETTINGS).firstAccount, () => undefined)
    if (isCluster()) await distribute(database, { onProgress: () => undefined })
    await database.close(1)
    // Citus keeps a process in every database, and a database that is in use can't be copied.
    if (isCluster()) await onEveryNode((sql) => closeDatabase(sql, name))
  }
}

async function asSuperuser(work: (sql: Sql) => Promise<unknown>): Promise<void> {
  await asSuperuserOf(socketFolder(), 'postgres', work)
}

/** In a Citus cluster, a database is on all nodes. Else there is one server. */
async function onEveryNode(work: (sql: Sql) => Promise<unknown>): Promise<void> {
  await Promise.all(nodeFolders().map((folder) => asSuperuserOf(folder, 'postgres', work)))
}

function nodeFolders(): string[] {
  const workers = process.env.CHAPPE_TEST_WORKERS?.split(':') ?? []
  return [socketFolder(), ...workers]
}

function isCluster(): boolean {
  return nodeFolders().length > 1
}

function socketFolder(): string {
  const folder = process.env.CHAPPE_TEST_SOCKET_FOLDER
  if (!folder)
    throw new Error('Tests run against a PostgreSQL that `npm test` starts: use `npm test -- <part of a path>`.')
  return folder
}
