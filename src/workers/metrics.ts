import { Counter, Gauge, type Registry } from 'prom-client'
import { stuckWorkers } from './loop.ts'

export interface WorkerMetrics {
  onCleaningFailed(step: string): void
  onRangeFailed(kind: string): void
}

/** Metrics of the workers. */
export function createWorkerMetrics(registry: Registry): WorkerMetrics {
  const failures = new Counter({
    name: 'chappe_cleaning_failures_total',
    help: 'Steps of the clean-up that failed, by step.',
    labelNames: ['step'],
    registers: [registry]
  })
  new Gauge({
    name: 'chappe_workers_stuck',
    help: 'Workers that have not come back for two minutes.',
    labelNames: ['worker'],
    registers: [registry],
    collect() {
      this.reset()
      for (const worker of stuckWorkers) this.set({ worker }, 1)
    }
  })
  const rangeFailures = new Counter({
    name: 'chappe_id_range_failures_total',
    help: 'Ranges of ids that could not be added, by kind.',
    labelNames: ['kind'],
    registers: [registry]
  })
  return {
    onCleaningFailed: (step) => failures.inc({ step }),
    onRangeFailed: (kind) => rangeFailures.inc({ kind })
  }
}
