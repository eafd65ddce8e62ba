import type { Registry } from 'prom-client'
import { addGauge, type Figures } from '../metrics/gauge.ts'
import type { Pool, Sql } from './database.ts'
import { keptLook } from './kept-look.ts'

/** The size of a database is the sum of its files, which takes a moment. */
const KEPT_MS = 15_000

/** Tables whose rows come and go: dead rows that vacuum can't remove make every look at them slower. */
const QUEUE_TABLES = [
  'batches',
  'callback_queue',
  'doubts',
  'expiries',
  'parked_receipts',
  'rbm_events',
  'rcs_waits',
  'smpp_deliveries',
  'submissions',
  'webhook_queue',
  'webhook_turns'
] as const

/** What an operator watches of the database. The same in every process. */
export function addDatabaseMetrics(registry: Registry, { pool }: { pool: Pool }): void {
  const lookAtTables = keptLook(KEPT_MS, () => listQueueTables(pool))
  const lookAtServer = keptLook(KEPT_MS, () => readServer(pool))
  const byTable = async (figureOf: (table: QueueTable) => number): Promise<Figures> =>
    (await lookAtTables()).map((table) => [table.name, figureOf(table)] as const)
  addGauge(registry, {
    name: 'chappe_database_dead_rows',
    help: 'Dead rows of the tables that are queues, by the statistics of the database.',
    label: 'table',
    read: () => byTable(({ dead }) => dead)
  })
  addGauge(registry, {
    name: 'chappe_database_live_rows',
    help: 'Rows of the tables that are queues, by the statistics of the database.',
    label: 'table',
    read: () => byTable(({ live }) => live)
  })
  addGauge(registry, {
    name: 'chappe_database_size_bytes',
    help: 'Size of the database on its disk.',
    read: async () => [['', (await lookAtServer()).bytes]]
  })
  addGauge(registry, {
    name: 'chappe_database_oldest_transaction_seconds',
    help: 'Age of the oldest open transaction: until it ends, vacuum removes nothing that died since.',
    read: async () => [['', (await lookAtServer()).transactionSeconds]]
  })
}

interface QueueTable {
  name: string
  live: number
  dead: number
}

async function listQueueTables(sql: Sql): Promise<QueueTable[]> {
  return sql<QueueTable[]>`
    select relname as name, n_live_tup::double precision as live, n_dead_tup::double precision as dead
    from pg_stat_user_tables
    where schemaname = current_schema
      and relname = any(${[...QUEUE_TABLES]}::text[])
    order by relname
  `
}

async function readServer(sql: Sql): Promise<{ bytes: number; transactionSeconds: number }> {
  const [row] = await sql<[{ bytes: number; transactionSeconds: number }]>`
    select pg_database_size(current_database())::double precision as bytes,
      coalesce((
        select extract(epoch from max(now() - xact_start))::double precision
        from pg_stat_activity
        where datname = current_database()
          and backend_type = 'client backend'
      ), 0) as transaction_seconds
  `
  return row
}
