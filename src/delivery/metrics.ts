import { Counter, Gauge, type Registry } from 'prom-client'
import type { SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import type { BindStatus, Carrier, SubmitOutcome } from '../carriers/carrier.ts'
import type { CarrierMetrics } from '../carriers/carrier-metrics.ts'
import { createInboundMetrics } from '../carriers/inbound-metrics.ts'
import type { Pool } from '../database/database.ts'
import { keptLook } from '../database/kept-look.ts'
import { LANES } from '../messages/message.ts'
import { listQueueAges } from '../queue/claims.store.ts'
import { countWaitingReceipts } from '../submissions/parked-receipts.store.ts'
import { countDoubts } from './doubts.store.ts'

export interface DeliveryMetrics extends CarrierMetrics {
  onOutcome(carrier: string, outcome: SubmitOutcome): void
  /** The dispatcher of a carrier was stuck, and was restarted. */
  onRestart(carrier: string): void
}

/** Scrapes may come at any rate, and these queries take longer with a longer queue. */
const KEPT_MS = 3_000

/** Metrics of delivery. Gauges are read at each scrape. Figures from the database are kept for some seconds. */
export function createMetrics(
  registry: Registry,
  { pool, suspended, carriers }: { pool: Pool; suspended: SuspendedAccounts; carriers(): Iterable<Carrier> }
): DeliveryMetrics {
  addQueueGauges(registry, pool, suspended)
  addCarrierGauges(registry, carriers)
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name, help, labelNames: ['carrier', ...labels], registers: [registry] })
  const submits = counter('chappe_submits_total', 'Submits handed to carriers: submit_sm PDUs, or requests over HTTP.')
  const answers = counter('chappe_submit_answers_total', 'Answers to submits, by status.', 'status')
  const silences = counter('chappe_submit_silences_total', 'Submits that got no answer in time.')
  const lateAnswers = counter('chappe_submit_late_answers_total', 'Answers that came after their submit had timed out.')
  const restarts = counter('chappe_delivery_restarts_total', 'Restarts of a stuck dispatcher.')
  const outcomes = counter('chappe_outcomes_total', 'Outcomes of submits, by recipient.', 'outcome')
  return {
    submits: (carrier, count) => submits.inc({ carrier }, count),
    answers: (carrier, status, count) => answers.inc({ carrier, status }, count),
    silences: (carrier, count) => silences.inc({ carrier }, count),
    lateAnswers: (carrier, count) => lateAnswers.inc({ carrier }, count),
    ...createInboundMetrics(registry),
    onOutcome: (carrier, { kind }) => outcomes.inc({ carrier, outcome: kind }),
    onRestart: (carrier) => restarts.inc({ carrier })
  }
}

type Figures = [label: string, figure: number][]

interface GaugeOptions {
  name: string
  help: string
  label?: string
  read(): Promise<Figures> | Figures
}

function addGauge(registry: Registry, { name, help, label, read }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    labelNames: label ? [label] : [],
    registers: [registry],
    async collect() {
      this.reset()
      // Without a database, the gauges that need it show nothing. The others still work.
      const figures = await Promise.resolve()
        .then(read)
        .catch(() => [])
      for (const [value, figure] of figures) this.set(label ? { [label]: value } : {}, figure)
    }
  })
}

function addQueueGauges(registry: Registry, pool: Pool, suspended: SuspendedAccounts): void {
  const gauge = (name: string, help: string, read: () => Promise<Figures>, label?: string) =>
    addGauge(registry, { name, help, read, ...(label && { label }) })
  const lookAtDoubts = keptLook(KEPT_MS, () => countDoubts(pool))
  const lookAtReceipts = keptLook(KEPT_MS, () => countWaitingReceipts(pool))
  const lookAtQueue = keptLook(KEPT_MS, () => listQueueAges(pool, { exceptAccountIds: suspended.ids() }))
  const ofAll = async (count: Promise<number>): Promise<Figures> => [['', await count]]
  const byLane = async (figureOf: (age: { batches: number; seconds: number }) => number): Promise<Figures> => {
    const ages = await lookAtQueue()
    return Object.entries(LANES).map(([name, lane]) => {
      const age = ages.find((row) => row.lane === lane)
      return [name, age ? figureOf(age) : 0]
    })
  }
  gauge('chappe_in_doubt', 'Recipients in doubt: the carrier may have them or not.', () => ofAll(lookAtDoubts()))
  gauge('chappe_receipts_parked', 'Unmatched receipts that are tried again.', () => ofAll(lookAtReceipts()))
  gauge('chappe_queue_batches', 'Due batches.', () => byLane(({ batches }) => batches), 'lane')
  gauge('chappe_queue_age_seconds', 'Age of the oldest due batch.', () => byLane(({ seconds }) => seconds), 'lane')
}

function addCarrierGauges(registry: Registry, carriers: () => Iterable<Carrier>): void {
  const gauge = (name: string, help: string, figureOf: (bound: BindStatus[], isUp: boolean) => number) =>
    addGauge(registry, {
      name,
      help,
      label: 'carrier',
      read: () =>
        [...carriers()].map((carrier) => {
          const { isUp, binds } = carrier.status()
          const bound = binds.filter(({ state }) => state === 'bound')
          return [carrier.name, figureOf(bound, isUp)]
        })
    })
  gauge('chappe_carrier_up', '1 while this process can send through the carrier.', (_bound, isUp) => Number(isUp))
  gauge('chappe_window_used', 'Submits that wait for their answer.', (bound) =>
    bound.reduce((sum, { windowUsed }) => sum + windowUsed, 0)
  )
  gauge(
    'chappe_window_stalled',
    'Binds with a full window and no answers.',
    (bound) => bound.filter(({ stalledSince }) => stalledSince !== null).length
  )
  gauge('chappe_window_size', 'Submits that may wait for their answer.', (bound) =>
    bound.reduce((sum, { window }) => sum + window, 0)
  )
}
