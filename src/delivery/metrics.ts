import { Counter, Gauge, type Registry } from 'prom-client'
import type { BindStatus, Carrier, SubmitOutcome } from '../carriers/carrier.ts'
import type { CarrierMetrics } from '../carriers/carrier-metrics.ts'
import type { Pool } from '../database/database.ts'
import { keptLook } from '../database/kept-look.ts'
import { LANES } from '../messages/message.ts'
import { listQueueAges } from '../queue/claims.store.ts'
import { countWaitingReceipts } from '../submissions/parked-receipts.store.ts'
import { countDoubts } from './doubts.store.ts'

export interface DeliveryMetrics extends CarrierMetrics {
  onOutcome(carrier: string, outcome: SubmitOutcome): void
  /** Sending through a carrier stood still, and was begun anew. */
  onRestart(carrier: string): void
}

/** Scrapes may come at any rate, and these queries take longer the longer the queue is. */
const KEPT_MS = 3_000

/** Metrics of delivery. Gauges are read at each scrape; figures of the database are kept for some seconds. */
export function createMetrics(
  registry: Registry,
  { pool, carriers }: { pool: Pool; carriers(): Iterable<Carrier> }
): DeliveryMetrics {
  addQueueGauges(registry, pool)
  addCarrierGauges(registry, carriers)
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name, help, labelNames: ['carrier', ...labels], registers: [registry] })
  const submits = counter('chappe_submits_total', 'submit_sm PDUs handed to carriers.')
  const answers = counter('chappe_submit_answers_total', 'Answers to them, by status.', 'status')
  const silences = counter('chappe_submit_silences_total', 'Submits that got no answer in time.')
  const lateAnswers = counter('chappe_submit_late_answers_total', 'Answers that came after all.')
  const receipts = counter('chappe_receipts_total', 'Receipts received.')
  const replies = counter('chappe_replies_total', 'Messages received.')
  const restarts = counter('chappe_delivery_restarts_total', 'How often sending stood still and was begun anew.')
  const outcomes = counter('chappe_outcomes_total', 'What became of recipients that were handed over.', 'outcome')
  return {
    submits: (carrier, count) => submits.inc({ carrier }, count),
    answers: (carrier, status, count) => answers.inc({ carrier, status }, count),
    silences: (carrier, count) => silences.inc({ carrier }, count),
    lateAnswers: (carrier, count) => lateAnswers.inc({ carrier }, count),
    receipts: (carrier, count) => receipts.inc({ carrier }, count),
    replies: (carrier, count) => replies.inc({ carrier }, count),
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
      // Without a database a gauge shows nothing; the others still do.
      const figures = await Promise.resolve()
        .then(read)
        .catch(() => [])
      for (const [value, figure] of figures) this.set(label ? { [label]: value } : {}, figure)
    }
  })
}

function addQueueGauges(registry: Registry, pool: Pool): void {
  const gauge = (name: string, help: string, read: () => Promise<Figures>, label?: string) =>
    addGauge(registry, { name, help, read, ...(label && { label }) })
  const lookAtDoubts = keptLook(KEPT_MS, () => countDoubts(pool))
  const lookAtReceipts = keptLook(KEPT_MS, () => countWaitingReceipts(pool))
  const lookAtQueue = keptLook(KEPT_MS, () => listQueueAges(pool))
  const ofAll = async (count: Promise<number>): Promise<Figures> => [['', await count]]
  const byLane = async (figureOf: (age: { batches: number; seconds: number }) => number): Promise<Figures> => {
    const ages = await lookAtQueue()
    return Object.entries(LANES).map(([name, lane]) => {
      const age = ages.find((row) => row.lane === lane)
      return [name, age ? figureOf(age) : 0]
    })
  }
  gauge('chappe_in_doubt', 'Recipients of which nobody knows whether the carrier has them.', () =>
    ofAll(lookAtDoubts())
  )
  gauge('chappe_receipts_parked', 'Receipts that match nothing and are tried again.', () => ofAll(lookAtReceipts()))
  gauge('chappe_queue_batches', 'Batches that are due.', () => byLane(({ batches }) => batches), 'lane')
  gauge(
    'chappe_queue_age_seconds',
    'How long the oldest batch that is due has been so.',
    () => byLane(({ seconds }) => seconds),
    'lane'
  )
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
  gauge('chappe_carrier_up', '1 while this process can send through it.', (_bound, isUp) => Number(isUp))
  gauge('chappe_window_used', 'Messages that wait for their answer.', (bound) =>
    bound.reduce((sum, { windowUsed }) => sum + windowUsed, 0)
  )
  gauge(
    'chappe_window_stalled',
    'Binds whose window is full and gets no answers.',
    (bound) => bound.filter(({ stalledSince }) => stalledSince !== null).length
  )
  gauge('chappe_window_size', 'How many may.', (bound) => bound.reduce((sum, { window }) => sum + window, 0))
}
