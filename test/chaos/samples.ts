import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'

export interface TableSize {
  /** With its indexes and what is stored beside it. */
  mb: number
  indexMb: number
  live: number
  dead: number
}

/** The first process, which is never killed, and the database, at one moment. */
export interface Sample {
  at: number
  rssMb: number
  heapMb: number
  descriptors: number
  connections: number
  tables: Map<string, TableSize>
}

/** Looks every so often; a moment at which the database or the process does not answer is left out. */
export function startSampling(cluster: Cluster, everyMs: number): { samples: Sample[]; stop(): Promise<void> } {
  const samples: Sample[] = []
  const ending = new AbortController()
  const sampling = (async () => {
    while (!ending.signal.aborted) {
      const sample = await takeSample(cluster).catch(() => undefined)
      if (sample) samples.push(sample)
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => undefined) // It ends early when it is stopped.
    }
  })()
  return {
    samples,
    async stop() {
      ending.abort()
      await sampling
    }
  }
}

async function takeSample({ nodes, pool }: Cluster): Promise<Sample> {
  const { pid, url } = nodes[0] ?? {}
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const metrics = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) })).text()
  const [row] = await pool<[{ count: number }]>`
    select count(*) from pg_stat_activity where application_name like ${`chappe ${pid}%`}
  `
  const tables = await pool<({ name: string } & TableSize)[]>`
    select relname as name, pg_total_relation_size(relid) / 1e6::float8 as mb, pg_indexes_size(relid) / 1e6::float8 as index_mb,
      n_live_tup as live, n_dead_tup as dead
    from pg_stat_user_tables
  `
  return {
    at: Date.now(),
    rssMb: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1000,
    heapMb: Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)?.[1]) / 1e6,
    descriptors: (await readdir(`/proc/${pid}/fd`)).length,
    connections: row.count,
    tables: new Map(tables.map(({ name, ...size }) => [name, size]))
  }
}
