import { Counter, Gauge, type Registry } from 'prom-client'
import type { Carrier, SubmitOutcome } from '../carriers/carrier.ts'
import type { SmppMetrics } from '../carriers/smpp/smpp-metrics.ts'
import type { Pool } from '../database/database.ts'
import { LANES } from '../messages/message.ts'
import { listQueueAges } from './claims.store.ts'
import { countDoubts, countWaitingReceipts } from './doubts.store.ts'

export interface DeliveryMetrics extends SmppMetrics {
  onOutcome(carrier: string, outcome: SubmitOutcome): void
}

/** What an operator watches of delivery. Gauges are asked for when somebody looks. */
export function createMetrics(
  registry: Registry,
  { pool, carriers }: { pool: Pool; carriers(): Iterable<Carrier> }
): DeliveryMetrics {
  const registers = [registry]
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name, help, labelNames: ['carrier', ...labels], registers })
  const submits = counter('chappe_submits_total', 'submit_sm PDUs handed to carriers.')
  const answers = counter('chappe_submit_answers_total', 'Answers to them, by status.', 'status')
  const silences = counter('chappe_submit_silences_total', 'Submits that got no answer in time.')
  const lateAnswers = counter('chappe_submit_late_answers_total', 'Answers that came after all.')
  const receipts = counter('chappe_receipts_total', 'Receipts received.')
  const replies = counter('chappe_replies_total', 'Messages received.')
  const outcomes = counter('chappe_outcomes_total', 'What became of recipients that were handed over.', 'outcome')

  new Gauge({
    name: 'chappe_in_doubt',
    help: 'Recipients of which nobody knows whether the carrier has them.',
    registers,
    async collect() {
      this.set(await countDoubts(pool))
    }
  })
  new Gauge({
    name: 'chappe_receipts_parked',
    help: 'Receipts that match nothing and are tried again.',
    registers,
    async collect() {
      this.set(await countWaitingReceipts(pool))
    }
  })
  const queued = new Gauge({
    name: 'chappe_queue_batches',
    help: 'Batches that are due.',
    labelNames: ['lane'],
    registers
  })
  new Gauge({
    name: 'chappe_queue_age_seconds',
    help: 'How long the oldest batch that is due has been so.',
    labelNames: ['lane'],
    registers,
    async collect() {
      const ages = await listQueueAges(pool)
      for (const [name, lane] of Object.entries(LANES)) {
        const age = ages.find((row) => row.lane === lane)
        this.set({ lane: name }, age?.seconds ?? 0)
        queued.set({ lane: name }, age?.batches ?? 0)
      }
    }
  })
  const windowUsed = new Gauge({
    name: 'chappe_window_used',
    help: 'Submits that wait for their answer.',
    labelNames: ['carrier'],
    registers
  })
  const isUp = new Gauge({
    name: 'chappe_carrier_up',
    help: '1 while this process can send through it.',
    labelNames: ['carrier'],
    registers
  })
  new Gauge({
    name: 'chappe_window_size',
    help: 'How many may.',
    labelNames: ['carrier'],
    registers,
    collect() {
      for (const gauge of [this, windowUsed, isUp]) gauge.reset()
      for (const carrier of carriers()) {
        const { isUp: up, binds } = carrier.status()
        const bound = binds.filter(({ state }) => state === 'bound')
        const label = { carrier: carrier.name }
        this.set(
          label,
          bound.reduce((sum, { window }) => sum + window, 0)
        )
        windowUsed.set(
          label,
          bound.reduce((sum, { windowUsed }) => sum + windowUsed, 0)
        )
        isUp.set(label, up ? 1 : 0)
      }
    }
  })

  return {
    submits: (carrier, count) => submits.inc({ carrier }, count),
    answers: (carrier, status, count) => answers.inc({ carrier, status }, count),
    silences: (carrier, count) => silences.inc({ carrier }, count),
    lateAnswers: (carrier, count) => lateAnswers.inc({ carrier }, count),
    receipts: (carrier, count) => receipts.inc({ carrier }, count),
    replies: (carrier, count) => replies.inc({ carrier }, count),
    onOutcome: (carrier, { kind }) => outcomes.inc({ carrier, outcome: kind })
  }
}
