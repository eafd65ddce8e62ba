import { Gauge, type Registry } from 'prom-client'
import { type HistogramSeries, HistogramTally } from '../metrics/tally.ts'
import type { ConnectionPool } from './pool.ts'

/* The times of the pools of this process. A pool is labelled by its work, which its application name tells. */

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const statements = new HistogramTally({
  name: 'chappe_database_statement_seconds',
  help: 'Time from asking for a statement to its answer, by pool. Statements of a transaction that travel together wait for each other.',
  labelNames: ['pool'],
  buckets: BUCKETS
})
const waits = new HistogramTally({
  name: 'chappe_database_pool_wait_seconds',
  help: 'Time that statements and transactions waited for a free connection, by pool. Those that did not wait are left out.',
  labelNames: ['pool'],
  buckets: BUCKETS
})
const shown = new Map<ConnectionPool, string>()

export interface PoolTimes {
  statements: HistogramSeries
  waits: HistogramSeries
}

export function poolTimes(pool: string): PoolTimes {
  return { statements: statements.of(pool), waits: waits.of(pool) }
}

/** `chappe 4711 accepting` is the pool `accepting`, and `chappe 4711` that of requests. */
export function poolNameOf(applicationName: string): string {
  return applicationName.replace(/^chappe \d+ ?/, '') || 'requests'
}

/** Shows the connections of a pool until the returned function is called. */
export function showPool(name: string, pool: ConnectionPool): () => void {
  shown.set(pool, name)
  return () => shown.delete(pool)
}

export function addPoolMetrics(registry: Registry): void {
  statements.register(registry)
  waits.register(registry)
  new Gauge({
    name: 'chappe_database_connections',
    help: 'Connections to the database that this process has open, by pool and state: busy or idle.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [pool, name] of shown) {
        const { open, idle } = pool.load
        this.inc({ pool: name, state: 'idle' }, idle)
        this.inc({ pool: name, state: 'busy' }, open - idle)
      }
    }
  })
  new Gauge({
    name: 'chappe_database_pool_waiting',
    help: 'Statements and transactions that wait for a free connection, by pool.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [pool, name] of shown) this.inc({ pool: name }, pool.load.waiting)
    }
  })
}
