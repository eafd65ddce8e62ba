import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { openAccount } from '../../src/accounts/open-account.ts'
import type { CarrierKind } from '../../src/carriers/kind.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Pool } from '../../src/database/database.ts'
import { LOG_SERIALIZERS } from '../../src/http/log.ts'
import { LOAD_LIMITS, type LoadLimits } from '../../src/http/overload.ts'
import { hashPassword } from '../../src/people/passwords.ts'
import { startService as start } from '../../src/service.ts'
import type { ServerTimings } from '../../src/smpp-server/timings.ts'
import { createDatabase, OPERATOR_SETTINGS } from '../database/databases.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import { atEnd } from './cleanup.ts'

export interface TestService {
  url: string
  pool: Pool
  /** What the log said, a line each. */
  logLines: string[]
  /** Asks without credentials. */
  anonymous: ApiClient
  /** The first account. */
  operator: TestAccount
  /** A fresh top-level account. */
  newAccount(options?: { credits?: number }): Promise<TestAccount>
  /** Another process's view of the same database. */
  startPeer(t: TestContext, options?: Options): Promise<TestService>
  /** What SIGHUP does. */
  reload(): Promise<void>
  stop(): Promise<void>
  databaseUrl: TestDatabaseUrl
  dataFolder: string
  /** Where customers bind over SMPP. */
  smpp: { port: number | undefined; tlsPort: number | undefined } | undefined
}

export interface TestAccount extends ApiClient {
  id: number
  email: string
  password: string
  appId: string
  apiKey: string
  /** A fresh sub-account of this one. */
  newSubAccount(options?: { credits?: number; mode?: 'self' | 'parent' }): Promise<TestAccount>
}

export const OPERATOR = {
  email: OPERATOR_SETTINGS.CHAPPE_ADMIN_EMAIL,
  password: OPERATOR_SETTINGS.CHAPPE_ADMIN_PASSWORD,
  appId: OPERATOR_SETTINGS.CHAPPE_ADMIN_APP_ID,
  apiKey: OPERATOR_SETTINGS.CHAPPE_ADMIN_API_KEY
}

/** A test machine may be busy with other tests: that is no overload. And a hundred sockets for each test take their time. */
export const PATIENT = { ...LOAD_LIMITS, loopDelayMaxMs: 10_000, ageMaxMs: 10_000, listeners: 2 }

interface Options {
  settings?: Record<string, string>
  /** A database of the test's own, instead of a fresh one of the server that all tests share. */
  databaseUrl?: TestDatabaseUrl | string
  limits?: LoadLimits
  smppTimings?: ServerTimings
  /** Kinds of carriers of the test's own. */
  kinds?: readonly CarrierKind[]
}

/** The service, in this process, on a database of its own. */
export async function startService(t: TestContext, options: Options = {}): Promise<TestService> {
  if (options.databaseUrl) return startOn(t, options.databaseUrl, options)
  const isOther = Object.keys(options.settings ?? {}).some((name) => name in OPERATOR_SETTINGS)
  const database = await createDatabase(isOther ? 'empty' : 'begun')
  atEnd(t, async () => {
    if (t.passed) await database.drop()
    else t.diagnostic(`The database is kept for a look: ${database.name}`)
  })
  return startOn(t, database.url, options)
}

async function startOn(t: TestContext, databaseUrl: TestDatabaseUrl | string, options: Options): Promise<TestService> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'chappe-data-'))
  atEnd(t, () => rm(dataFolder, { recursive: true, force: true }))
  const config = readConfig({
    PORT: '0',
    // What is accepted stays where it is, unless a test wants it to leave.
    CHAPPE_ROLES: 'api',
    // Nothing changes by itself, unless a test wants it.
    CHAPPE_ALARMS: 'false',
    CHAPPE_DATA: dataFolder,
    ...OPERATOR_SETTINGS,
    ...options.settings
  })
  const logLines: string[] = []
  const log = pino(
    { level: options.settings?.CHAPPE_LOG ?? 'info', serializers: LOG_SERIALIZERS },
    { write: (line) => void logLines.push(line) }
  )
  const service = await start({
    config,
    databaseUrl,
    log,
    limits: options.limits ?? PATIENT,
    ...(options.kinds && { kinds: options.kinds }),
    ...(options.smppTimings && { smppTimings: options.smppTimings })
  })
  atEnd(t, () => service.stop())

  const anonymous = await createApiClient(service.url, {}, options.kinds ? undefined : likenessOf(config))
  const [row] = await service.pool<[{ id: number }]>`select id from accounts where is_operator`
  const operator = toAccount({ ...OPERATOR, id: row.id })

  function toAccount(parts: {
    id: number
    email: string
    password: string
    appId: string
    apiKey: string
  }): TestAccount {
    const client = anonymous.as({ 'x-api-key': parts.apiKey })
    return {
      ...client,
      ...parts,
      async newSubAccount({ credits = 0, mode = 'self' } = {}) {
        const body = { ...newPerson(), credits_mode: mode }
        const { body: made } = await client.expect(200).post('/subaccount', body)
        if (credits > 0) await client.expect(200).put(`/subaccount/${made.subaccount_id}/credits/add`, { credits })
        return toAccount({ ...body, id: made.subaccount_id, appId: made.appId, apiKey: made.apikey })
      }
    }
  }

  return {
    url: service.url,
    pool: service.pool,
    logLines,
    anonymous,
    operator,
    dataFolder,
    smpp: service.smpp,
    databaseUrl: databaseUrl as TestDatabaseUrl,
    reload: () => service.reload(),
    stop: () => service.stop(),
    startPeer: (t, other) => startOn(t, databaseUrl, other ?? options),
    async newAccount({ credits = 0 } = {}) {
      const person = newPerson()
      // Not by POST /accounts: it hashes the password, which takes as long as all the rest.
      const { account, keyPair } = await openAccount(service.pool, {
        parentId: null,
        email: person.email,
        passwordHash: await hashOnce(person.password),
        country: 'FR'
      })
      for (const msgType of credits > 0 ? [1, 2] : []) {
        await operator.expect(200).put(`/accounts/${account.id}/credits`, { credits, msgType })
      }
      return toAccount({ ...person, id: account.id, ...keyPair })
    }
  }
}

type TestDatabaseUrl = { socketFolder: string; user: string; database: string }

let people = 0

/** The settings on which the operations of a service depend, and so its document. */
function likenessOf({ roles, carriersFile }: Config): string {
  return `${[...roles].sort().join()} ${carriersFile === undefined}`
}

function newPerson(): { email: string; password: string } {
  people++
  return { email: `person${people}@test.example`, password: `password of person ${people % PASSWORDS}` }
}

/** Accounts of one test have different passwords, and few passwords are hashed in a process. */
const PASSWORDS = 4
const hashes = new Map<string, Promise<string>>()

function hashOnce(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password, 'test')
  hashes.set(password, hash)
  return hash
}

export { test }
