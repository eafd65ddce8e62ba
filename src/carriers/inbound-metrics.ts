import { Counter, type Registry } from 'prom-client'
import type { CarrierMetrics } from './carrier-metrics.ts'

export type InboundMetrics = Pick<CarrierMetrics, 'receipts' | 'replies'>

/** Counts receipts and replies, which come to delivery over links and polls, and to the API as posts. */
export function createInboundMetrics(registry: Registry): InboundMetrics {
  // A process with both roles asks twice for the same counters.
  const counter = (name: string, help: string) =>
    (registry.getSingleMetric(name) as Counter<'carrier'> | undefined) ??
    new Counter({ name, help, labelNames: ['carrier'], registers: [registry] })
  const receipts = counter('chappe_receipts_total', 'Receipts received.')
  const replies = counter('chappe_replies_total', 'Replies received.')
  return {
    receipts: (carrier, count) => receipts.inc({ carrier }, count),
    replies: (carrier, count) => replies.inc({ carrier }, count)
  }
}
