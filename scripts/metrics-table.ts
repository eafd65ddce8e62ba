import { Registry } from 'prom-client'
import { NONE_SUSPENDED } from '../src/accounts/suspended-accounts.ts'
import { addReceiptMetrics } from '../src/carriers/receipt-metrics.ts'
import { createLinkMetrics } from '../src/clicks/metrics.ts'
import { addCreditMetrics } from '../src/credits/credit-metrics.ts'
import type { Pool } from '../src/database/database.ts'
import { addDatabaseMetrics } from '../src/database/database-metrics.ts'
import { addPoolMetrics } from '../src/database/pool-metrics.ts'
import { createReplicaMetrics } from '../src/database/replica-metrics.ts'
import { createMetrics as createDeliveryMetrics } from '../src/delivery/metrics.ts'
import { createMetrics as createRequestMetrics } from '../src/http/metrics.ts'
import { addProcessMetrics } from '../src/metrics/process.ts'
import { createRcsMetrics } from '../src/rbm-events/metrics.ts'
import { addMessageTimes } from '../src/recipients/message-times.ts'
import { createServerMetrics } from '../src/smpp-server/metrics.ts'
import { addTraceMetrics } from '../src/traces/span-queue.ts'
import { createWebhookMetrics } from '../src/webhooks/metrics.ts'
import { createWorkerMetrics } from '../src/workers/metrics.ts'

export interface KnownMetric {
  name: string
  type: 'counter' | 'gauge' | 'histogram' | 'summary'
  labels: readonly string[]
  help: string
  /** The upper bounds of a histogram. */
  buckets?: readonly number[] | undefined
}

export interface MetricGroup {
  title: string
  /** Which processes have them. */
  where: string
  metrics: KnownMetric[]
}

/** Metrics are only described here: no gauge is read. */
const pool = undefined as unknown as Pool

const GROUPS: { title: string; where: string; add(registry: Registry): void }[] = [
  {
    title: 'Messages',
    where: 'Every process has them; they are counted where carriers are, and where receipts come in.',
    add(registry) {
      addMessageTimes(registry)
      addReceiptMetrics(registry)
    }
  },
  {
    title: 'Delivery',
    where: 'Processes with the role `delivery`. Figures of queues are of all processes.',
    add: (registry) => createDeliveryMetrics(registry, { pool, suspended: NONE_SUSPENDED, carriers: () => [] })
  },
  { title: 'RCS', where: 'Every process.', add: (registry) => createRcsMetrics(registry, { pool }) },
  {
    title: 'Webhooks',
    where: 'Processes with the role `webhooks`. Figures of queues are of all processes.',
    add: (registry) => createWebhookMetrics(registry, { pool })
  },
  {
    title: 'Credits',
    where: 'Every process, with the same figures.',
    add: (registry) => addCreditMetrics(registry, { pool })
  },
  {
    title: 'Requests',
    where: 'Every process.',
    add: (registry) => createRequestMetrics(registry, { inProgress: () => 0, inProgressMax: () => 0 })
  },
  { title: 'Short links', where: 'Processes with the role `api`.', add: (registry) => createLinkMetrics(registry) },
  {
    title: 'SMPP server',
    where: 'Processes with the role `smpp`, if the [SMPP server](smpp-server.md) is on.',
    add: (registry) => createServerMetrics(registry, () => ({ transmitter: 0, receiver: 0, transceiver: 0 }))
  },
  {
    title: 'Database',
    where: 'Every process. Connections and times are its own; rows, size and transactions are of the database.',
    add(registry) {
      addPoolMetrics(registry)
      addDatabaseMetrics(registry, { pool })
    }
  },
  {
    title: 'Read replicas',
    where: 'Processes with the role `api`, if [`CHAPPE_READ_URL`](scale.md#step-2-read-replicas) is set.',
    add: (registry) => createReplicaMetrics(registry, () => [])
  },
  {
    title: 'Traces',
    where: 'Every process; they are counted where [traces](traces.md) are on.',
    add: (registry) => addTraceMetrics(registry)
  },
  { title: 'Workers', where: 'Every process.', add: (registry) => createWorkerMetrics(registry) },
  {
    title: 'The process',
    where: 'Every process. The lag of the event loop is among them.',
    add: (registry) => addProcessMetrics(registry)
  }
]

/** Every metric that there is, by group. */
export function listMetrics(): MetricGroup[] {
  return GROUPS.map(({ title, where, add }) => {
    const registry = new Registry()
    add(registry)
    const metrics = (registry.getMetricsAsArray() as unknown as Described[]).map(
      ({ name, type, labelNames, help, upperBounds }) => {
        return { name, type, labels: labelNames, help, buckets: upperBounds }
      }
    )
    return { title, where, metrics: metrics.toSorted((a, b) => a.name.localeCompare(b.name)) }
  })
}

type Described = Omit<KnownMetric, 'labels' | 'buckets'> & { labelNames: string[]; upperBounds?: number[] }

const HEADER = `# Metrics

\`GET /metrics\` gives these to Prometheus. \`npm run docs:metrics\` writes this page from the code, and a test checks that
it is current. [Monitoring](monitoring.md) says what to watch.

Names and units follow the conventions of Prometheus: seconds and bytes, and \`_total\` for counters. An account is never
a label. Labels whose values come from outside have a limit: 40 countries and 60 statuses in each process; past it a
value becomes \`other\`. Figures of the database are up to 15 s old. Without a database they are missing, and the others
go on. A figure of all processes is the same in each of them: take its \`max\`, not its \`sum\`.
`

/** docs/metrics.md, from the code that makes the metrics. */
export function metricsTable(): string {
  const groups = listMetrics().map(({ title, where, metrics }) => {
    const rows = metrics.map(
      ({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} |`
    )
    const head = '| metric | type | labels | meaning |\n|---|---|---|---|'
    return `## ${title}\n\n${where}\n\n${head}\n${rows.join('\n')}\n`
  })
  return [HEADER, ...groups].join('\n')
}
