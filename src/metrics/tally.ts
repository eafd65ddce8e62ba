import type { Metric, Registry } from 'prom-client'

/*
 * Metrics for paths that every message takes. They are plain numbers of this process, and are written out when a registry is
 * read: a call of prom-client for each message costs more. A process with several services, as tests have it, shares them.
 */

interface Written {
  metricName?: string
  labels: Record<string, string | number>
  value: number
}

interface TallyOptions {
  name: string
  help: string
  labelNames: readonly string[]
}

abstract class Tally<Series> {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  abstract readonly type: 'counter' | 'histogram'
  readonly #series = new Map<string, { labels: Record<string, string>; series: Series }>()

  constructor({ name, help, labelNames }: TallyOptions) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
  }

  /** The series with these values, in the order of the label names. */
  of(first: string, second?: string, third?: string): Series {
    // Written out: a list of values, joined, took four times as long.
    const key =
      second === undefined ? first : third === undefined ? `${first}\n${second}` : `${first}\n${second}\n${third}`
    const known = this.#series.get(key)
    if (known) return known.series
    const values = [first, second, third]
    const series = this.begin()
    const labels = Object.fromEntries(this.labelNames.map((name, index) => [name, values[index] ?? '']))
    this.#series.set(key, { labels, series })
    return series
  }

  register(registry: Registry): void {
    // A registry asks for no more than a name, a type, and these two functions.
    registry.registerMetric(this as unknown as Metric)
  }

  /** As prom-client asks for it. */
  async get() {
    const values = [...this.#series.values()].flatMap(({ labels, series }) => this.write(labels, series))
    return { name: this.name, help: this.help, type: this.type, values, aggregator: 'sum' }
  }

  reset(): void {
    this.#series.clear()
  }

  protected abstract begin(): Series
  protected abstract write(labels: Record<string, string>, series: Series): Written[]
}

export class CountSeries {
  count = 0

  add(count = 1): void {
    this.count += count
  }
}

export class CounterTally extends Tally<CountSeries> {
  readonly type = 'counter'

  protected begin(): CountSeries {
    return new CountSeries()
  }

  protected write(labels: Record<string, string>, { count }: CountSeries): Written[] {
    return [{ labels, value: count }]
  }
}

export class HistogramSeries {
  readonly #bounds: readonly number[]
  readonly counts: number[]
  sum = 0
  count = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = bounds.map(() => 0)
  }

  /** The same value, so many times. */
  observe(value: number, times = 1): void {
    this.sum += value * times
    this.count += times
    for (let index = 0; index < this.#bounds.length; index++) {
      if (value > (this.#bounds[index] as number)) continue
      this.counts[index] = (this.counts[index] as number) + times
      return
    }
  }
}

export class HistogramTally extends Tally<HistogramSeries> {
  readonly type = 'histogram'
  /** As prom-client names them. */
  readonly upperBounds: readonly number[]

  constructor({ buckets, ...options }: TallyOptions & { buckets: readonly number[] }) {
    super(options)
    this.upperBounds = buckets
  }

  protected begin(): HistogramSeries {
    return new HistogramSeries(this.upperBounds)
  }

  protected write(labels: Record<string, string>, { counts, sum, count }: HistogramSeries): Written[] {
    let below = 0
    const buckets = this.upperBounds.map((bound, index): Written => {
      below += counts[index] as number
      return { metricName: `${this.name}_bucket`, labels: { ...labels, le: bound }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${this.name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count }
    ]
  }
}
