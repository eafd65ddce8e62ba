import type { Writable } from 'node:stream'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { createSql, plainStatement, type Rows, type Runner, type Sql, type Statement } from './sql.ts'

/*
 * Transactions, and savepoints inside them. An error undoes everything since the beginning, also an error that the work
 * itself has caught: PostgreSQL does nothing more in a transaction of which one statement failed.
 */

/**
 * Errors that follow from an earlier one: in_failed_sql_transaction, and those of a statement that it kept from being
 * prepared.
 */
const CONSEQUENCES = new Set(['25P02', '26000', '42P05'])

export interface TransactionOptions {
  /** Whether the first statements only read. They travel with the `begin`; the second ones wait for its answer. */
  isReadFirst?: boolean
}

/** Does some work between `begin` and `commit`. */
export async function runTransaction<T>(
  connection: Connection,
  work: (database: Database) => Promise<T>,
  { isReadFirst = false }: TransactionOptions = {}
): Promise<T> {
  const begun = connection.run(plainStatement('begin'))
  // Statements behind a `begin` that fails, because somebody cancelled it, would each be done for good.
  if (!isReadFirst) await begun
  const scope = new Scope(connection, { begun })
  let result: T
  let end: { answers: Promise<unknown> }
  try {
    result = await work(asDatabase(scope))
    end = await scope.sendEnd()
    scope.close()
  } catch (error) {
    scope.isOver = true
    connection.abortCopy()
    await connection.run(plainStatement('rollback')).catch(() => connection.destroy())
    throw scope.causeOf(error)
  }
  const [commit] = await Promise.allSettled([connection.run(plainStatement('commit')), end.answers])
  // PostgreSQL answers the commit of a failed transaction with a rollback, and without an error.
  if (scope.failure) throw scope.failure
  if (commit.status === 'rejected') throw commit.reason
  await end.answers
  for (const work of scope.afterCommit) work()
  return result
}

async function runSavepoint<T>(outer: Scope, work: (database: Database) => Promise<T>): Promise<T> {
  const scope = new Scope(outer.connection, { outer })
  const name = `savepoint_${scope.depth}`
  // Not awaited: it travels with the first statement. If it fails, so does the whole transaction.
  scope.run(plainStatement(`savepoint ${name}`)).catch(() => undefined)
  try {
    const result = await work(asDatabase(scope))
    await (await scope.sendEnd()).answers
    scope.close()
    outer.afterCommit.push(...scope.afterCommit)
    return result
  } catch (error) {
    scope.isOver = true
    outer.connection.abortCopy()
    // Should this fail, so does every other statement of the transaction.
    await outer.connection.run(plainStatement(`rollback to savepoint ${name}`)).catch(() => undefined)
    throw scope.causeOf(error)
  }
}

type Work = (sql: Sql) => Promise<unknown>

const NO_STATEMENTS = { answers: Promise.resolve() }

/** By then, every statement that waits for no answer has been asked for. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

/** The statements of a transaction, or of a savepoint in one. */
class Scope implements Runner {
  readonly connection: Connection
  readonly depth: number
  /** The error of the first statement that failed. */
  failure: Error | undefined
  readonly #outer: Scope | undefined
  readonly #atEnd: Work[] = []
  readonly afterCommit: (() => void)[] = []
  /** Known before the answer of any statement behind the `begin`. */
  #isBegun = true
  #isOver = false

  constructor(connection: Connection, { outer, begun }: { outer?: Scope; begun?: Promise<unknown> }) {
    this.connection = connection
    this.#outer = outer
    begun?.catch((error) => {
      this.failure = error
      this.#isBegun = false
    })
    this.depth = outer ? outer.depth + 1 : 0
  }

  get isOver(): boolean {
    return this.#isOver || this.#outer?.isOver === true
  }

  set isOver(isOver: boolean) {
    this.#isOver = isOver
  }

  addToEnd(work: Work): void {
    this.#atEnd.push(work)
  }

  /**
   * Sends the statements of the end; their answers are to come. An error before they have left undoes the
   * transaction, like one of the work itself.
   */
  async sendEnd(): Promise<{ answers: Promise<unknown> }> {
    if (this.failure || this.#atEnd.length === 0) return NO_STATEMENTS
    const sql = createSql(this)
    const answers = Promise.all(this.#atEnd.map((work) => work(sql)))
    let error: { reason: unknown } | undefined
    answers.catch((reason) => {
      error = { reason }
    })
    await endOfTurn()
    if (error) throw error.reason
    return { answers }
  }

  /** Takes no more statements. Throws if one has failed. */
  close(): void {
    if (this.failure) throw this.failure
    this.#isOver = true
  }

  run(statement: Statement): Promise<Rows> {
    return this.#do(() => this.connection.run(statement))
  }

  async copyFrom(text: string): Promise<Writable> {
    const rows = await this.#do(() => this.connection.copyFrom(text))
    rows.once('error', (error) => {
      this.failure ??= error
    })
    return rows
  }

  /** The error that an error follows from. */
  causeOf(error: unknown): unknown {
    const isConsequence = CONSEQUENCES.has((error as { code?: string } | null)?.code ?? '')
    return isConsequence ? (this.failure ?? error) : error
  }

  async #do<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOver) throw new Error('A statement came after the end of its transaction.')
    if (!this.#isBegun) throw this.failure
    try {
      return await work()
    } catch (error) {
      this.failure ??= error as Error
      throw error
    }
  }
}

function asDatabase(scope: Scope): Database {
  return Object.assign(createSql(scope), {
    isTransaction: true,
    atEnd: async (work: Work) => scope.addToEnd(work),
    afterCommit(work: () => void) {
      scope.afterCommit.push(work)
    },
    begin: <T>(work: (database: Database) => Promise<T>) => runSavepoint(scope, work)
  })
}
