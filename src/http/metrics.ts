import { Gauge, type Registry } from 'prom-client'
import { HistogramTally } from '../metrics/tally.ts'

export type RequestMetrics = ReturnType<typeof createMetrics>

/** Metrics of the requests as such. Domains add theirs to the same registry. */
export function createMetrics(
  registry: Registry,
  { inProgress, inProgressMax }: { inProgress: () => number; inProgressMax: () => number }
) {
  const seconds = new HistogramTally({
    name: 'chappe_http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
  })
  seconds.register(registry)
  new Gauge({
    name: 'chappe_http_requests_in_progress',
    help: 'Requests that are being answered.',
    registers: [registry],
    collect() {
      this.set(inProgress())
    }
  })
  new Gauge({
    name: 'chappe_http_requests_in_progress_max',
    help: 'How many may be at the moment: fewer while they take long.',
    registers: [registry],
    collect() {
      this.set(inProgressMax())
    }
  })
  return {
    observe({ operation, status, elapsedMs }: { operation: string; status: number; elapsedMs: number }) {
      seconds.of(operation, String(status)).observe(elapsedMs / 1000)
    }
  }
}
