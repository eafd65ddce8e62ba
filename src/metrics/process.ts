import { collectDefaultMetrics, type Registry } from 'prom-client'

/** Gauges whose names end as those of counters do. `nodejs_active_resources` and its like say the same, by type. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

/** Node's own: memory, CPU, garbage collection, and the lag of the event loop. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
}
