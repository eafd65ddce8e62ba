import type { Registry } from 'prom-client'
import { boundedLabel } from '../metrics/bounded-label.ts'
import { CounterTally, type CountSeries, type HistogramSeries, HistogramTally } from '../metrics/tally.ts'
import type { Receipt } from './carrier.ts'

/** Countries with series of their own in one process; all others are `other`. */
const COUNTRIES_MAX = 40
const MINUTE = 60
const HOUR = 3_600

const reported = new CounterTally({
  name: 'chappe_recipients_reported_total',
  help: 'Recipients whose final receipt came, by carrier, country and state: delivered, failed, expired, rejected. An RCS that did not arrive is failed.',
  labelNames: ['carrier', 'country', 'state']
})
const delays = new HistogramTally({
  name: 'chappe_receipt_delay_seconds',
  help: 'Time from the acceptance by the carrier to the final receipt, or the first report that an RCS arrived, by carrier and country.',
  labelNames: ['carrier', 'country'],
  buckets: [1, 2.5, 5, 10, 30, MINUTE, 5 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR]
})
const countryOf = boundedLabel(COUNTRIES_MAX)

/** The series of a carrier and a country: found by two look-ups, without making a name for each receipt. */
interface Known {
  delays: HistogramSeries
  reported: Map<string, CountSeries>
}
const known = new Map<string, Map<string, Known>>()

function knownOf(carrier: string, country: string): Known {
  const ofCarrier = known.get(carrier) ?? new Map<string, Known>()
  const ofCountry = ofCarrier.get(country) ?? { delays: delays.of(carrier, country), reported: new Map() }
  known.set(carrier, ofCarrier.set(country, ofCountry))
  return ofCountry
}

export interface NotedReceipt extends Pick<Receipt, 'carrier' | 'state'> {
  country: string
  /** Since the carrier accepted the message. Undefined if nothing came: the recipient was given up. */
  seconds: number | undefined
}

/** Notes a receipt that has ended a recipient. */
export function noteReceipt({ carrier, state, country, seconds }: NotedReceipt): void {
  const label = countryOf(country)
  const series = known.get(carrier)?.get(label) ?? knownOf(carrier, label)
  let count = series.reported.get(state)
  if (!count) {
    count = reported.of(carrier, label, state)
    series.reported.set(state, count)
  }
  count.add()
  if (seconds !== undefined) series.delays.observe(seconds)
}

export function addReceiptMetrics(registry: Registry): void {
  reported.register(registry)
  delays.register(registry)
}
