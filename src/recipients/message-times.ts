import type { Registry } from 'prom-client'
import type { Category } from '../messages/message.ts'
import { HistogramTally } from '../metrics/tally.ts'

/*
 * How long messages take. Each move of recipients tells the age of their message, once for all recipients of the message: there
 * is no statement for it, and no work for each recipient.
 */

const MINUTE = 60
const HOUR = 3_600
const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR]

const toCarrier = new HistogramTally({
  name: 'chappe_message_to_carrier_seconds',
  help: 'Time from acceptance, or from the time a message is scheduled for, until a carrier has accepted it, by recipient and lane. Waiting for allowed hours counts.',
  labelNames: ['lane'],
  buckets: BUCKETS
})
const toPhone = new HistogramTally({
  name: 'chappe_message_to_phone_seconds',
  help: 'Time from acceptance, or from the time a message is scheduled for, until the report that the phone has it, by recipient and lane.',
  labelNames: ['lane'],
  buckets: BUCKETS
})

/** Notes that so many recipients of a message have just left, or have just got it. */
export function noteTimes(
  { category, ageSeconds }: { category: Category; ageSeconds: number },
  { left, arrived }: { left: number; arrived: number }
): void {
  // A message may be begun a moment before its time.
  const seconds = Math.max(0, ageSeconds)
  if (left > 0) toCarrier.of(category).observe(seconds, left)
  if (arrived > 0) toPhone.of(category).observe(seconds, arrived)
}

export function addMessageTimes(registry: Registry): void {
  toCarrier.register(registry)
  toPhone.register(registry)
}
