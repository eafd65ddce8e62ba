import { Refusal } from '../errors.ts'
import type { Database, Pool, Sql } from './database.ts'
import { createSql, type Runner, type Statement } from './sql.ts'
import type { TransactionOptions } from './transaction.ts'

/*
 * Requests of customers share the pool's connections fairly. A transaction that waits for a lock holds its connection,
 * so one account whose requests wait for each other could hold them all, and everybody else would wait for that
 * account. No top-level account may hold more connections than are left for all others: one that floods gets half, two
 * get a third each. A request past its account's share waits here, in memory, where it holds no connection.
 */

/** A request that waited so long has done nothing yet, so it can be refused and repeated. */
const WAIT_MAX_MS = 10_000
const RETRY_AFTER_SECONDS = 2
const REMEMBERED_MAX = 10_000

export interface ConnectionShares {
  /** The pool as one top-level account sees it; requests without an account share the number 0. */
  databaseOf(topLevelId: number): RunningDatabase
}

/** A database that also runs statements that are written already. */
export type RunningDatabase = Database & Pick<Runner, 'run'>

/** Shares out so many connections of the pool. */
export function createConnectionShares(pool: Pool, connectionsMax: number): ConnectionShares {
  const turns = createFairTurns(connectionsMax)
  const databases = new Map<number, RunningDatabase>()

  function databaseOf(topLevelId: number): RunningDatabase {
    const known = databases.get(topLevelId)
    if (known) return known
    if (databases.size >= REMEMBERED_MAX) databases.clear()
    const database = limitFor(topLevelId)
    databases.set(topLevelId, database)
    return database
  }

  function limitFor(topLevelId: number): RunningDatabase {
    const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
      if (!turns.takeNow(topLevelId)) await turns.take(topLevelId)
      try {
        return await work()
      } finally {
        turns.giveBack(topLevelId)
      }
    }
    const run = (statement: Statement) => inTurn(() => pool.run(statement))
    const sql = createSql({
      run,
      copyFrom: () => Promise.reject(new Error('Rows are copied inside a transaction.'))
    })
    return Object.assign(sql, {
      run,
      isTransaction: false,
      begin: <T>(work: (database: Database) => Promise<T>, options?: TransactionOptions) =>
        inTurn(() => pool.begin(work, options)),
      async atEnd(work: (sql: Sql) => Promise<unknown>) {
        await work(sql)
      },
      afterCommit(work: () => void) {
        work()
      }
    })
  }

  return { databaseOf }
}

/** Hands out `max` turns. No account may hold more than are left for all others. */
export function createFairTurns(max: number, waitMaxMs = WAIT_MAX_MS) {
  let used = 0
  const heldBy = new Map<number, number>()
  const waiting = new Map<number, Waiter[]>()

  function hasRoom(accountId: number): boolean {
    return (heldBy.get(accountId) ?? 0) + 1 <= max - used
  }

  function hold(accountId: number, count: 1 | -1): void {
    used += count
    const held = (heldBy.get(accountId) ?? 0) + count
    if (held > 0) heldBy.set(accountId, held)
    else heldBy.delete(accountId)
  }

  function takeNow(accountId: number): boolean {
    if (waiting.has(accountId) || !hasRoom(accountId)) return false
    hold(accountId, 1)
    return true
  }

  /** The next turn goes to the account that holds least; of several, to the one that has waited longest. */
  function startNext(): void {
    const [next] = [...waiting.keys()].sort((a, b) => (heldBy.get(a) ?? 0) - (heldBy.get(b) ?? 0))
    if (next === undefined || !hasRoom(next)) return
    const waiter = (waiting.get(next) as Waiter[])[0] as Waiter
    leave(next, waiter)
    hold(next, 1)
    waiter.start()
  }

  function leave(accountId: number, waiter: Waiter): void {
    clearTimeout(waiter.timer)
    const others = (waiting.get(accountId) ?? []).filter((other) => other !== waiter)
    if (others.length > 0) waiting.set(accountId, others)
    else waiting.delete(accountId)
  }

  return {
    /** Takes a turn if it is free at this moment. */
    takeNow,
    /** Waits for a turn. Refused after `waitMaxMs`. */
    async take(accountId: number): Promise<void> {
      if (takeNow(accountId)) return
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const waiter: Waiter = {
        start: resolve,
        timer: setTimeout(() => {
          leave(accountId, waiter)
          reject(tooMany())
        }, waitMaxMs)
      }
      waiting.set(accountId, [...(waiting.get(accountId) ?? []), waiter])
      return promise
    },
    giveBack(accountId: number): void {
      hold(accountId, -1)
      startNext()
    }
  }
}

interface Waiter {
  start(): void
  timer: NodeJS.Timeout
}

function tooMany(): Refusal {
  return new Refusal(503, 'unavailable', 'Too many requests of this account are waiting for the database; ask again.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS
  })
}
