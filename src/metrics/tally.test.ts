import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { boundedLabel } from './bounded-label.ts'
import { addGauge } from './gauge.ts'
import { CounterTally, HistogramTally } from './tally.ts'

test('a histogram is written as Prometheus reads it, with a value that came several times', async () => {
  const registry = new Registry()
  const seconds = new HistogramTally({ name: 'x_seconds', help: 'X.', labelNames: ['lane'], buckets: [0.5, 2] })
  seconds.register(registry)
  seconds.of('a').observe(0.5, 3)
  seconds.of('a').observe(1)
  seconds.of('a').observe(9)
  assert.equal(
    await registry.metrics(),
    `# HELP x_seconds X.
# TYPE x_seconds histogram
x_seconds_bucket{lane="a",le="0.5"} 3
x_seconds_bucket{lane="a",le="2"} 4
x_seconds_bucket{lane="a",le="+Inf"} 5
x_seconds_sum{lane="a"} 11.5
x_seconds_count{lane="a"} 5
`
  )
})

test('a counter has a series for each set of values', async () => {
  const registry = new Registry()
  const counter = new CounterTally({ name: 'x_total', help: 'X.', labelNames: ['carrier', 'state'] })
  counter.register(registry)
  counter.of('main', 'delivered').add()
  counter.of('main', 'delivered').add(2)
  counter.of('main', 'failed').add()
  const text = await registry.metrics()
  assert.match(text, /^x_total\{carrier="main",state="delivered"\} 3$/m)
  assert.match(text, /^x_total\{carrier="main",state="failed"\} 1$/m)
})

test('a label takes no more values than its limit', () => {
  const label = boundedLabel(2)
  assert.deepEqual(['FR', 'BE', 'CH', 'FR', 'LU'].map(label), ['FR', 'BE', 'other', 'FR', 'other'])
})

test('a gauge that can not be read, or not in time, is missing, and the others are there', async () => {
  const registry = new Registry()
  addGauge(registry, { name: 'x', help: 'X.', read: () => Promise.reject(new Error('no database')) })
  addGauge(registry, { name: 'late', help: 'Late.', read: () => new Promise(() => undefined) })
  addGauge(registry, { name: 'y', help: 'Y.', label: 'lane', read: () => [['a', 1]] })
  const text = await registry.metrics()
  assert.doesNotMatch(text, /^(x|late) /m)
  assert.match(text, /^y\{lane="a"\} 1$/m)
})
