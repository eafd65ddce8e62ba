import { Counter, Gauge, type Registry } from 'prom-client'
import type { ReadReplicas, ReadReplicasOptions } from './read-replicas.ts'

/** Metrics of the read replicas. Returns the function that counts reads. */
export function createReplicaMetrics(
  registry: Registry,
  replicas: () => ReadReplicas['replicas']
): ReadReplicasOptions['onRead'] {
  const reads = new Counter({
    name: 'chappe_replica_reads_total',
    help: 'Statements that a read replica answered, or that the primary had to answer in its place.',
    labelNames: ['replica', 'result'],
    registers: [registry]
  })
  new Gauge({
    name: 'chappe_replica_used',
    help: 'Whether the read replica is read from.',
    labelNames: ['replica'],
    registers: [registry],
    collect() {
      for (const { name, isUsable } of replicas()) this.set({ replica: name }, isUsable ? 1 : 0)
    }
  })
  new Gauge({
    name: 'chappe_replica_lag_seconds',
    help: 'The largest age that the data of the read replica may have.',
    labelNames: ['replica'],
    registers: [registry],
    collect() {
      for (const { name, lagSeconds } of replicas()) {
        if (lagSeconds !== undefined) this.set({ replica: name }, lagSeconds)
      }
    }
  })
  return (replica, result) => reads.inc({ replica, result })
}
