import { Counter, type Registry } from 'prom-client'
import type { SuspendedAccounts } from '../accounts/suspended-accounts.ts'
import type { BindStatus, Carrier, SubmitOutcome } from '../carriers/carrier.ts'
import type { CarrierMetrics } from '../carriers/carrier-metrics.ts'
import { createInboundMetrics } from '../carriers/inbound-metrics.ts'
import { type RefusalClass, refusalClass } from '../carriers/refusal-class.ts'
import type { Pool } from '../database/database.ts'
import { keptLook } from '../database/kept-look.ts'
import { LANES } from '../messages/message.ts'
import { beginAtZero } from '../metrics/begin-at-zero.ts'
import { boundedLabel } from '../metrics/bounded-label.ts'
import { addGauge, type Figures } from '../metrics/gauge.ts'
import { CounterTally } from '../metrics/tally.ts'
import { listQueueAges, type QueueAge } from '../queue/queue-ages.store.ts'
import { readWaitingReceipts } from '../submissions/parked-receipts.store.ts'
import { countDoubts } from './doubts.store.ts'

export interface DeliveryMetrics extends CarrierMetrics {
  onOutcome(carrier: string, outcome: SubmitOutcome): void
  /** The dispatcher of a carrier was stuck, and was restarted. */
  onRestart(carrier: string): void
}

/** Scrapes may come at any rate, and these queries take longer with a longer queue. */
const KEPT_MS = 3_000
/** Statuses with series of their own: carriers have thousands of codes to choose from. */
const STATUSES_MAX = 60

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
  const everyCarrier = (labels: Record<string, string>) =>
    [...carriers()].map(({ name }) => ({ carrier: name, ...labels }))
  beginAtZero(restarts, () => everyCarrier({}))
  // Every message counts here, so it is no counter of prom-client.
  const outcomes = new CounterTally({
    name: 'chappe_outcomes_total',
    help: 'Outcomes of submits, by recipient.',
    labelNames: ['carrier', 'outcome']
  })
  outcomes.register(registry)
  const refusals = counter('chappe_refusals_total', REFUSALS_HELP, 'class', 'outcome')
  beginAtZero(refusals, () => REFUSED_ACCESS.flatMap(everyCarrier))
  const statusLabel = boundedLabel(STATUSES_MAX)
  return {
    submits: (carrier, count) => submits.inc({ carrier }, count),
    answers: (carrier, status, count) => answers.inc({ carrier, status: statusLabel(status) }, count),
    silences: (carrier, count) => silences.inc({ carrier }, count),
    lateAnswers: (carrier, count) => lateAnswers.inc({ carrier }, count),
    ...createInboundMetrics(registry),
    onOutcome(carrier, outcome) {
      outcomes.of(carrier, outcome.kind).add()
      const refused = refusedClass(outcome)
      if (refused) refusals.inc({ carrier, class: refused, outcome: outcome.kind })
    },
    onRestart: (carrier) => restarts.inc({ carrier })
  }
}

const REFUSALS_HELP =
  'Recipients that a carrier refused, by class and outcome: throttled, number, sender, content, access, unreachable, carrier, other.'

/** The refusals that an alert waits for. */
const REFUSED_ACCESS = ['rejected', 'retry'].map((outcome) => ({ class: 'access', outcome }))

/** Undefined when the carrier refused nothing: it accepted, was not asked, or may have it. */
function refusedClass(outcome: SubmitOutcome): RefusalClass | undefined {
  if (outcome.kind === 'unreachable') return 'unreachable'
  if (outcome.kind === 'rejected') return refusalClass(outcome.reason)
  return outcome.kind === 'retry' && !outcome.isUntried ? refusalClass(outcome.reason) : undefined
}

function addQueueGauges(registry: Registry, pool: Pool, suspended: SuspendedAccounts): void {
  const gauge = (name: string, help: string, read: () => Promise<Figures>, label?: string) =>
    addGauge(registry, { name, help, read, ...(label && { label }) })
  const lookAtDoubts = keptLook(KEPT_MS, () => countDoubts(pool))
  const lookAtReceipts = keptLook(KEPT_MS, () => readWaitingReceipts(pool))
  const lookAtQueue = keptLook(KEPT_MS, () => listQueueAges(pool, { exceptAccountIds: suspended.ids() }))
  const ofAll = async (figure: Promise<number>): Promise<Figures> => [['', await figure]]
  const byLane = async (figureOf: (age: QueueAge) => number): Promise<Figures> => {
    const ages = await lookAtQueue()
    return Object.entries(LANES).map(([name, lane]) => {
      const age = ages.find((row) => row.lane === lane)
      return [name, age ? figureOf(age) : 0]
    })
  }
  gauge('chappe_in_doubt', 'Recipients in doubt: the carrier may have them or not.', () => ofAll(lookAtDoubts()))
  gauge('chappe_receipts_parked', 'Unmatched receipts that are tried again.', () =>
    ofAll(lookAtReceipts().then(({ count }) => count))
  )
  gauge('chappe_receipts_parked_age_seconds', 'Age of the oldest unmatched receipt that is tried again.', () =>
    ofAll(lookAtReceipts().then(({ seconds }) => seconds))
  )
  gauge('chappe_queue_batches', 'Due batches.', () => byLane(({ batches }) => batches), 'lane')
  gauge('chappe_queue_recipients', 'Recipients of due batches.', () => byLane(({ recipients }) => recipients), 'lane')
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
