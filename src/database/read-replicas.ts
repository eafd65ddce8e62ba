import pg from 'pg'
import type { Log } from '../http/log.ts'
import type { RunningDatabase } from './connection-shares.ts'
import { type ConnectOptions, connect, type Database, isDatabaseUnavailable, type Sql } from './database.ts'
import { PrimaryLooks } from './freshness.ts'
import { type SingleHost, urlsByHost } from './hosts.ts'
import { readPosition } from './lineage.ts'
import { openReplica, type Replica, within } from './replica.ts'
import { createSql } from './sql.ts'
import type { TransactionOptions } from './transaction.ts'

/*
 * Standbys that answer the reads which may be some seconds old. A replica is left out by itself while it is too far
 * behind, away, promoted, or of another database. Whatever a replica does not answer, the primary does.
 */

const PRIMARY_ANSWER_MAX_MS = 2_000
/** Looks at the primary are kept for so many times the largest lag. */
const KEPT_LAGS = 2
const WRITERS_MAX = 10_000

export interface ReadReplicas {
  /**
   * A database that asks a replica first, and the primary where that fails; undefined while none can be used. A person
   * who changed something a moment ago reads from the primary.
   */
  databaseFor(reader: Reader, primary: RunningDatabase): Database | undefined
  /** Notes that a person has changed something. */
  noteWrite(personId: number): void
  /** Looks at the primary and at all replicas. */
  look(): Promise<void>
  readonly replicas: readonly Pick<Replica, 'name' | 'isUsable' | 'lagSeconds'>[]
  close(timeoutSeconds: number): Promise<void>
}

interface Reader {
  topLevelId: number
  /** Null for a program with a key. */
  personId: number | null
}

export interface ReadReplicasOptions {
  primaryUrl: ConnectOptions['url']
  /** A URL for each replica, or for several by their hosts. */
  urls: readonly string[]
  lagMaxSeconds: number
  applicationName: string
  log: Log
  /** Called for each statement that a replica answered, or that the primary had to answer in its place. */
  onRead(replica: string, result: 'answered' | 'repeated'): void
}

export function openReadReplicas(options: ReadReplicasOptions): ReadReplicas {
  const { primaryUrl, urls, lagMaxSeconds, applicationName, log, onRead } = options
  const lagMaxMs = lagMaxSeconds * 1000
  const primary = connect({ url: primaryUrl, applicationName: `${applicationName} looks`, connectionsMax: 1 })
  const hosts = urls.flatMap((url) => urlsByHost(url) as SingleHost[])
  const replicas = hosts.map((host) => openReplica({ ...host, lagMaxMs, applicationName, log }))
  const looks = new PrimaryLooks(KEPT_LAGS * lagMaxMs)
  const askPrimary = within(PRIMARY_ANSWER_MAX_MS, async () => {
    const atMs = performance.now()
    const position = await readPosition(primary)
    return position && { atMs, ...position }
  })
  const writers = createWriters(lagMaxMs)
  let turn = 0

  return {
    replicas,
    databaseFor({ topLevelId, personId }, primary) {
      const usable = replicas.filter(({ isUsable }) => isUsable)
      const replica = usable[turn++ % usable.length]
      if (!replica || (personId !== null && writers.has(personId))) return undefined
      return preferReplica(replica, { primary, topLevelId, onRead: (result) => onRead(replica.name, result) })
    },
    noteWrite: writers.add,
    async look() {
      // Without its answer, the looks that are there get older, and with them all that is known of the replicas.
      await askPrimary().then(
        (look) => look && looks.add(look),
        () => undefined
      )
      await Promise.all(replicas.map((replica) => replica.look(looks)))
    },
    async close(timeoutSeconds) {
      await Promise.all([primary, ...replicas].map((part) => part.close(timeoutSeconds)))
    }
  }
}

/**
 * Statements go to the replica until one of them fails: a standby cancels statements that are in the way of its replay,
 * and may vanish at any time. That statement and those after it go to the primary.
 */
function preferReplica(
  replica: Replica,
  {
    primary,
    topLevelId,
    onRead
  }: { primary: RunningDatabase; topLevelId: number; onRead(result: 'answered' | 'repeated'): void }
): Database {
  const standby = replica.shares.databaseOf(topLevelId)
  let hasFailed = false
  const prefer = async <T>(work: (database: RunningDatabase) => Promise<T>): Promise<T> => {
    if (hasFailed || !replica.isUsable) return work(primary)
    try {
      const result = await work(standby)
      onRead('answered')
      return result
    } catch (error) {
      if (!(error instanceof pg.DatabaseError || isDatabaseUnavailable(error))) throw error
      hasFailed = true
      onRead('repeated')
      return work(primary)
    }
  }
  const sql = createSql({
    run: (statement) => prefer((database) => database.run(statement)),
    copyFrom: () => Promise.reject(new Error('Rows are copied inside a transaction.'))
  })
  return Object.assign(sql, {
    isTransaction: false,
    begin: <T>(work: (database: Database) => Promise<T>, options?: TransactionOptions) =>
      prefer((database) => database.begin(work, options)),
    async atEnd(work: (sql: Sql) => Promise<unknown>) {
      await work(sql)
    },
    afterCommit(work: () => void) {
      work()
    }
  })
}

/** The people who changed something less than `lagMaxMs` ago, the earliest first. */
function createWriters(lagMaxMs: number) {
  const untilMs = new Map<number, number>()
  return {
    has: (personId: number) => (untilMs.get(personId) ?? 0) > performance.now(),
    add(personId: number) {
      untilMs.delete(personId)
      untilMs.set(personId, performance.now() + lagMaxMs)
      for (const [earliest, until] of untilMs) {
        if (until > performance.now() && untilMs.size <= WRITERS_MAX) break
        untilMs.delete(earliest)
      }
    }
  }
}
