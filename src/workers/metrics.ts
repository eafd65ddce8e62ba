import { Gauge, type Registry } from 'prom-client'
import { stuckWorkers } from './loop.ts'

/** What an operator watches of workers. */
export function createWorkerMetrics(registry: Registry): void {
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
}
