import { Counter, type Registry } from 'prom-client'
import type { Pool } from '../database/database.ts'
import { keptLook } from '../database/kept-look.ts'
import { addGauge } from '../metrics/gauge.ts'
import { countWaiting } from './rbm-events.store.ts'

export interface RcsMetrics {
  /** The platform posted an event. */
  events(carrier: string, kind: string): void
  /** A report was applied, or given up. */
  reports(carrier: string, result: string): void
  /** So many RCS became SMS, or failed for want of one. */
  fallbacks(outcome: 'sms' | 'failed', count: number): void
}

/** Scrapes may come at any rate. */
const KEPT_MS = 3_000

/** What an operator watches of RCS, beyond the metrics of every carrier. */
export function createRcsMetrics(registry: Registry, { pool }: { pool: Pool }): RcsMetrics {
  const registers = [registry]
  const events = new Counter({
    name: 'chappe_rbm_events_total',
    help: 'Events of the RBM platform that were stored, repeats included, by kind.',
    labelNames: ['carrier', 'kind'],
    registers
  })
  const reports = new Counter({
    name: 'chappe_rbm_reports_total',
    help: 'What became of its reports on messages.',
    labelNames: ['carrier', 'result'],
    registers
  })
  const fallbacks = new Counter({
    name: 'chappe_rcs_fallbacks_total',
    help: 'RCS that did not arrive, by what became of them.',
    labelNames: ['outcome'],
    registers
  })
  const lookAtWaiting = keptLook(KEPT_MS, () => countWaiting(pool))
  addGauge(registry, {
    name: 'chappe_rbm_events_waiting',
    help: 'Events that are due, or are looked at again later; of all processes.',
    read: async () => [['', await lookAtWaiting()]]
  })
  return {
    events: (carrier, kind) => events.inc({ carrier, kind }),
    reports: (carrier, result) => reports.inc({ carrier, result }),
    fallbacks: (outcome, count) => fallbacks.inc({ outcome }, count)
  }
}
