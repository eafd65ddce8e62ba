import { connect, type Pool } from '../src/database/database.ts'
import { findEmbeddedServer } from '../src/database/embedded-server.ts'

/*
 * Counts the statements of a Chappe with pg_stat_statements, by the stage of a message that they belong to. Transactions
 * are counted by the transaction ids that were used: each transaction that writes takes one. PostgreSQL's own counter of
 * commits is late by seconds.
 */

/** Settings with which the embedded server counts statements. */
export const COUNTING = { shared_preload_libraries: 'pg_stat_statements' }

/**
 * The stage of a statement, by the first pattern that it matches. A statement that writes a message's first rows, its
 * submission or its receipt belongs to that stage, whatever else it touches. `shared` is what several stages ask.
 */
const PATTERNS = [
  ['begin and commit', /^\s*(begin|commit|rollback)/i],
  [
    'accepting',
    /(insert into|copy) "?(messages|recipients|batches|message_counts|external_ids|audit_entries)\b|pg_notify|nextval/
  ],
  ['settling', /insert into submissions|delete from batches|carrier_message_ids = /],
  ['receipts', /delivered_at = |from submissions|parked_receipts/],
  ['credits', /credit_(balances|entries|reservations)/],
  ['shared', /update messages|for no key update of messages|event_subscriptions|insert into events|stops/],
  ['handing over', /batches|pg_advisory_xact_lock|from recipients|from messages/],
  ['other', /(?:)/]
] as const satisfies [string, RegExp][]

export type Stage = (typeof PATTERNS)[number][0]
const STAGES: readonly Stage[] = [
  'accepting',
  'handing over',
  'settling',
  'receipts',
  'credits',
  'shared',
  'begin and commit',
  'other'
]

export interface Statement {
  text: string
  calls: number
  executionMs: number
}

export interface Counted {
  /** Costliest first; undefined if the server has no pg_stat_statements. */
  statements: Statement[] | undefined
  /** Transactions that wrote something. */
  writes: number
  walBytes: number
}

export interface StatementCounter {
  reset(): Promise<void>
  read(): Promise<Counted>
  close(): Promise<void>
}

export async function countStatements(folder: string): Promise<StatementCounter> {
  const pool = await connectAsSuperuser(folder)
  const hasExtension = await createExtension(pool)
  let before = await readUsed(pool)
  return {
    async reset() {
      if (hasExtension) await pool`select pg_stat_statements_reset()`
      before = await readUsed(pool)
    },
    async read() {
      const after = await readUsed(pool)
      return {
        statements: hasExtension ? await listStatements(pool) : undefined,
        writes: after.transactions - before.transactions,
        walBytes: after.walBytes - before.walBytes
      }
    },
    close: () => pool.close(5)
  }
}

export async function connectAsSuperuser(folder: string): Promise<Pool> {
  const server = await findEmbeddedServer(folder)
  if (!server) throw new Error('the embedded server does not answer')
  const pool = connect({ url: { ...server, user: 'postgres' }, applicationName: 'bench', connectionsMax: 1 })
  await pool`set statement_timeout = 0`
  return pool
}

export function sumByStage(statements: readonly Statement[]): Map<Stage, { calls: number; executionMs: number }> {
  const sums = new Map(STAGES.map((stage) => [stage, { calls: 0, executionMs: 0 }]))
  for (const { text, calls, executionMs } of statements) {
    const sum = sums.get(stageOf(text))
    if (!sum) continue
    sum.calls += calls
    sum.executionMs += executionMs
  }
  return sums
}

function stageOf(text: string): Stage {
  return PATTERNS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'
}

/** False where the server was started without the library, or does not bring it. */
async function createExtension(pool: Pool): Promise<boolean> {
  try {
    await pool`create extension if not exists pg_stat_statements`
    await pool`select from pg_stat_statements limit 0`
    return true
  } catch {
    return false
  }
}

/** The statements of Chappe's own role: the bench itself asks as a superuser. */
function listStatements(pool: Pool): Promise<Statement[]> {
  return pool<Statement[]>`
    select query as text, calls::float8 as calls, total_exec_time as execution_ms
    from pg_stat_statements
    join pg_roles on pg_roles.oid = userid
    where rolname = 'chappe'
    order by total_exec_time desc
  `
}

async function readUsed(pool: Pool): Promise<{ transactions: number; walBytes: number }> {
  const [used] = await pool<{ transactions: number; walBytes: number }[]>`
    select
      pg_snapshot_xmax(pg_current_snapshot())::text::float8 as transactions,
      pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal_bytes
  `
  return used ?? { transactions: 0, walBytes: 0 }
}
